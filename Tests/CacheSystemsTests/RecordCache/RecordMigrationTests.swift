import CacheCore
import CacheStorage
import CacheSystems
import Testing
import _CacheTestSupport

@Suite("Records that an older version wrote are read as what they have become")
struct RecordMigrationTests {
    typealias V1 = People.V1
    typealias V4 = People.V4

    static let adaNow = V4(fullName: "Ada", age: 36, email: nil, street: "St James's", language: "en")

    @Test(arguments: persistentBackends.map(\.descriptor.name))
    func `every kind of change in one timeline, after the cache was opened again`(_ backend: String) throws {
        let directory = try TemporaryDirectory()
        var cache = try records(directory.path, backend: backend)
        try cache.root.set(V1.ada, forKey: "ada")
        try cache.root.set([V1.ada, V1(name: "Bo")], forKey: "list")
        try cache.root.set(["b": V1(name: "Bo")], forKey: "dictionary")
        try cache.close()
        for round in 0..<2 {
            cache = try records(directory.path, backend: backend)
            #expect(try cache.root.value(forKey: "ada", as: V4.self) == Self.adaNow)
            #expect(
                try cache.root.value(forKey: "list", as: [V4].self) == [
                    Self.adaNow, V4(fullName: "Bo", language: "en"),
                ])
            #expect(try cache.root.value(forKey: "dictionary", as: [String: V4].self)?["b"]?.fullName == "Bo")
            // What was migrated is stored in its new form.
            #expect(cache.statistics[.migrated] == (round == 0 ? 3 : 0))
            #expect(cache.statistics[.writtenBack] == (round == 0 ? 3 : 0))
            #expect(cache.statistics[.hit] == 3)
            try cache.close()
        }
    }

    @Test func `version by version is the same as all at once`() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<40 {
            func maybe<Value>(_ value: Value) -> Value? { generator.next(below: 3) == 0 ? nil : value }
            let person = V1(
                name: "\(generator.next(below: 100))", age: maybe("\(generator.next(below: 100))"), secret: maybe(1),
                address: maybe(V1.Address(street: "\(generator.next(below: 9))", city: maybe("c"))))
            let store = try DictionaryStorage.make()
            let slow = try records(over: store) { $0.name = "slow" }
            let fast = try records(over: store) { $0.name = "fast" }
            for cache in [slow, fast] { try cache.root.set(person, forKey: "p") }
            _ = try slow.root.value(forKey: "p", as: People.V2.self)
            _ = try slow.root.value(forKey: "p", as: People.V3.self)
            let (a, b) = (
                try slow.root.value(forKey: "p", as: V4.self), try fast.root.value(forKey: "p", as: V4.self)
            )
            #expect(a == b && b?.fullName == person.name)
            #expect(slow.statistics[.writtenBack] == 3 && fast.statistics[.writtenBack] == 1)
        }
    }

    @Test func `without writing back every reader migrates, and the store stays`() throws {
        let store = CountingStorage(try DictionaryStorage.make())
        let cache = try records(over: store) { $0.writesBack = false }
        try cache.root.set(V1.ada, forKey: "ada")
        let writes = store.counts.writes
        for _ in 0..<3 {
            cache.dropMemory()
            #expect(try cache.root.value(forKey: "ada", as: V4.self) == Self.adaNow)
        }
        #expect(try cache.root.value(forKey: "ada", as: V4.self) == Self.adaNow)
        #expect(cache.statistics[.migrated] == 3 && store.counts.writes == writes)
        #expect(try cache.root.value(forKey: "ada", as: V1.self) == V1.ada)
    }

    @Test func `a write-back that fails costs nothing but the next migration`() throws {
        let store = CountingStorage(try DictionaryStorage.make())
        let cache = try records(over: store)
        try cache.root.set(V1.ada, forKey: "ada")
        _ = try cache.root.value(forKey: "ada", as: V1.self)
        store.fail(true)
        #expect(try cache.root.value(forKey: "ada", as: V4.self) == Self.adaNow)
        #expect(cache.statistics[.writeBackFailed] == 1)
        store.fail(false)
        cache.dropMemory()
        #expect(try cache.root.value(forKey: "ada", as: V4.self) == Self.adaNow)
        #expect(cache.statistics[.writtenBack] == 1)
    }

    @Test func `a process may end between any two writes: every record is whole or absent then`() throws {
        var wholes = Set<Int>()
        for end in 0..<14 {
            let store = try DictionaryStorage.make()
            let dying = CountingStorage(store)
            dying.end(afterWrites: end)
            let cache = try records(over: dying)
            for key in ["a", "b"] { try? cache.root.set(V1.ada, forKey: key) }
            for key in ["a", "b"] { _ = try? cache.root.value(forKey: key, as: V4.self) }
            _ = try? cache.root.remove("b")
            try? cache.root.set([Self.adaNow, V4(fullName: "Bo", language: "de")], forKey: "c")
            let writes = dying.counts.writes + dying.counts.removals
            let later = try records(over: store)
            let found = (
                try later.root.value(forKey: "a", as: V4.self), try later.root.value(forKey: "b", as: V4.self),
                try later.root.value(forKey: "c", as: [V4].self)
            )
            #expect(found.0 == nil || found.0 == Self.adaNow, "\(end)")
            #expect(found.1 == nil || found.1 == Self.adaNow && writes >= end, "\(end)")
            #expect(found.2 == nil || found.2?.last?.language == "de", "\(end)")
            let events: [RecordEvent] = [.unknownSchema, .damaged, .refused, .newer]
            #expect(events.allSatisfy { later.statistics[$0] == 0 }, "\(end)")
            wholes.insert((found.0 == nil ? 0 : 1) + (found.1 == nil ? 0 : 2) + (found.2 == nil ? 0 : 4))
        }
        // None, the first, both, the first, and the first and the third.
        #expect(wholes == [0, 1, 3, 5])
    }

    @Test func `a refused record is lost alone`() throws {
        let cache = try records(over: try DictionaryStorage.make())
        for (key, age) in [("a", "1"), ("b", "old"), ("c", "3")] {
            try cache.root.set(V1(name: key, age: age), forKey: key)
        }
        #expect(try cache.root.value(forKey: "b", as: V4.self) == nil)
        #expect(try !cache.root.contains("b"))
        #expect(try cache.root.value(forKey: "a", as: V4.self)?.age == 1)
        #expect(try cache.root.value(forKey: "c", as: V4.self)?.age == 3)
        #expect(cache.statistics[.refused] == 1 && cache.statistics[.miss] == 1)
    }

    struct Kept: CacheRecord, Equatable {
        static let recordName = "Person"
        static let timeline = RecordTimeline(version: 2).migrating(from: 1) { _ in throw RecordRefusal.keep("not yet") }
        var fullName: String
    }

    struct Incomplete: CacheRecord {
        static let recordName = "Person"
        static let timeline = RecordTimeline(version: 2)
        var needed: Int
    }

    @Test func `a step may leave an entry to a later program, and one that leads nowhere refuses`() throws {
        let cache = try records(over: try DictionaryStorage.make())
        try cache.root.set(V1.ada, forKey: "ada")
        #expect(try cache.root.value(forKey: "ada", as: Kept.self) == nil)
        #expect(try cache.root.value(forKey: "ada", as: V1.self) == V1.ada)
        #expect(try cache.root.value(forKey: "ada", as: Incomplete.self) == nil)
        #expect(try !cache.root.contains("ada"))
        #expect(cache.statistics[.refused] == 2)
    }

    struct Careless: CacheRecord {
        static let recordName = "Person"
        static let timeline = RecordTimeline(version: 1, newer: .passThrough)
        var fullName: String?
    }

    @Test func `what a newer version wrote stays for it, unless the older one says that it reads that too`() throws {
        let cache = try records(over: try DictionaryStorage.make())
        try cache.root.set(Self.adaNow, forKey: "ada")
        cache.dropMemory()
        #expect(try cache.root.value(forKey: "ada", as: V1.self) == nil)
        #expect(cache.statistics[.newer] == 1)
        #expect(try cache.root.value(forKey: "ada", as: Careless.self)?.fullName == "Ada")
        cache.dropMemory()
        #expect(try cache.root.value(forKey: "ada", as: V4.self) == Self.adaNow)
    }

    @Test
    func `a record whose type is gone is read as its fields: at the root, in lists and dictionaries, two levels deep`()
        throws
    {
        let cache = try records(over: try DictionaryStorage.make())
        try cache.root.set(V1.ada, forKey: "ada")
        try cache.root.set(["x": [V1.ada]], forKey: "deep")
        cache.dropMemory()
        let data = try #require(try cache.root.value(forKey: "ada", as: RecordData.self))
        #expect(data.typeName == "Person" && data.version == 1 && data["name"] == "Ada")
        #expect(data["address"]?.record?["street"] == "St James's")
        let deep = try #require(try cache.root.value(forKey: "deep", as: [String: [RecordData]].self))
        #expect(deep["x"] == [data])
        // What was read so can be stored so, and is what it was.
        try cache.root.set(data, forKey: "copy")
        cache.dropMemory()
        #expect(try cache.root.value(forKey: "copy", as: V1.self) == V1.ada)
    }

    struct Renamed: CacheRecord, Equatable {
        static let timeline = RecordTimeline(version: 1, formerNames: ["Person"])
        var name: String
    }

    @Test func `a type may take over the records of another name, and no others`() throws {
        let cache = try records(over: try DictionaryStorage.make())
        try cache.root.set(V1.ada, forKey: "ada")
        #expect(throws: RecordError.wrongType(stored: "Person", asked: "Address")) {
            try cache.root.value(forKey: "ada", as: V1.Address.self)
        }
        #expect(try cache.root.value(forKey: "ada", as: Renamed.self) == Renamed(name: "Ada"))
        #expect(try cache.root.value(forKey: "ada", as: RecordData.self)?.typeName == "Renamed")
        try cache.root.set("text", forKey: "text")
        cache.dropMemory()
        #expect {
            try cache.root.value(forKey: "text", as: Int.self)
        } throws: { if case RecordError.undecodable(type: "Int", _) = $0 { true } else { false } }
        #expect(try cache.root.value(forKey: "text", as: String.self) == "text")
    }

    struct House: CacheRecord, Equatable {
        static let timeline = RecordTimeline(version: 2).migrating(from: 1) { data in
            // The address may have been written by any version of its type.
            guard let address = try data["address"]?.record?.migrated(to: NewAddress.self) else { return }
            data["road"] = address["road"]
            data.remove("address")
        }
        var road: String?
    }

    struct OldHouse: CacheRecord {
        static let recordName = "House"
        var address: V1.Address
    }

    struct NewAddress: CacheRecord {
        static let recordName = "Address"
        static let timeline = RecordTimeline(version: 2).migrating(from: 1) { $0.rename("street", to: "road") }
        var road: String
    }

    @Test func `a step can bring a child to today's form before it takes something out of it`() throws {
        let cache = try records(over: try DictionaryStorage.make())
        try cache.root.set(OldHouse(address: V1.Address(street: "s")), forKey: "house")
        #expect(try cache.root.value(forKey: "house", as: House.self) == House(road: "s"))
    }

    class Base: CacheRecord, @unchecked Sendable {
        class var recordName: String { "Base" }
        class var timeline: RecordTimeline {
            RecordTimeline(version: 2).migrating(from: 1) { $0.rename("n", to: "number") }
        }
        var number = 1
    }

    class OldBase: CacheRecord, @unchecked Sendable {
        class var recordName: String { "Base" }
        class var timeline: RecordTimeline { RecordTimeline(version: 1) }
        var n = 5
        init() {}
    }

    final class OldSub: OldBase, @unchecked Sendable {
        override class var recordName: String { "Sub" }
        private enum Key: String, CodingKey { case own }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws { try super.init(from: decoder) }
        override func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: Key.self)
            try fields.encode("x", forKey: .own)
            try super.encode(to: fields.superEncoder())
        }
    }

    final class Sub: Base, @unchecked Sendable {
        override class var recordName: String { "Sub" }
        override class var timeline: RecordTimeline { RecordTimeline(version: 1) }
        let own: String
        private enum Key: String, CodingKey { case own }
        required init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            own = try fields.decode(String.self, forKey: .own)
            try super.init(from: fields.superDecoder())
        }
    }

    @Test func `a superclass migrates its own part of every subclass`() throws {
        let cache = try records(over: try DictionaryStorage.make())
        try cache.root.set(OldSub(), forKey: "sub")
        let sub = try cache.root.value(forKey: "sub", as: Sub.self)
        #expect(sub?.number == 5 && sub?.own == "x")
    }

    @Test func `what was stored before its type was a record is of version 0`() throws {
        struct Now: CacheRecord, Equatable {
            static let timeline = RecordTimeline(version: 1).migrating(from: 0) { $0.rename("n", to: "name") }
            var name: String
        }
        let cache = try records(over: try DictionaryStorage.make())
        try cache.root.set(["n": "x"], forKey: "k")
        #expect(try cache.root.value(forKey: "k", as: Now.self) == Now(name: "x"))
    }
}
