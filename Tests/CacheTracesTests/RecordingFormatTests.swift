import CacheCore
import CacheTraces
import Foundation
import Testing
import _CacheTestSupport

/// Recordings written from `docs/recording.md`, without the recorder.
private enum Recording {
    static func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc >> 1 ^ (crc & 1 == 0 ? 0 : 0xedb8_8320) }
        }
    }

    static func header(number: UInt64 = 1, secret: UInt64 = 5, tenants: Bool = false) -> [UInt8] {
        let header: [UInt8] =
            [0x8a, 0x43, 0x52, 0x45, 0x43, 0x0d, 0x0a, 0x1a, 1, tenants ? 1 : 0, 0, 0, 0, 0, 0, 0]
            + bytes(number.littleEndian, 0, secret.littleEndian) + [0, 0, 0, 0]
        return header + bytes(crc(header).littleEndian)
    }

    static func block(_ requests: [UInt8], count: Int, lost: UInt64 = 0, time: UInt64 = 1_000_000) -> [UInt8] {
        let header: [UInt8] =
            [0x8b, 0x42, 0x4c, 0x4b]
            + bytes(UInt32(requests.count).littleEndian, UInt32(count).littleEndian, crc(requests).littleEndian)
            + bytes(lost.littleEndian, time.littleEndian)
        return header + bytes(crc(header).littleEndian) + requests
    }

    /// A read of a key without anything else.
    static func read(_ key: UInt64) -> [UInt8] { [0, 0] + bytes(key.littleEndian) }
}

/// Takes what is read, and goes on after damage.
private struct SkippingSink: TraceSink {
    var keys: [UInt64] = []
    var sizes: [UInt64?] = []
    var errors: [AssayError] = []
    var notes: [String] = []

    mutating func append(integer key: UInt64, _ attributes: RequestAttributes) {
        keys.append(key)
        sizes.append(attributes.sizeBytes)
    }
    mutating func append(bytes key: UnsafeRawBufferPointer, _ attributes: RequestAttributes) {}
    mutating func refuse(_ error: AssayError) { errors.append(error) }
    mutating func note(_ text: String) { notes.append(text) }

    static func read(_ bytes: [UInt8]) throws -> SkippingSink {
        var sink = SkippingSink()
        let format = try TraceFormatSelection(parsing: "recording")
        // Buffers as short as can be, so that everything lies across their ends.
        var position = 0
        var input = ByteStream(name: "input", bufferBytes: 16) { (buffer) throws(AssayError) in
            let count = min(buffer.count, bytes.count - position, 7)
            for index in 0..<count { buffer[index] = bytes[position + index] }
            position += count
            return count
        }
        try format.entry.makeFormat(format.parameters).read(&input, into: &sink)
        return sink
    }
}

@Suite struct RecordingFormatTests {
    private static let blocks = (1...4).map { Recording.block(Recording.read($0), count: 1) }

    @Test func `what comes after a damaged block is read where damage is skipped`() throws {
        let whole = Recording.header() + Self.blocks.joined()
        let (start, end) = (48 + Self.blocks[0].count, 48 + 2 * Self.blocks[0].count)
        for place in start..<end {
            var bytes = whole
            bytes[place] ^= 0x10
            let sink = try SkippingSink.read(bytes)
            #expect(sink.keys == [1, 3, 4])
            #expect(sink.errors.map { $0.location?.offsetBytes } == [start] && sink.notes == [])
            #expect(assayError { () throws(AssayError) in _ = try records("recording", bytes) }?.code == .badInput)
        }
    }

    @Test func `a file that is cut off before another one is noted, wherever it is cut`() throws {
        let first = Recording.header() + Self.blocks[0] + Self.blocks[1]
        let second = Recording.header(number: 2) + Self.blocks[2]
        for end in first.count - Self.blocks[1].count..<first.count {
            let isWhole = end == first.count - Self.blocks[1].count
            let sink = try SkippingSink.read(first[..<end] + second)
            #expect(sink.keys == [1, 3] && sink.errors.isEmpty && sink.notes.count == (isWhole ? 0 : 1), "\(end)")
        }
    }

    @Test func `a request without a size takes the one that a later request for its key states, if it comes soon`()
        throws
    {
        let window = 65_536
        for (others, isSoon) in [(0, true), (window - 2, true), (window - 1, true), (window, false)] {
            let written: [UInt8] = [0x21, 0] + bytes(UInt64(7).littleEndian) + [0x64]
            let requests =
                [Recording.read(7), Recording.read(7)] + (0..<others).map { Recording.read(100 + UInt64($0)) } + [
                    written
                ]
            let blocks = stride(from: 0, to: requests.count, by: 5000).map { start in
                let part = requests[start..<min(start + 5000, requests.count)]
                return Recording.block(Array(part.joined()), count: part.count)
            }
            let sink = try SkippingSink.read(Recording.header() + blocks.joined())
            let between = Array(100..<100 + UInt64(others))
            #expect(sink.keys == [7, 7] + between + [7], "\(others)")
            let first: UInt64 = others < window - 1 ? 100 : 0
            #expect([sink.sizes[0], sink.sizes[1], sink.sizes.last] == [first, isSoon ? 100 : 0, 100], "\(others)")
            let unknown = others + (first == 0 ? 1 : 0) + (isSoon ? 0 : 1)
            #expect(sink.notes.map { $0.prefix { $0 != " " } } == (unknown > 0 ? ["\(unknown)"] : []))
        }
    }

    @Test func `lost requests add up`() throws {
        let bytes =
            Recording.header() + Recording.block([], count: 0, lost: .max) + Recording.block([], count: 0, lost: 2)
        #expect(try SkippingSink.read(bytes).notes.first?.hasPrefix("The recorder lost \(UInt64.max) requests") == true)
    }

    @Test func `requests that no recorder writes are refused`() throws {
        let key = bytes(UInt64(1).littleEndian)
        let ten = [UInt8](repeating: 0xff, count: 9)
        let malformed: [(what: String, requests: [UInt8], time: UInt64)] = [
            ("operation 3", [3, 0] + key, 0), ("outcome 5", [5 << 2, 0] + key, 0), ("bit 7", [0x80, 0] + key, 0),
            ("a short key", [0, 0, 1], 0), ("no time", [0], 0), ("a size of 65 bits", [0x20, 0] + key + ten + [2], 0),
            ("a time to live of 0", [0x40, 0] + key + [0], 0),
            ("a time to live of 2^40", [0x40, 0] + key + [0x80, 0x80, 0x80, 0x80, 0x80, 0x20], 0),
            ("a time that runs over", [0, 1] + key, .max),
            ("a time beyond 64 bits of nanoseconds", [0, 0] + key, .max / 1000),
            ("more bytes", [0, 0] + key + [0], 0),
        ]
        for (what, requests, time) in malformed {
            let sink = try SkippingSink.read(
                Recording.header() + Recording.block(requests, count: 1, time: time) + Self.blocks[1])
            #expect(sink.errors.count == 1 && sink.keys.last == 2, "\(what)")
        }
        let tenant = Recording.header(tenants: true) + Recording.block([0, 0] + key + [0x80, 0x80, 4], count: 1)
        #expect(try SkippingSink.read(tenant).errors.count == 1)
    }

    @Test func `files of which one has tenants are not one trace`() throws {
        let bytes = Recording.header() + Self.blocks[0] + Recording.header(number: 2, tenants: true)
        #expect(throws: AssayError.self) { try SkippingSink.read(bytes) }
    }

    @Test func `no file traps, hangs or fills memory`() throws {
        let samples = try ["each-kind", "rotated"].map {
            [UInt8](try Data(contentsOf: URL(filePath: "\(FormatFixture.folder)/recording/\($0).recording")))
        }
        try Fuzzer("recording", samples: samples).run { _ = try? SkippingSink.read($0) }
    }

    /// Damage that the checksums see goes no further; here they are right, as whoever writes a file means to.
    @Test func `no block traps, hangs or fills memory`() throws {
        let key = bytes(UInt64(1).littleEndian)
        let requests: [UInt8] =
            [0x6c, 3] + key + [0x80, 0x20, 0x90, 0x4e, 7] + [0, 0] + key + [0] + [1, 0xff, 1] + key + [3]
        try Fuzzer("recording-block", samples: [requests]).run { content in
            let content = Array(content.prefix(1 << 16))
            for tenants in [false, true] {
                let block = Recording.block(content, count: 3) + Recording.block(content, count: .max >> 31)
                _ = try? SkippingSink.read(Recording.header(tenants: tenants) + block)
            }
        }
    }
}
