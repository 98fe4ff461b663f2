import CacheCore
import CacheStorage
import CacheSystems
import Testing

/// Reads that migrate a part of what they read, and must not cost the rest.
@Suite("Records: what a read leaves as it was")
struct RecordReadingTests {
    struct Noted<Subject: Codable & Sendable, Note: Codable & Sendable>: Codable, Sendable {
        var subject: Subject
        var note: Note
    }

    @Test func `a read as another type removes nothing, though a record in it was migrated on the way`() throws {
        let cache = try records(over: try DictionaryStorage.make())
        try cache.root.set(Noted(subject: People.V1.ada, note: "text"), forKey: "ada")
        cache.dropMemory()
        #expect {
            try cache.root.value(forKey: "ada", as: Noted<People.V4, Int>.self)
        } throws: { if case RecordError.undecodable = $0 { true } else { false } }
        #expect(cache.statistics[.refused] == 0)
        let found = try cache.root.value(forKey: "ada", as: Noted<People.V4, String>.self)
        #expect(found?.subject.fullName == "Ada" && found?.note == "text")
    }

    /// A record whose child was written by a newer program than itself.
    struct OldHouse: CacheRecord, Equatable {
        static let recordName = "House"
        var owner: NewOwner
    }

    struct NewOwner: CacheRecord, Equatable {
        static let recordName = "Owner"
        static let timeline = RecordTimeline(version: 2)
        var name: String
        var email: String
    }

    struct NewHouse: CacheRecord, Equatable {
        static let recordName = "House"
        static let timeline = RecordTimeline(version: 2)
        var owner: OldOwner
        var street: String?
    }

    struct OldOwner: CacheRecord, Equatable {
        static let recordName = "Owner"
        static let timeline = RecordTimeline(version: 1, newer: .passThrough)
        var name: String
    }

    @Test func `what was migrated is not written back over what a newer program wrote`() throws {
        let cache = try records(over: try DictionaryStorage.make())
        let house = OldHouse(owner: NewOwner(name: "Ada", email: "ada@site.example"))
        try cache.root.set(house, forKey: "house")
        for _ in 0..<2 {
            cache.dropMemory()
            #expect(try cache.root.value(forKey: "house", as: NewHouse.self)?.owner == OldOwner(name: "Ada"))
        }
        #expect(cache.statistics[.migrated] == 2 && cache.statistics[.writtenBack] == 0)
        cache.dropMemory()
        #expect(try cache.root.value(forKey: "house", as: OldHouse.self) == house)
    }
}
