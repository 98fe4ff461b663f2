import CacheConformance
import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheStorage

/// What is special about a mapped file: its allocator, its capacity, two chunks under one key.
@Suite("Mapped storage")
struct MmapStorageTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    static func open(_ path: String, _ parameters: String = "") throws -> MmapStorage {
        let values = try ParameterValues(parsing: parameters, for: MmapStorage.descriptor.parameters, of: "mmap")
        return try MmapStorage(BackendConfiguration(directory: path, parameters: values))
    }

    private static func key(_ number: Int) -> [UInt8] { Array("key-\(number)".utf8) }

    @Test func `random operations near the capacity agree with a dictionary`() throws {
        let parameters = "capacity-bytes=400000,grow-bytes=4096"
        var store = try Self.open(directory.path, parameters)
        var model: [[UInt8]: StoredEntry] = [:]
        var random = SeededGenerator(seed: 11)
        var refused = 0
        for step in 0..<12_000 {
            let key = Self.key(random.next(below: 150))
            switch random.next(below: 10) {
            case 0..<4: #expect(try store.remove(key) == (model.removeValue(forKey: key) != nil))
            case 4..<9:
                let size = random.next(below: step % 2_000 < 1_000 ? 500 : 9_000)
                let entry = StoredEntry([UInt8](repeating: UInt8(step & 0xFF), count: size))
                do throws(StoreError) {
                    try store.put(entry, for: key)
                    model[key] = entry
                } catch {
                    #expect(error.code == .full)
                    model[key] = nil
                    refused += 1
                }
            default: #expect(try store.get(key) == model[key])
            }
            if step % 3_000 == 2_999 {
                try store.close()
                store = try Self.open(directory.path, parameters)
                #expect(try Set(store.keys()) == Set(model.keys))
                for (key, entry) in model { #expect(try store.get(key) == entry) }
            }
        }
        #expect(refused > 0)
        #expect(refused < 6_000)
    }

    @Test func `space in pieces is joined for a large value`() throws {
        let store = try Self.open(directory.path, "capacity-bytes=1000000")
        var count = 0
        while (try? store.put(StoredEntry([UInt8](repeating: 1, count: 1_000)), for: Self.key(count))) != nil {
            count += 1
        }
        #expect(count > 850)
        for number in 0..<count { _ = try store.remove(Self.key(number)) }
        try store.put(StoredEntry([UInt8](repeating: 2, count: 900_000)), for: [1])
        #expect(try store.get([1])?.value.count == 900_000)
    }

    @Test func `of two entries under one key the later one counts, and the other's space is free`() throws {
        let region = try MappedRegion(FileSystem.characters(directory.path + "/map"), capacity: 1 << 20)
        var table = try MappedTable(region, growBytes: 4_096, isSynchronised: false)
        let key: [UInt8] = [1, 2, 3]
        try key.withRawBytes { (key) throws(StoreError) in
            try table.put(StoredEntry([1]), key)
            try table.put(StoredEntry([2]), key)
        }
        // What a kill leaves between the two stores that end a put: the old entry again.
        let old = table.chunk(UInt32(MappedTable.firstUnit))
        #expect(old.isFree)
        key.withRawBytes { key in [UInt8(1)].withRawBytes { old.prepare(key, $0, expiry: nil, sequence: 1) } }
        old.commit()
        var again = try MappedTable(region, growBytes: 4_096, isSynchronised: false)
        try key.withRawBytes { (key) throws(StoreError) in #expect(try again.entry(key) == StoredEntry([2])) }
        #expect(again.index.count == 1)
        #expect(old.isFree)
    }

    @Test func `a file of another kind is a typed error`() throws {
        try Data(repeating: 0x5A, count: 8_192).write(to: URL(filePath: directory.path + "/cache.map"))
        let error = #expect(throws: StoreError.self) { try Self.open(directory.path) }
        #expect(error?.code == .corrupt)
    }

    /// A power cut before the first page was on the device: sync=none promises nothing then, but the rest is there.
    @Test func `a file whose first page was lost opens with every entry that is sound`() throws {
        var store = try Self.open(directory.path)
        for number in 0..<200 { try store.put(StoredEntry([UInt8(number)]), for: Self.key(number)) }
        try store.close()
        let file = URL(filePath: directory.path + "/cache.map")
        let whole = try Data(contentsOf: file)
        for lost in [0..<4_096, 0..<8_192, 0..<whole.count] {
            var data = whole
            data.replaceSubrange(lost, with: Data(count: lost.count))
            try data.write(to: file)
            for turn in 1...2 {
                store = try Self.open(directory.path)
                let count = try store.count()
                #expect(lost.upperBound == 4_096 ? count >= 199 + turn : count < 200, "\(lost)")
                for number in 0..<200 {
                    let entry = try store.get(Self.key(number))
                    #expect(entry == nil || entry == StoredEntry([UInt8(number)]))
                }
                try store.put(StoredEntry([1]), for: [1])
                #expect(try store.get([1]) == StoredEntry([1]))
                try store.close()
            }
        }
    }

    @Test(arguments: [(0, 0x42), (3, 0x32), (40, 1)] as [(Int, UInt8)])
    func `a file of another program or version is refused and left as it is`(place: Int, byte: UInt8) throws {
        let store = try Self.open(directory.path)
        if place != 40 { try store.put(StoredEntry([1]), for: [1]) }
        try store.close()
        let file = URL(filePath: directory.path + "/cache.map")
        var data = try Data(contentsOf: file)
        data[place] = byte
        // Another program's file has no chunk of ours; another version's may have.
        if place == 0 { data = data.prefix(4_096) }
        if place == 40 { data = data.prefix(100); data.replaceSubrange(0..<8, with: Data(count: 8)) }
        try data.write(to: file)
        let error = #expect(throws: StoreError.self) { try Self.open(directory.path) }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("delete") == false)
        #expect(try Data(contentsOf: file) == data)
    }

    @Test func `a file that is cut while it is open ends the process with a message and not by a signal`() async throws
    {
        let result = await #expect(processExitsWith: .exitCode(74), observing: [\.standardErrorContent]) {
            [path = directory.path as String] in
            let store = try Self.open(path)
            try store.put(StoredEntry([1]), for: [1])
            let file = try FileHandle(forUpdating: URL(filePath: path + "/cache.map"))
            try file.truncate(atOffset: 0)
            _ = try store.get([1])
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("\(directory.path)/cache.map: the file was cut short"), "\(words)")
    }

    @Test func `clearing gives the blocks back`() throws {
        let store = try Self.open(directory.path)
        for number in 0..<100 {
            try store.put(StoredEntry([UInt8](repeating: 1, count: 50_000)), for: Self.key(number))
        }
        try store.removeAll()
        #expect(try Data(contentsOf: URL(filePath: directory.path + "/cache.map")).count == 4_096)
    }

    @Test func `a second store in the same directory is refused`() throws {
        let store = try Self.open(directory.path)
        let error = #expect(throws: StoreError.self) { try Self.open(directory.path) }
        #expect(error?.code == .unavailable)
        try store.close()
        _ = try Self.open(directory.path)
    }
}
