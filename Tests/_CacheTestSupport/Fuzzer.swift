import CacheCore
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Feeds a reader mutations of valid inputs, to find bytes that trap it, hang it or make it take much memory.
///
/// The sequence of inputs depends on the seed alone; `ASSAY_FUZZ_SECONDS` says how long a prefix of it is tried. Each
/// input is written to a file before it is read, so that the file holds the input of a crash.
public struct Fuzzer: Sendable {
    /// Processor time that one input may take, in seconds.
    public static let inputSecondsMax = 20.0
    /// Growth of the resident memory that all inputs together may cause, in bytes.
    public static let memoryBytesMax = 1 << 30

    /// What a fuzzer found, beside crashes.
    public struct Finding: Error, CustomStringConvertible {
        /// The reader, the input and what it took.
        public let description: String
    }

    private let name: String
    private let samples: [[UInt8]]
    private let fragments: [[UInt8]]
    private let seed: UInt64

    /// A fuzzer of one reader.
    ///
    /// - Parameters:
    ///   - name: The reader's name, which the file of the last input carries.
    ///   - samples: Valid inputs, at least one.
    ///   - fragments: Words of the format that mutations insert, beside numbers at the limits of their types.
    public init(_ name: String, samples: [[UInt8]], fragments: [String] = [], seed: UInt64 = 1) {
        precondition(!samples.isEmpty, "a fuzzer needs a valid input to mutate")
        self.name = name
        self.samples = samples
        self.fragments = fragments.map { Array($0.utf8) } + Self.limits
        self.seed = seed
    }

    /// Reads inputs until the time is over, at least `inputsMin` of them; what `read` throws is an answer like any other.
    ///
    /// - Parameter seconds: How long, unless `ASSAY_FUZZ_SECONDS` says it.
    /// - Throws: ``Finding`` for an input that takes too long, and for inputs that take too much memory.
    public func run(
        seconds standard: Double = 3, inputsMin: Int = 200, _ read: ([UInt8]) throws -> Void
    ) throws {
        let seconds = ProcessInfo.processInfo.environment["ASSAY_FUZZ_SECONDS"].flatMap(Double.init) ?? standard
        // Another run at the same time has a file of its own.
        let file = FileManager.default.temporaryDirectory.appending(path: "assay-fuzz-\(name)-\(getpid()).bin")
        var random = SeededGenerator(seed: seed)
        let memory = Self.residentBytesMax()
        let end = Date().addingTimeInterval(seconds)
        var inputs = 0
        while inputs < inputsMin || Date() < end {
            let input = inputs < samples.count ? samples[inputs] : mutated(&random)
            try Data(input).write(to: file)
            let start = Self.threadSeconds()
            try? read(input)
            let used = Self.threadSeconds() - start
            guard used < Self.inputSecondsMax else {
                throw Finding(description: "\(name): input \(inputs), kept in \(file.path), took \(used) s")
            }
            inputs += 1
        }
        let growth = Self.residentBytesMax() - memory
        guard growth < Self.memoryBytesMax else {
            throw Finding(description: "\(name): \(inputs) inputs made the process grow by \(growth) bytes")
        }
        try FileManager.default.removeItem(at: file)
    }

    /// Numbers at and beyond the limits of integers and fractions, as text and as bytes.
    private static let limits: [[UInt8]] =
        [
            "0", "-1", "2147483648", "4294967295", "9007199254740993", "9223372036854775807", "9223372036854775808",
            "-9223372036854775808", "18446744073709551616", "1e19", "1e309", "-1e309", "0.001", "1e-320", "nan", "inf",
        ].map { Array($0.utf8) } + [
            [0, 0, 0, 0], [255, 255, 255, 255], [255, 255, 255, 127], [0, 0, 0, 128], [UInt8](repeating: 255, count: 8),
            [255, 255, 255, 255, 255, 255, 255, 127], [0, 0, 0, 0, 0, 0, 0, 128], [0xC0, 0x80], [0xEF, 0xBB, 0xBF],
        ]

    private func mutated(_ random: inout SeededGenerator) -> [UInt8] {
        var bytes = samples[random.next(below: samples.count)]
        for _ in 0...random.next(below: 4) { mutate(&bytes, &random) }
        return bytes
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let start = random.next(below: bytes.count + 1)
        let end = min(bytes.count, start + random.next(below: 1 + [1, 8, 64, 1024][random.next(below: 4)]))
        let fragment = fragments[random.next(below: fragments.count)]
        switch random.next(below: 8) {
        case 0 where start < bytes.count: bytes[start] ^= 1 << UInt8(random.next(below: 8))
        case 1 where start < bytes.count: bytes[start] = UInt8(random.next(below: 256))
        case 2: bytes.removeSubrange(start..<end)
        case 3: bytes.insert(contentsOf: fragment, at: start)
        case 4: bytes.replaceSubrange(start..<min(bytes.count, start + fragment.count), with: fragment)
        case 5: bytes.removeSubrange(start...)
        case 6:
            let piece = Array(bytes[start..<end])
            for _ in 0..<[1, 2, 40, 400][random.next(below: 4)] { bytes.insert(contentsOf: piece, at: start) }
        default:
            let other = samples[random.next(below: samples.count)]
            bytes.replaceSubrange(start..., with: other.suffix(random.next(below: other.count + 1)))
        }
    }

    private static func threadSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func residentBytesMax() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }
}
