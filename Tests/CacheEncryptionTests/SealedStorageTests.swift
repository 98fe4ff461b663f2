import CacheConformance
import CacheCore
import CacheEncryption
import CacheStorage
import Foundation
import Testing
import _CacheTestSupport

@Suite("What goes into a sealed store comes out under its key alone")
struct SealedStorageTests {
    private static let key = EncryptionKey.random()
    private static let entry = StoredEntry(Array("the value of the entry".utf8), expiresAtNanoseconds: 123_456_789)
    private static let name = Array("the name of the entry".utf8)

    private static func memory(_ parameters: String = "") throws -> any StorageBackend {
        let entry = try #require(BuiltinStorage.all.first { $0.descriptor.name == "dictionary" })
        return try entry.open(
            directory: nil,
            parameters: try ParameterValues(
                parsing: parameters, for: entry.descriptor.parameters, of: entry.descriptor.name))
    }

    /// Everything that a store was given, as one row of bytes.
    private static func everything(in store: any StorageBackend) throws -> [UInt8] {
        try store.keys().flatMap { try $0 + (store.get($0)?.value ?? []) }
    }

    private static func find(_ part: [UInt8], in whole: [UInt8]) -> Bool { Data(whole).range(of: Data(part)) != nil }

    @Test func `neither keys nor values nor moments are to be seen below`() throws {
        let lower = try Self.memory()
        let store = try SealedStorage(over: lower, Self.key)
        try store.put(Self.entry, for: Self.name)
        #expect(try store.get(Self.name) == Self.entry && store.keys() == [Self.name] && store.count() == 1)
        let moment = withUnsafeBytes(of: Self.entry.expiresAtNanoseconds!.bigEndian) { Array($0) }
        for part in [Self.entry.value, Self.name, moment, Array(moment.reversed())] {
            #expect(!Self.find(part, in: try Self.everything(in: lower)))
        }
        // The moment is told to the store below, which may let the entry go.
        #expect(try lower.get(lower.keys()[0])?.expiresAtNanoseconds == Self.entry.expiresAtNanoseconds)
        // What is looked for would be found.
        let bare = try Self.memory()
        try bare.put(Self.entry, for: Self.name)
        for part in [Self.entry.value, Self.name] { #expect(Self.find(part, in: try Self.everything(in: bare))) }
    }

    @Test func `equal values are different below, each time, and in each opening`() throws {
        var seen: Set<[UInt8]> = []
        for _ in 0..<3 {
            let lower = try Self.memory()
            let store = try SealedStorage(over: lower, Self.key)
            for _ in 0..<4 {
                try store.put(Self.entry, for: Self.name)
                let stored = try #require(try lower.get(lower.keys()[0])).value
                // Behind the format, what tells this opening and this put from others: no nonce is used twice under one key.
                #expect(seen.insert(Array(stored[1..<25])).inserted)
                #expect(seen.insert(Array(stored[25...])).inserted)
            }
        }
    }

    @Test func `under another key nothing is there, and what was is still there under its own`() throws {
        let directory = try TemporaryDirectory()
        func open(_ key: EncryptionKey) throws -> SealedStorage {
            let file = try #require(BuiltinStorage.all.first { $0.descriptor.name == "file" })
            return try SealedStorage(over: try file.open(directory: directory.path), key)
        }
        var store = try open(Self.key)
        try store.put(Self.entry, for: Self.name)
        try store.close()
        store = try open(.random())
        #expect(try store.get(Self.name) == nil && store.keys() == [] && store.count() == 0)
        #expect(try !store.remove(Self.name) && !store.contains(Self.name))
        try store.put(StoredEntry([1]), for: Self.name)
        #expect(try store.get(Self.name) == StoredEntry([1]) && store.count() == 1)
        try store.close()
        store = try open(Self.key)
        #expect(try store.get(Self.name) == Self.entry && store.keys() == [Self.name])
        try store.removeAll()
        try store.close()
        #expect(directory.files().allSatisfy { $0.hasSuffix("lock") })
    }

    @Test
    func `a byte that is changed, a record cut short and one under another name are corrupt once, and then a miss`()
        throws
    {
        let lower = try Self.memory()
        let store = try SealedStorage(over: lower, Self.key)
        try store.put(Self.entry, for: Self.name)
        let name = try lower.keys()[0]
        let whole = try #require(try lower.get(name)).value
        var other = Self.name
        other[0] ^= 1
        try store.put(StoredEntry(Array("another value, as long".utf8)), for: other)
        let foreign = try #require(try lower.get(lower.keys().first { $0 != name }!)).value
        var damaged = [foreign]
        for place in whole.indices {
            var bytes = whole
            bytes[place] ^= 1 << UInt8(place % 8)
            damaged += [bytes, Array(whole.prefix(place))]
        }
        for bytes in damaged {
            try lower.put(StoredEntry(bytes), for: name)
            let error = #expect(throws: StoreError.self) { try store.get(Self.name) }
            #expect(error?.code == .corrupt)
            #expect(try store.get(Self.name) == nil)
            try lower.put(StoredEntry(bytes), for: name)
            #expect(try store.keys() == [other])
        }
        try lower.put(StoredEntry(whole), for: name)
        #expect(try store.get(Self.name)?.value == Self.entry.value)
    }

    @Test func `limits leave room for what is added, and a store that is too narrow is refused`() throws {
        let store = try SealedStorage(over: Self.memory("value-bytes-max=4000"), Self.key)
        let key = [UInt8](repeating: 1, count: store.claims.keyBytesMax)
        let value = StoredEntry([UInt8](repeating: 2, count: store.claims.valueBytesMax), expiresAtNanoseconds: 1)
        try store.put(value, for: key)
        #expect(try store.get(key) == value)
        let error = #expect(throws: StoreError.self) { try store.put(StoredEntry(value.value + [1]), for: key) }
        #expect(error?.code == .valueRefused)
        #expect(try store.get(key) == nil)
        #expect(throws: StoreError.self) { try SealedStorage(over: Self.memory("value-bytes-max=50"), Self.key) }
    }

    @Test func `a key is a file of 32 bytes, and what is wrong with it is said`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/key"
        for count in [0, 31, 33, 5000] {
            try Data(repeating: 7, count: count).write(to: URL(filePath: path))
            let error = #expect(throws: StoreError.self) { try EncryptionKey(contentsOf: path) }
            #expect(error?.code == .unavailable && error?.message.contains("must have 32; make one: head") == true)
        }
        #expect(throws: StoreError.self) { try EncryptionKey(contentsOf: path + "-missing") }
        #expect(throws: StoreError.self) { try EncryptionKey([1, 2, 3]) }
        try Data(repeating: 7, count: 32).write(to: URL(filePath: path))
        // The same bytes are the same key.
        let lower = try Self.memory()
        try SealedStorage(over: lower, EncryptionKey(contentsOf: path)).put(Self.entry, for: Self.name)
        let again = try SealedStorage(over: lower, EncryptionKey([UInt8](repeating: 7, count: 32)))
        #expect(try again.get(Self.name) == Self.entry)
    }
}
