import CacheCore
import CacheEngine
import CacheStorage
import Testing

@Suite("A limit and a policy over any backend")
struct BoundedStorageTests {
    static func make(_ capacity: Capacity, _ storage: any StorageBackend, policy: String = "lru") throws
        -> BoundedStorage
    {
        try BoundedStorage(capacity, policy: ReplayTests.entry(policy), over: storage)
    }

    @Test(arguments: ["lru", "s3fifo", "gdsf"])
    func `it never holds more than its limit, and what it holds is whole`(_ policy: String) throws {
        let storage = FaultyStorage()
        let bounded = try Self.make(.bytes(300), storage, policy: policy)
        var generator = SeededGenerator(seed: 9)
        for step in 0..<2000 {
            let key = [UInt8(generator.next(below: 60))]
            switch generator.next(below: 4) {
            case 0: if let entry = try bounded.get(key) { #expect(entry.value.allSatisfy { $0 == key[0] }) }
            case 1: _ = try bounded.remove(key)
            default:
                let value = [UInt8](repeating: key[0], count: generator.next(below: 40))
                try bounded.put(StoredEntry(value, expiresAtNanoseconds: Int64(step)), for: key)
            }
            let held = storage.entries.reduce(0) { $0 + $1.key.count + $1.value.value.count }
            #expect(held <= 300 && held == bounded.weight)
            #expect(try Set(bounded.keys()) == Set(storage.entries.keys) && bounded.count() == storage.entries.count)
        }
    }

    @Test func `reads decide who stays, and the moment of expiry travels with the entry`() throws {
        let bounded = try Self.make(.objects(2), FaultyStorage())
        try bounded.put(StoredEntry([1], expiresAtNanoseconds: 1), for: [1])
        try bounded.put(StoredEntry([2]), for: [2])
        #expect(try bounded.get([1]) == StoredEntry([1], expiresAtNanoseconds: 1))
        try bounded.put(StoredEntry([3]), for: [3])
        #expect(try bounded.contains([1]) && !bounded.contains([2]) && bounded.contains([3]))
    }

    @Test func `what weighs more than the limit is refused, and the old value is gone`() throws {
        let bounded = try Self.make(.bytes(10), FaultyStorage())
        try bounded.put(StoredEntry([1]), for: [1])
        #expect(throws: StoreError.self) { try bounded.put(StoredEntry([UInt8](repeating: 0, count: 10)), for: [1]) }
        #expect(try bounded.get([1]) == nil && bounded.weight == 0)
    }

    @Test func `a limit that is lower than what the store holds is kept from the start`() throws {
        let storage = FaultyStorage()
        for key in 0..<50 as Range<UInt8> { try storage.put(StoredEntry([key]), for: [key]) }
        let bounded = try Self.make(.objects(10), storage)
        #expect(try bounded.count() == 10 && storage.entries.count == 10)
        try bounded.removeAll()
        #expect(storage.entries.isEmpty)
        try bounded.close()
        #expect(throws: StoreError.closed) { try bounded.count() }
        #expect(throws: StoreError.self) {
            try BoundedStorage(
                BackendConfiguration(directory: nil, parameters: ParameterValues(defaults: [])))
        }
    }
}
