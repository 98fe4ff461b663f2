import CacheCore
import CacheStorage
import CacheSystems
import _CacheTestSupport

/// A person as four versions of one program know them.
enum People {
    /// With an address of a type of its own.
    struct V1: CacheRecord, Hashable {
        struct Address: CacheRecord, Hashable {
            static let recordName = "Address"
            var street: String
            var city: String?
        }

        static let recordName = "Person"
        static let timeline = RecordTimeline(version: 1)
        var name: String
        var age: String?
        var secret: Int?
        var address: Address?
    }

    /// The name is the full name, and the age is a number.
    struct V2: CacheRecord, Hashable {
        static let recordName = "Person"
        static let timeline = RecordTimeline(version: 2).migrating(from: 1) { try step(&$0) }
        var fullName: String
        var age: Int?
        var secret: Int?
        var address: V1.Address?
    }

    /// As version 2, with a field more: no step is needed.
    struct V3: CacheRecord, Hashable {
        static let recordName = "Person"
        static let timeline = RecordTimeline(version: 3).migrating(from: 1) { try V2.step(&$0) }
        var fullName: String
        var age: Int?
        var secret: Int?
        var address: V1.Address?
        var email: String?
    }

    /// The street is the person's own, there are no addresses and no secrets any more, and everybody has a language.
    struct V4: CacheRecord, Hashable {
        static let recordName = "Person"
        static let timeline = RecordTimeline(version: 4)
            .migrating(from: 1) { try V2.step(&$0) }
            .migrating(from: 3) { data in
                data.move("street", outOf: "address")
                data.remove("address")
                data.remove("secret")
                data.fill("language", with: "en")
            }
        var fullName: String
        var age: Int?
        var email: String?
        var street: String?
        var language: String
    }
}

extension People.V2 {
    static func step(_ data: inout RecordData) throws {
        data.rename("name", to: "fullName")
        try data.retype("age") { age in
            guard let text = age.text else { return age }
            guard let number = Int(text) else { throw RecordRefusal.remove("no age: \(text)") }
            return .integer(Int128(number))
        }
    }
}

extension People.V1 {
    static let ada = People.V1(
        name: "Ada", age: "36", secret: 7, address: Address(street: "St James's", city: "London"))
}

/// A cache in a directory, or over a store that others use.
func records(
    _ directory: String, backend: String = "file", change: (inout RecordCacheOptions) -> Void = { _ in }
) throws -> RecordCache { try records(over: openStore(backend, in: directory), change: change) }

func records(
    over storage: any StorageBackend, change: (inout RecordCacheOptions) -> Void = { _ in }
) throws -> RecordCache {
    var options = RecordCacheOptions("test")
    change(&options)
    return try RecordCache(options, policy: policy("lru"), storage: storage)
}
