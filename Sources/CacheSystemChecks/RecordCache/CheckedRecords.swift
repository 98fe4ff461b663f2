public import CacheSystems

/// The records that the checks store: a person as four versions of one program know them, and some that are awkward.
///
/// Every field is optional, since caches that set the fields of an empty object one by one know nothing else.
public enum CheckedRecords {
    struct Address: CacheRecord, Hashable {
        var street: String?
    }

    struct PersonV1: CacheRecord, Hashable {
        static let recordName = "Person"
        var name: String?
        var age: String?
        var secret: Int?
        var address: Address?
    }

    /// Other fields than version 1 has, under its number.
    struct PersonChanged: CacheRecord, Hashable {
        static let recordName = "Person"
        var name: String?
        var email: String?
    }

    struct PersonV2: CacheRecord, Hashable {
        static let recordName = "Person"
        static let timeline = RecordTimeline(version: 2).migrating(from: 1) { try step1(&$0) }
        var fullName: String?
        var age: Int?
        var secret: Int?
        var address: Address?

        static func step1(_ data: inout RecordData) throws {
            data.rename("name", to: "fullName")
            try data.retype("age") { age in
                guard let text = age.text else { return age }
                guard let number = Int(text) else { throw RecordRefusal.remove("'\(text)' is no age") }
                return .integer(Int128(number))
            }
        }
    }

    struct PersonV4: CacheRecord, Hashable {
        static let recordName = "Person"
        static let timeline = RecordTimeline(version: 4).migrating(from: 1) { try PersonV2.step1(&$0) }
            .migrating(from: 2) { data in
                data.move("street", outOf: "address")
                data.remove("address")
            }
            .migrating(from: 3) { $0.remove("secret") }
        var fullName: String?
        var age: Int?
        var street: String?
        var email: String?
    }

    struct Pair: CacheRecord, Hashable {
        var a: Int?
        var b: Int?
    }

    struct Guest: CacheRecord, Hashable {
        static let nick = ExtensionField<String>("nick", category: "Chat")
        var name: String?
        var visits: [String: [Double?]]?
        var extensions = ExtensionFields()
    }

    /// An object with a child, and with children in a list.
    public final class Tree: CacheRecord, @unchecked Sendable {
        var count: Int
        var child: Tree?
        var children: [Tree]

        init(_ count: Int, child: Tree? = nil, children: [Tree] = []) {
            self.count = count
            self.child = child
            self.children = children
        }
    }

    class Animal: CacheRecord, @unchecked Sendable {
        var legs: Int? = 4
        init() {}
    }

    class Dog: Animal, @unchecked Sendable {
        var name: String? = "Rex"
        private enum Key: String, CodingKey { case name }
        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            name = try fields.decodeIfPresent(String.self, forKey: .name)
            try super.init(from: fields.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: Key.self)
            try fields.encodeIfPresent(name, forKey: .name)
            try super.encode(to: fields.superEncoder())
        }
    }

    final class Puppy: Dog, @unchecked Sendable {
        private enum Key: String, CodingKey { case weeks, owner }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            try super.init(from: try decoder.container(keyedBy: Key.self).superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: Key.self)
            try fields.encode([8, 9], forKey: .weeks)
            try fields.encodeNil(forKey: .owner)
            try super.encode(to: fields.superEncoder())
        }
    }
}
