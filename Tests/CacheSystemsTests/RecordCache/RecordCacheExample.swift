import CacheCore
import CachePolicies
import CacheStorage
import CacheSystems

/// Contacts that stay readable while the program that stores them goes from version to version.
struct ContactStore {
    /// Version 1 had a `name`, an `age` as text, and an `address` of a type that is gone.
    struct Contact: CacheRecord, Equatable {
        static let timeline = RecordTimeline(version: 3)
            .migrating(from: 1) { data in
                data.rename("name", to: "fullName")
                data.retype("age") { age in age.text.flatMap { Int($0) }.map { .integer(Int128($0)) } }
            }
            .migrating(from: 2) { data in
                data.move("street", outOf: "address")
                data.remove("address")
            }

        var fullName: String
        var age: Int?
        var street: String?
    }

    let cache: RecordCache

    init(directory: String) throws {
        let lru = PolicyEntry(unit: LRUPolicy<UnitSizes>.self, bytes: LRUPolicy<ByteSizes>.self)
        let files = try BackendEntry(FileStorage.self).open(directory: directory)
        cache = try RecordCache(RecordCacheOptions("contacts"), policy: lru, storage: files)
    }

    func keep(_ contact: Contact, of user: String) throws {
        try cache.group("users", user, "contacts").set(contact, forKey: contact.fullName)
    }

    func contact(_ name: String, of user: String) throws -> Contact? {
        try cache.group("users", user, "contacts").value(forKey: name)
    }

    /// Forgets everything of a user, in memory and on disk.
    func forget(_ user: String) throws { try cache.group("users", user).clear() }
}
