import CacheCore
import CacheStorage
import CacheSystems
import Testing
import _CacheTestSupport

@Suite("Entries as they lie in the store")
struct RecordBytesTests {
    @Test func `a record's names are in its schema and not in its entries`() throws {
        let store = try DictionaryStorage.make()
        let cache = try records(over: store)
        try cache.root.set(People.V1.ada, forKey: "k")
        let entry = try #require(try store.get(Self.entryKey(store)))
        #expect(!String(decoding: entry.value, as: UTF8.self).contains("name"))
        #expect(entry.value.count < 80, "\(entry.value.count)")
    }

    static func entryKey(_ store: DictionaryStorage) throws -> [UInt8] {
        try #require(store.keys().first { String(decoding: $0, as: UTF8.self).contains("records") })
    }

    @Test func `bytes that were changed or cut are another value, or none that is removed, and never the end`() throws {
        let store = try DictionaryStorage.make()
        let cache = try records(over: store)
        let value = RecordValueTests.Everything()
        try cache.root.set(value, forKey: "k")
        #expect(try cache.root.value(forKey: "k", as: RecordValueTests.Everything.self) == value)
        let key = try Self.entryKey(store)
        let bytes = try #require(try store.get(key)).value
        var generator = SeededGenerator(seed: 7)
        var removed = 0
        for round in 0..<600 {
            var damaged = bytes
            if round % 2 == 0 {
                damaged[generator.next(below: bytes.count)] = UInt8(generator.next(below: 256))
            } else {
                damaged = Array(bytes.prefix(generator.next(below: bytes.count)))
            }
            try store.put(StoredEntry(damaged), for: key)
            cache.dropMemory()
            // What is left may be of another type; then that is said.
            do {
                if try cache.root.value(forKey: "k", as: RecordValueTests.Everything.self) == nil {
                    removed += try store.get(key) == nil ? 1 : 0
                }
            } catch is RecordError {}
        }
        #expect(removed > 250)
        #expect(cache.statistics[.damaged] >= removed)
    }

    @Test func `every number and count comes back`() throws {
        let cache = try records(over: try DictionaryStorage.make())
        let integers: [Int128] = [0, 1, -1, 63, 64, -64, -65, 127, 128, 1 << 62, .max, .min]
        let numbers = [0, -0.0, 0.1, Double.leastNonzeroMagnitude, .greatestFiniteMagnitude, -.infinity, 1 / 3]
        try cache.root.set(integers, forKey: "integers")
        try cache.root.set(numbers, forKey: "numbers")
        try cache.root.set(String(repeating: "é", count: 5000), forKey: "text")
        try cache.root.set([[UInt8]](repeating: Array(0...255), count: 300), forKey: "bytes")
        cache.dropMemory()
        #expect(try cache.root.value(forKey: "integers") == integers)
        let found = try #require(try cache.root.value(forKey: "numbers", as: [Double].self))
        #expect(found.map(\.bitPattern) == numbers.map(\.bitPattern))
        #expect(try cache.root.value(forKey: "text", as: String.self)?.count == 5000)
        #expect(try cache.root.value(forKey: "bytes", as: [[UInt8]].self)?.last == Array(0...255))
    }

    @Test func `what a reader would take for damage, because it lies too deep, is not stored`() throws {
        let group = try records(over: DictionaryStorage.make()).root
        func nested(_ depth: Int) -> RecordValue { (1..<depth).reduce(.flag(true)) { value, _ in .list([value]) } }
        try group.set(nested(200), forKey: "a")
        #expect(try group.value(forKey: "a", as: RecordValue.self) == nested(200))
        #expect(throws: EncodingError.self) { try group.set(nested(201), forKey: "a") }
        #expect(try !group.contains("a"))
    }
}
