import CacheConformance
import CacheCore
import Testing
import _CacheTestSupport

@testable import CacheStorage

/// Memory of the slab: overhead, reuse, giving back, the limit; and a table against a dictionary.
@Suite("Slab storage")
struct SlabStorageTests {
    static func open(_ parameters: String = "") throws -> SlabStorage {
        let values = try ParameterValues(parsing: parameters, for: SlabStorage.descriptor.parameters, of: "slab")
        return try SlabStorage(BackendConfiguration(directory: nil, parameters: values))
    }

    private static func key(_ number: Int) -> [UInt8] { Array("key-\(number)".utf8) }

    @Test(arguments: ["", "growth-factor=1.05", "shards=4", "page-bytes=4096"])
    func `random operations agree with a dictionary`(parameters: String) throws {
        let store = try Self.open(parameters)
        var model: [[UInt8]: StoredEntry] = [:]
        var random = SeededGenerator(seed: 5)
        for step in 0..<20_000 {
            let key = Self.key(random.next(below: 300))
            switch random.next(below: 100) {
            case 0 where step % 7 == 0:
                try store.removeAll()
                model = [:]
            case 0..<30:
                #expect(try store.remove(key) == (model.removeValue(forKey: key) != nil))
            case 30..<70:
                let size = random.next(below: 4) == 0 ? random.next(below: 20_000) : random.next(below: 200)
                let entry = StoredEntry(
                    [UInt8](repeating: UInt8(step & 0xFF), count: size),
                    expiresAtNanoseconds: step % 3 == 0 ? Int64(step) : nil)
                try store.put(entry, for: key)
                model[key] = entry
            default:
                #expect(try store.get(key) == model[key])
            }
        }
        #expect(try store.count() == model.count)
        #expect(try Set(store.keys()) == Set(model.keys))
        for (key, entry) in model { #expect(try store.get(key) == entry) }
    }

    @Test(arguments: [8, 100, 1_000])
    func `an entry takes few bytes beside its key and value`(valueBytes: Int) throws {
        let store = try Self.open()
        let empty = store.byteCount
        var payload = 0
        for number in 0..<50_000 {
            let key = Self.key(number)
            try store.put(StoredEntry([UInt8](repeating: 1, count: valueBytes)), for: key)
            payload += key.count + valueBytes
        }
        let overhead = Double(store.byteCount - empty - payload) / 50_000
        // Lengths, index, and the unused part of a chunk, as the documentation says.
        #expect(overhead > 0)
        #expect(overhead <= 3 + 9.4 + 15 + 0.25 * Double(valueBytes + 12) + 8, "\(overhead)")
    }

    @Test func `freed chunks are used again and emptied pages are given back`() throws {
        let store = try Self.open()
        let empty = store.byteCount
        for number in 0..<2_000 { try store.put(StoredEntry([UInt8](repeating: 1, count: 500)), for: Self.key(number)) }
        let full = store.byteCount
        for round in 0..<20 {
            for number in 0..<2_000 {
                _ = try store.remove(Self.key(number))
                try store.put(StoredEntry([UInt8](repeating: UInt8(round), count: 500)), for: Self.key(number))
            }
        }
        #expect(store.byteCount == full)
        for number in 0..<2_000 { _ = try store.remove(Self.key(number)) }
        #expect(store.byteCount < full / 10)
        for number in 0..<2_000 { try store.put(StoredEntry([UInt8](repeating: 1, count: 90)), for: Self.key(number)) }
        #expect(store.byteCount < full / 3, "pages of one size serve another")
        try store.put(StoredEntry([UInt8](repeating: 1, count: 100_000)), for: [1])
        try store.removeAll()
        #expect(store.byteCount == empty)
    }

    @Test func `the limit of memory is a typed error and is kept`() throws {
        let store = try Self.open("memory-bytes-max=1000000")
        var failure: StoreError?
        for number in 0..<10_000 where failure == nil {
            do throws(StoreError) {
                try store.put(StoredEntry([UInt8](repeating: 1, count: 1_000)), for: Self.key(number))
            } catch { failure = error }
        }
        #expect(failure?.code == .full)
        #expect(store.byteCount <= 1_000_000)
        #expect(throws: StoreError.self) {
            try store.put(StoredEntry([UInt8](repeating: 2, count: 500_000)), for: Self.key(0))
        }
        #expect(try store.get(Self.key(0)) == nil, "a failed overwrite leaves no old value")
        #expect(try store.get(Self.key(1))?.value == [UInt8](repeating: 1, count: 1_000))
        try store.removeAll()
        try store.put(StoredEntry([UInt8](repeating: 2, count: 500_000)), for: Self.key(0))
    }
}
