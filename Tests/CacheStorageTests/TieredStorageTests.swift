import CacheConformance
import CacheCore
import CacheStorage
import Testing
import _CacheTestSupport

/// What passes between two stores: promotion, writing through and back, what a failure below leaves above.
@Suite("Tiered storage")
struct TieredStorageTests {
    private static func dictionary(_ parameters: String = "") throws -> any StorageBackend {
        let entry = try #require(BuiltinStorage.all.first { $0.descriptor.name == "dictionary" })
        let values = try ParameterValues(parsing: parameters, for: entry.descriptor.parameters, of: "dictionary")
        return try entry.open(directory: nil, parameters: values)
    }

    private static func key(_ number: Int) -> [UInt8] { Array("key-\(number)".utf8) }

    private static let value = StoredEntry([UInt8](repeating: 1, count: 100), expiresAtNanoseconds: 5)

    @Test func `a get promotes and the upper store stays within its bytes`() throws {
        let upper = try Self.dictionary()
        let lower = try Self.dictionary()
        for number in 0..<50 { try lower.put(Self.value, for: Self.key(number)) }
        let store = try TieredStorage(upper: upper, lower: lower, upperBytesMax: 1_100, writesBack: false)
        for number in 0..<50 {
            #expect(try store.get(Self.key(number)) == Self.value)
            #expect(try upper.get(Self.key(number)) == Self.value)
            #expect(try upper.count() <= 10)
        }
        #expect(try lower.count() == 50)
    }

    @Test func `what is read stays above longer than what is not`() throws {
        let upper = try Self.dictionary()
        let store = try TieredStorage(
            upper: upper, lower: try Self.dictionary(), upperBytesMax: 1_100, writesBack: false)
        for number in 0..<40 {
            try store.put(Self.value, for: Self.key(number))
            _ = try store.get(Self.key(0))
        }
        #expect(try upper.contains(Self.key(0)))
        #expect(try !upper.contains(Self.key(1)))
    }

    @Test func `written through is below at once, written back at eviction, flush and close`() throws {
        for writesBack in [false, true] {
            let lower = try Self.dictionary()
            let store = try TieredStorage(
                upper: try Self.dictionary(), lower: lower, upperBytesMax: 550, writesBack: writesBack)
            try store.put(Self.value, for: Self.key(0))
            #expect(try lower.contains(Self.key(0)) == !writesBack)
            for number in 1..<9 { try store.put(Self.value, for: Self.key(number)) }
            #expect(try lower.contains(Self.key(0)))
            #expect(try lower.contains(Self.key(8)) == !writesBack)
            #expect(try store.count() == 9)
            #expect(try Set(store.keys()).count == 9)
            try store.flush()
            #expect(try lower.count() == 9)
            #expect(try lower.get(Self.key(8)) == Self.value)
            #expect(try store.remove(Self.key(8)))
            #expect(try !lower.contains(Self.key(8)))
        }
    }

    @Test func `what was written back last is there after reopening`() throws {
        let directory = try TemporaryDirectory()
        let subject = try StorageConformanceTests.subject("tiered:lower=log,write=back")
        var store = try subject.open(in: directory.path)
        try store.put(Self.value, for: [1])
        try store.close()
        store = try subject.open(in: directory.path)
        #expect(try store.get([1]) == Self.value)
        try store.close()
    }

    @Test func `a put that fails below is not above either`() throws {
        let upper = try Self.dictionary()
        let store = try TieredStorage(
            upper: upper, lower: try Self.dictionary("value-bytes-max=200"), upperBytesMax: 10_000, writesBack: false)
        try store.put(Self.value, for: [1])
        #expect(throws: StoreError.self) { try store.put(StoredEntry([UInt8](repeating: 2, count: 201)), for: [1]) }
        #expect(try store.get([1]) == nil)
        #expect(try upper.get([1]) == nil)
    }

    @Test func `a value that is too long for the upper store is below alone`() throws {
        let lower = try Self.dictionary()
        let store = try TieredStorage(
            upper: try Self.dictionary("value-bytes-max=200"), lower: lower, upperBytesMax: 10_000, writesBack: true)
        try store.put(Self.value, for: [1])
        let long = StoredEntry([UInt8](repeating: 2, count: 201))
        try store.put(long, for: [1])
        #expect(try store.get([1]) == long)
        #expect(try lower.get([1]) == long)
    }

    @Test func `claims are the lower store's, and no more than exit when written back`() throws {
        let directory = try TemporaryDirectory()
        for (text, level) in [
            ("lower=log:durability=power", DurabilityLevel.power), ("lower=file", .kill), ("lower=slab", .volatile),
            ("lower=log:durability=power+segment-bytes=65536,write=back", .exit),
        ] {
            let store = try StorageConformanceTests.subject("tiered:\(text)").open(in: "\(directory.path)/\(level)")
            #expect(store.claims.durability == level)
            try store.close()
        }
    }

    @Test(arguments: [
        ("lower=lgo", "Did you mean 'log'?"), ("upper=file", "not a store in memory"),
        ("lower=log:segment-bytes=1", "segment-bytes"), ("lower=tiered", "none of"),
    ])
    func `a store that cannot be used is named`(parameters: String, words: String) throws {
        let directory = try TemporaryDirectory()
        let error = #expect(throws: StoreError.self) {
            try StorageConformanceTests.subject("tiered:\(parameters)").open(in: directory.path)
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }
}
