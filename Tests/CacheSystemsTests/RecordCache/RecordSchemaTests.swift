import CacheCore
import CacheStorage
import CacheSystems
import Testing
import _CacheTestSupport

@Suite("The fields of each type and version are recorded")
struct RecordSchemaTests {
    struct Changed: CacheRecord {
        static let recordName = "Person"
        var name: String
        var age: Int?
        var secret: Int?
        var email: String?
    }

    @Test func `by the first value, with names and types, those of nils and of nested records too`() throws {
        let directory = try TemporaryDirectory()
        var cache = try records(directory.path)
        try cache.root.set(People.V1(name: "a", address: People.V1.Address(street: "s")), forKey: "k")
        for _ in 0..<2 {
            let schemas = cache.schemas
            #expect(schemas.map(\.typeName) == ["Address", "Person"] && schemas.map(\.version) == [1, 1])
            #expect(schemas[1].fields.map(\.name) == ["name", "age", "secret", "address"])
            #expect(schemas[1].fields.map(\.type) == ["String", "String", "Int", "Address"])
            try cache.root.set(People.V1.ada, forKey: "other")
            #expect(cache.schemas == schemas)
            try cache.close()
            cache = try records(directory.path)
        }
        try cache.close()
    }

    @Test func `other fields under the same version are refused, with their names, and leave nothing behind`() throws {
        let cache = try records(over: try DictionaryStorage.make())
        try cache.root.set(People.V1.ada, forKey: "k")
        let error = RecordError.fieldsChanged(
            type: "Person", version: 1, added: ["age: Int", "email: String"],
            missing: ["age: String", "address: Address"])
        #expect(throws: error) { try cache.root.set(Changed(name: "b"), forKey: "k") }
        #expect(try cache.root.value(forKey: "k", as: People.V1.self) == nil)
        try cache.removeAll(schemas: true)
        #expect(cache.schemas.isEmpty)
        try cache.root.set(Changed(name: "b"), forKey: "k")
        #expect(try cache.root.value(forKey: "k", as: Changed.self)?.name == "b")
    }

    @Test func `fields that are added at run time are seen, and change nothing else`() throws {
        let store = try DictionaryStorage.make()
        let cache = try records(over: store) { $0.closesStore = false }
        typealias Guest = RecordValueTests.Guest
        var guest = Guest(name: "g")
        try cache.root.set(guest, forKey: "a")
        guest.extensions[Guest.nick] = "n"
        try cache.root.set(guest, forKey: "b")
        #expect(cache.schemas.map(\.extensions) == [["(Chat)nick"]])
        let again = try records(over: store)
        #expect(again.schemas == cache.schemas)
        #expect(try again.root.value(forKey: "b", as: Guest.self) == guest)
        #expect(try again.root.value(forKey: "a", as: Guest.self) == Guest(name: "g"))
    }

    @Test func `without their schemas records are not read, not removed, and found again when their type is stored`()
        throws
    {
        let store = try DictionaryStorage.make()
        let cache = try records(over: store) { $0.closesStore = false }
        try cache.root.set(People.V1.ada, forKey: "ada")
        try cache.root.set(3, forKey: "three")
        for key in try store.keys() where String(decoding: key, as: UTF8.self).contains("schemas") {
            _ = try store.remove(key)
        }
        let later = try records(over: store)
        #expect(try later.root.value(forKey: "ada", as: People.V1.self) == nil)
        #expect(later.statistics[.unknownSchema] == 1)
        #expect(try later.root.contains("ada") && later.root.value(forKey: "three") == 3)
        // Another type's schema is not taken for it.
        try later.root.set(Changed(name: "b"), forKey: "other")
        #expect(try later.root.value(forKey: "ada", as: RecordData.self) == nil)
        let third = try records(over: store)
        try third.removeAll(schemas: true)
        try third.root.set(People.V1.ada, forKey: "again")
        #expect(try third.root.value(forKey: "again", as: People.V1.self) == .ada)
    }
}
