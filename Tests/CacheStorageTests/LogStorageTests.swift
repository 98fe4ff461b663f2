import CacheConformance
import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheStorage

/// What is special about a log: compaction, recovery with and without hints, removals that outlive both.
@Suite("Log storage")
struct LogStorageTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    static func open(_ path: String, _ parameters: String = "") throws -> LogStorage {
        let values = try ParameterValues(parsing: parameters, for: LogStorage.descriptor.parameters, of: "log")
        return try LogStorage(BackendConfiguration(directory: path, parameters: values))
    }

    private static func key(_ number: Int) -> [UInt8] { Array("key-\(number)".utf8) }

    private func bytes() throws -> Int {
        try directory.files().filter { $0.hasSuffix(".seg") }.reduce(0) { sum, file in
            try sum + Data(contentsOf: URL(filePath: file)).count
        }
    }

    private func files(_ suffix: String) -> [String] { directory.files().filter { $0.hasSuffix(suffix) } }

    @Test(arguments: [1.1, 2.0, 5.0])
    func `the segments stay within the amplification that was asked for`(amplification: Double) throws {
        let store = try Self.open(directory.path, "segment-bytes=65536,amplification-max=\(amplification)")
        var random = SeededGenerator(seed: 3)
        let liveBytes = 500 * LogRecord.byteCount(keyBytes: 6, valueBytes: 1_000)
        for step in 0..<6_000 {
            let number = random.next(below: 500)
            try store.put(StoredEntry([UInt8](repeating: UInt8(step & 0xFF), count: 1_000)), for: Self.key(number))
            if step % 500 == 499 {
                #expect(try Double(bytes()) <= amplification * Double(liveBytes + 2_000) + Double(256 << 10) + 66_000)
            }
        }
    }

    @Test func `a removal survives compaction and reopening for as long as the value does`() throws {
        let parameters = "segment-bytes=65536,amplification-max=1.1"
        var store = try Self.open(directory.path, parameters)
        var model: [[UInt8]: StoredEntry] = [:]
        var random = SeededGenerator(seed: 9)
        for step in 0..<9_000 {
            let key = Self.key(random.next(below: 400))
            if random.next(below: 3) == 0 {
                #expect(try store.remove(key) == (model.removeValue(forKey: key) != nil))
            } else {
                let entry = StoredEntry([UInt8](repeating: UInt8(step & 0xFF), count: random.next(below: 2_000)))
                try store.put(entry, for: key)
                model[key] = entry
            }
            if step % 1_500 == 1_499 {
                try store.close()
                // With the hints and without them, from the records alone.
                if step > 4_000 { for file in files(".hint") { try FileManager.default.removeItem(atPath: file) } }
                store = try Self.open(directory.path, parameters)
                #expect(try Set(store.keys()) == Set(model.keys))
                for (key, entry) in model { #expect(try store.get(key) == entry) }
            }
        }
        try store.close()
    }

    @Test func `opening with hints reads no values`() throws {
        var store = try Self.open(directory.path, "segment-bytes=65536")
        for number in 0..<300 { try store.put(StoredEntry([UInt8](repeating: 1, count: 1_000)), for: Self.key(number)) }
        try store.close()
        #expect(files(".hint").count == files(".seg").count)
        // What is not read is not missed: the files are emptied, and the keys are known all the same.
        for file in files(".seg") { try Data().write(to: URL(filePath: file)) }
        store = try Self.open(directory.path, "segment-bytes=65536")
        #expect(try store.count() == 300)
        let error = #expect(throws: StoreError.self) { try store.get(Self.key(7)) }
        #expect(error?.code == .corrupt)
        #expect(try store.get(Self.key(7)) == nil)
        try store.put(StoredEntry([2]), for: Self.key(7))
        try store.close()
        #expect(try Self.open(directory.path).get(Self.key(7)) == StoredEntry([2]))
    }

    @Test func `a torn tail is cut off and what follows is appended in its place`() throws {
        var store: LogStorage? = try Self.open(directory.path)
        for number in 0..<5 { try store?.put(StoredEntry([UInt8](repeating: 9, count: 100)), for: Self.key(number)) }
        // Let go without closing: no hint is written, as after a kill.
        store = nil
        let file = try #require(files(".seg").first)
        let whole = try Data(contentsOf: URL(filePath: file))
        let recordBytes = LogRecord.byteCount(keyBytes: 5, valueBytes: 100)
        for length in whole.count - recordBytes..<whole.count {
            for file in files(".hint") { try FileManager.default.removeItem(atPath: file) }
            try whole.prefix(length).write(to: URL(filePath: file))
            let store = try Self.open(directory.path)
            // The last bytes of a record may be what rounds it up to a multiple of eight.
            let isWhole = length >= (recordBytes * 4 + LogRecord.headerBytes + 105)
            #expect(try store.count() == (isWhole ? 5 : 4), "cut to \(length)")
            try store.put(StoredEntry([1]), for: [1])
            #expect(try store.get([1]) == StoredEntry([1]))
            for number in 0..<4 { #expect(try store.get(Self.key(number))?.value.count == 100) }
            _ = try store.remove([1])
            try store.close()
        }
    }

    @Test func `with durability exit records wait in memory until the store is flushed or closed`() throws {
        let store = try Self.open(directory.path, "durability=exit")
        try store.put(StoredEntry([1, 2, 3]), for: [1])
        #expect(try bytes() == 0)
        #expect(try store.get([1]) == StoredEntry([1, 2, 3]))
        try store.flush()
        #expect(try bytes() > 0)
        try store.put(StoredEntry([4]), for: [2])
        try store.close()
        #expect(try Self.open(directory.path).get([2]) == StoredEntry([4]))
    }

    @Test func `a second store in the same directory is refused`() throws {
        let store = try Self.open(directory.path)
        let error = #expect(throws: StoreError.self) { try Self.open(directory.path) }
        #expect(error?.code == .unavailable)
        try store.close()
        _ = try Self.open(directory.path)
    }

    /// Where header and mark of a record are gone, nothing tells which key it was about.
    @Test func `a hole before later records takes everything that is older`() throws {
        var store: LogStorage? = try Self.open(directory.path)
        for number in 0..<4 { try store?.put(StoredEntry([UInt8(number)]), for: Self.key(number)) }
        _ = try store?.remove(Self.key(0))
        try store?.put(StoredEntry([9]), for: Self.key(9))
        store = nil
        let file = try #require(files(".seg").first)
        var data = try Data(contentsOf: URL(filePath: file))
        let recordBytes = LogRecord.byteCount(keyBytes: 5, valueBytes: 1)
        let removal = 4 * recordBytes
        data.replaceSubrange(removal..<removal + LogRecord.headerBytes, with: Data(count: LogRecord.headerBytes))
        try data.write(to: URL(filePath: file))
        for turn in 1...3 {
            let store = try Self.open(directory.path)
            #expect(try store.keys() == [Self.key(9)])
            for number in 0..<4 { #expect(try store.get(Self.key(number)) == nil) }
            // Without closing at first, so that there is no hint.
            if turn > 1 { try store.close() }
        }
    }

    @Test func `a store of the first version opens, is written, and loses nothing`() throws {
        var bytes: [UInt8] = []
        let records: [(key: UInt8, value: [UInt8]?)] = [(1, [7, 7]), (2, [8]), (1, nil), (3, [])]
        for (key, written) in records {
            let (place, value) = (LogPlace(segment: 1, offset: bytes.count), written ?? [])
            var record = value.withRawBytes { LogRecord(putting: $0, keyBytes: 1, expiry: 5) }
            if written == nil { record = LogRecord(removing: 1) }
            record.isFirst = true
            bytes += [key].withRawBytes { record.prefix($0, at: place) } + value
            bytes += [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8)
        }
        #expect(bytes.starts(with: "ALR1".utf8))
        try Data(bytes).write(to: URL(filePath: directory.path + "/00000001.seg"))
        for turn in UInt8(1)...3 {
            let store = try Self.open(directory.path)
            #expect(try store.get([1]) == nil)
            #expect(try store.get([2]) == StoredEntry([8], expiresAtNanoseconds: 5))
            #expect(try store.get([3]) == StoredEntry([], expiresAtNanoseconds: 5))
            #expect(try store.count() == Int(turn) + 1)
            try store.put(StoredEntry([turn]), for: [100 + turn])
            try store.close()
        }
    }

    @Test func `a record is bound to its place`() throws {
        let record = LogRecord(removing: 1)
        let bytes = [UInt8](arrayLiteral: 5).withRawBytes { record.prefix($0, at: LogPlace(segment: 3, offset: 64)) }
        bytes.withRawBytes {
            #expect(LogRecord(reading: $0, at: LogPlace(segment: 3, offset: 64)) == record)
            #expect(LogRecord(reading: $0, at: LogPlace(segment: 3, offset: 72)) == nil)
            #expect(LogRecord(reading: $0, at: LogPlace(segment: 4, offset: 64)) == nil)
        }
    }
}
