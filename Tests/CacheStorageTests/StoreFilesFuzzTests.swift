import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheStorage

/// Files of stores that are anything at all: no bytes trap a reader, and what is answered is an entry, nothing or a typed error.
@Suite("Store files, fuzzed")
struct StoreFilesFuzzTests {
    private static let keys: [[UInt8]] = [[], [1], Array("key".utf8), [UInt8](repeating: 7, count: 300)]

    /// A closed store with overwritten and removed entries.
    private static func fill(_ store: any StorageBackend) throws {
        for turn in 0..<3 {
            for (index, key) in keys.enumerated() {
                try store.put(
                    StoredEntry([UInt8](repeating: UInt8(turn), count: 90 * index), expiresAtNanoseconds: Int64(turn)),
                    for: key)
            }
        }
        _ = try store.remove(keys[1])
        try store.close()
    }

    private static func use(_ store: any StorageBackend) throws {
        for key in try store.keys() + keys { _ = try? store.get(key) }
        try store.put(StoredEntry([1, 2]), for: [9])
        #expect(try store.get([9]) == StoredEntry([1, 2]))
        _ = try store.remove([9])
        try store.close()
    }

    private static func contents(of directory: TemporaryDirectory, _ suffix: String) throws -> (
        name: String, bytes: [UInt8]
    ) {
        let file = try #require(directory.files().first { $0.hasSuffix(suffix) })
        return (URL(filePath: file).lastPathComponent, [UInt8](try Data(contentsOf: URL(filePath: file))))
    }

    @Test(arguments: [("log", ".seg"), ("log", ".hint"), ("mmap", ".map")])
    func `a store with any bytes in a file opens or is refused`(name: String, suffix: String) throws {
        let original = try TemporaryDirectory()
        func open(_ path: String) throws -> any StorageBackend {
            name == "log" ? try LogStorageTests.open(path) : try MmapStorageTests.open(path, "grow-bytes=4096")
        }
        try Self.fill(open(original.path))
        let sample = try Self.contents(of: original, suffix)
        let others = try original.files().filter { $0.hasSuffix(".seg") && suffix == ".hint" }.map { file in
            (URL(filePath: file).lastPathComponent, try Data(contentsOf: URL(filePath: file)))
        }
        let directory = try TemporaryDirectory()
        let fuzzer = Fuzzer("\(name)\(suffix)", samples: [sample.bytes], fragments: ["ALR1", "ALR2", "ALH1", "ASM1"])
        try fuzzer.run { bytes in
            for file in directory.files() { try FileManager.default.removeItem(atPath: file) }
            for (name, data) in others { try data.write(to: URL(filePath: "\(directory.path)/\(name)")) }
            var bytes = bytes
            // Half of the hints have a checksum that is right.
            if suffix == ".hint", bytes.count >= 32, bytes.count % 2 == 0 { Self.sealHint(&bytes) }
            try Data(bytes).write(to: URL(filePath: "\(directory.path)/\(sample.name)"))
            try Self.use(open(directory.path))
        }
    }

    private static func sealHint(_ bytes: inout [UInt8]) {
        withUnsafeBytes(of: UInt64(bytes.count - 32).littleEndian) { bytes.replaceSubrange(16..<24, with: $0) }
        var checksum = Checksum64()
        bytes[..<24].withUnsafeBytes { checksum.absorb($0) }
        Array(bytes[32...]).withUnsafeBytes { checksum.absorb($0) }
        withUnsafeBytes(of: checksum.value.littleEndian) { bytes.replaceSubrange(24..<32, with: $0) }
    }

    /// Heads whose checksums are right and whose numbers are not.
    @Test func `records of any lengths trap nobody`() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            let key = Self.keys[random.next(below: Self.keys.count)]
            var record = LogRecord(removing: key.count, isFirst: random.next(below: 2) == 0)
            record.valueBytes = [0, 1, 4_000, Int(UInt32.max)][random.next(below: 4)]
            if random.next(below: 2) == 0 { record.kind = .put }
            let place = LogPlace(segment: 1, offset: 8 * random.next(below: 3))
            var bytes = [UInt8](repeating: 0, count: place.offset) + key.withRawBytes { record.prefix($0, at: place) }
            bytes += [UInt8](repeating: 0, count: random.next(below: 200))
            if random.next(below: 2) == 0 { bytes[place.offset + random.next(below: 40)] ^= 4 }
            let result = bytes.withRawBytes { LogScan.records(in: $0, of: 1, from: 0) }
            #expect(result.items.count <= 1 && result.end <= bytes.count + 7)
        }
    }

    @Test func `any bytes are an entry's file or not`() throws {
        let samples = Self.keys.map { key in
            FileEnvelope.prefix(of: StoredEntry([1, 2, 3], expiresAtNanoseconds: 4), key: key) + [1, 2, 3]
        }
        try Fuzzer("file-envelope", samples: samples, fragments: ["ASF1"]).run { bytes in
            _ = bytes.withUnsafeBytes { FileEnvelope.read($0) }
        }
    }

    @Test func `any bytes are a value in an envelope or not`() throws {
        let samples = Self.keys.map {
            ValueEnvelope.bytes(of: StoredEntry([1, 2, 3], expiresAtNanoseconds: 4), key: $0)
        }
        try Fuzzer("value-envelope", samples: samples).run { bytes in
            for key in Self.keys { _ = bytes.withRawBytes { ValueEnvelope.entry(in: $0, key: key) } }
        }
    }
}
