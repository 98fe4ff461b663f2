import CacheCore
import CacheEngine
import CachePolicies
import CacheStorage
import CacheSystems
import CacheSystemsPackages
import Foundation
import Testing
import _CacheTestSupport

/// A zip archive made byte by byte, which may say of itself what no tool would.
struct MadeZip {
    struct File {
        var name: [UInt8]
        var content: [UInt8]
        /// What the directory says, where that is not the truth.
        var bytes: Int?
        var checksum: UInt32?
        var method: UInt16 = 0
        var flags: UInt16 = 0
        /// The type and the rights of Unix.
        var mode: UInt32 = 0o100644
        /// Where it is, if it is inside of another.
        var offset: Int?

        init(_ name: String, _ content: String = "", mode: UInt32 = 0o100644) {
            self.name = Array(name.utf8)
            self.content = Array(content.utf8)
            self.mode = mode
        }
    }

    var files: [File]

    init(_ files: [File]) { self.files = files }

    /// A package with these lines for a manifest.
    init(manifest: String, _ files: [File]) { self.files = [File("manifest.afcache", manifest)] + files }

    var data: [UInt8] {
        var out: [UInt8] = []
        var directory: [UInt8] = []
        for file in files {
            let offset = file.offset ?? out.count
            if file.offset == nil { out += Self.local(file) }
            let head = Self.four(0x0201_4B50) + Self.two(3 << 8 | 20) + Self.common(file)
            directory += head + [UInt8](repeating: 0, count: 6)
            directory += Self.four(file.mode << 16) + Self.four(UInt32(offset)) + file.name
        }
        let count = Self.two(UInt16(files.count))
        let sizes = Self.four(UInt32(directory.count)) + Self.four(UInt32(out.count))
        let end = Self.four(0x0605_4B50) + [0, 0, 0, 0] + count + count
        return out + directory + end + sizes + [0, 0]
    }

    /// A file as it is in the archive, with what is before it.
    static func local(_ file: File) -> [UInt8] { four(0x0403_4B50) + common(file) + file.name + file.content }

    private static func common(_ file: File) -> [UInt8] {
        let head = two(20) + two(file.flags) + two(file.method) + [0, 0, 33, 0]
        let sizes = four(UInt32(file.content.count)) + four(UInt32(file.bytes ?? file.content.count))
        return head + four(file.checksum ?? crc(file.content)) + sizes + two(UInt16(file.name.count)) + [0, 0]
    }

    func write(in directory: TemporaryDirectory, _ name: String = "made.zip") throws -> String {
        let path = "\(directory.path)/\(name)"
        try Data(data).write(to: URL(filePath: path))
        return path
    }

    private static func two(_ number: UInt16) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }
    private static func four(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    static func crc(_ bytes: [UInt8]) -> UInt32 {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}

/// Somebody who is never asked.
struct NoOrigin: HTTPOrigin {
    struct Asked: Error {}
    func respond(to request: HTTPRequest) async throws -> HTTPResponse { throw Asked() }
}

func url(_ text: String) throws -> HTTPURL { try #require(HTTPURL(text)) }

/// A cache over files. Bodies above 100 bytes have files of their own.
func packageCache(
    in directory: String, clock: any CacheClock = VirtualClock(), storage: (any StorageBackend)? = nil,
    _ change: (inout HTTPCacheOptions) -> Void = { _ in }
) throws -> HTTPCache {
    var options = HTTPCacheOptions("test")
    options.bodyDirectory = directory + "/bodies"
    options.inlineBytesMax = 100
    options.clock = clock
    change(&options)
    let lru = try #require(BuiltinPolicies.all.first { $0.descriptor.name == "lru" })
    let files = try storage ?? BackendEntry(FileStorage.self).open(directory: directory + "/records")
    return try HTTPCache(options, policy: lru, storage: files, origin: NoOrigin())
}

/// Bytes that follow from a number.
func madeBytes(_ seed: Int, _ count: Int) -> [UInt8] {
    var random = SeededGenerator(seed: UInt64(seed))
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
}

/// The error of something that is to be refused.
func refusal(_ body: () throws -> Void) -> AssayError? {
    do { try body() } catch { return error as? AssayError }
    return nil
}
