import CacheCore
import CacheSystems
import Foundation
import Testing
import _CacheTestSupport

@Suite("Values are taken apart, and made of their parts again")
struct RecordValueTests {
    struct Everything: CacheRecord, Hashable {
        enum Kind: String, Codable { case plain, fancy }
        enum Shape: Codable, Hashable { case point, circle(radius: Double) }

        var flag = true
        var small: Int8 = -128
        var large = UInt64.max
        var huge = Int128.min
        var wide: Int128? = 1
        var wider: [UInt128] = [5]
        var empty: [Double] = []
        var none: [Int: String] = [:]
        var number = 0.1
        var float: Float = 0.1
        var infinite = -Double.infinity
        var text = "é \u{0} \"quoted\""
        var data = Data([0, 255])
        var bytes: [UInt8] = [1, 2, 3]
        var date = Date(timeIntervalSinceReferenceDate: 0.5)
        var url = URL(string: "https://example.org/a?b=c")!
        var nothing: Int?
        var nested: [Int?]? = [1, nil]
        var texts = ["b": 1, "a": 2]
        var numbers = [3: "c", 1: "a"]
        var kinds: [Kind: Shape] = [.fancy: .circle(radius: 2), .plain: .point]
        var set: Set<String> = ["x", "y", "z"]
        var people = [People.V1.ada]
        var decimal = Decimal(string: "1.25")!
    }

    @Test func `every codable value comes back as it was`() throws {
        let value = Everything()
        #expect(try RecordValue(of: value).value(as: Everything.self) == value)
        #expect(try RecordValue(of: Int?.none).value(as: Int?.self) == .none)
        #expect(try RecordValue(of: [[Double.nan]]).value(as: [[Double]].self)[0][0].isNaN)
        #expect(try RecordValue(of: 5).value(as: UInt8.self) == 5)
        #expect(throws: DecodingError.self) { try RecordValue(of: 256).value(as: UInt8.self) }
        #expect(throws: DecodingError.self) { try RecordValue(of: "1").value(as: Int.self) }
        #expect(throws: EncodingError.self) { try RecordValue(of: UInt128.max) }
    }

    @Test
    func `equal values have equal parts and hashes, and others have not, whatever the order of their dictionaries`()
        throws
    {
        var generator = SeededGenerator(seed: 1)
        var hashes = Set<Int>()
        for round in 0..<50 {
            var value = Everything()
            value.set = Set((0..<20).map { _ in "\(generator.next(below: 1000))" })
            value.texts = Dictionary(uniqueKeysWithValues: value.set.map { ($0, round) })
            var other = value
            other.set = []
            other.set.reserveCapacity(400)
            for text in value.set.shuffled(using: &generator) { other.set.insert(text) }
            let (a, b) = (try RecordValue(of: value), try RecordValue(of: other))
            #expect(a == b && a.hashValue == b.hashValue && a.description == b.description)
            hashes.insert(a.hashValue)
            other.number = 0.2
            #expect(try RecordValue(of: other) != a)
        }
        #expect(hashes.count == 50)
        struct Pair: CacheRecord { var a: Int, b: Int }
        // Equal parts do not cancel each other out.
        #expect(Set(try (0..<100).map { try RecordValue(of: Pair(a: $0, b: $0)).hashValue }).count == 100)
    }

    final class Leaf: CacheRecord, @unchecked Sendable {
        var count: Int
        init(_ count: Int) { self.count = count }
    }

    @Test func `a copy shares no objects with what it is a copy of`() throws {
        let leaves = [Leaf(1), Leaf(2)]
        let copy = try RecordValue(of: leaves).value(as: [Leaf].self)
        leaves[0].count = 9
        #expect(copy.map(\.count) == [1, 2] && copy[0] !== leaves[0])
    }

    class Animal: CacheRecord, @unchecked Sendable {
        var legs = 4
        init() {}
    }

    class Dog: Animal, @unchecked Sendable {
        var name = "Rex"
        private enum Key: String, CodingKey { case name }
        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            name = try fields.decode(String.self, forKey: .name)
            try super.init(from: fields.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: Key.self)
            try fields.encode(name, forKey: .name)
            try super.encode(to: fields.superEncoder())
        }
    }

    final class Puppy: Dog, @unchecked Sendable {
        var weeks = [1, 2]
        private enum Key: String, CodingKey { case weeks }
        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            weeks = try fields.decode([Int].self, forKey: .weeks)
            try super.init(from: fields.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: Key.self)
            try fields.encode(weeks, forKey: .weeks)
            try super.encode(to: fields.superEncoder())
        }
    }

    @Test func `an object has a part for each of its superclasses, and is described with them`() throws {
        let puppy = Puppy()
        puppy.legs = 3
        let copy = try RecordValue(of: puppy).value(as: Puppy.self)
        #expect(copy.legs == 3 && copy.name == "Rex" && copy.weeks == [1, 2])
        #expect(
            puppy.recordDescription == """
                {
                  "*Puppy": {
                    "weeks": [
                      1,
                      2
                    ],
                    "**Dog": {
                      "name": "Rex",
                      "**Animal": {
                        "legs": 3
                      }
                    }
                  }
                }
                """)
    }

    struct Guest: CacheRecord, Hashable {
        static let nick = ExtensionField<String>("nick", category: "Chat")
        static let host = ExtensionField<People.V1.Address>("home")
        var name: String?
        var visits: [String: [Double?]] = [:]
        var extensions = ExtensionFields()
    }

    @Test func `fields that were added at run time belong to the record`() throws {
        var guest = Guest(name: "a\"\n")
        #expect(guest.extensions[Guest.nick] == nil)
        guest.visits = ["b": [1.5, nil, .nan], "a": []]
        guest.extensions[Guest.nick] = "al"
        guest.extensions[Guest.host] = People.V1.Address(street: "s")
        let copy = try RecordValue(of: guest).value(as: Guest.self)
        #expect(copy.extensions == guest.extensions && copy.extensions[Guest.host]?.street == "s")
        var other = guest
        other.extensions[Guest.nick] = "bo"
        #expect(other != guest)
        other.extensions[Guest.nick] = nil
        #expect(other.extensions[Guest.nick] == nil && other.extensions[Guest.host] != nil)
        #expect(
            guest.recordDescription == """
                {
                  "*Guest": {
                    "name": "a\\"\\n",
                    "visits": {
                      "a": [],
                      "b": [
                        1.5,
                        null,
                        "nan"
                      ]
                    },
                    "(Category)home": {
                      "*Address": {
                        "street": "s",
                        "city": null
                      }
                    },
                    "(Chat)nick": "al"
                  }
                }
                """)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(guest) }
        struct Lax: CacheRecord, Equatable { var extensions: ExtensionFields? }
        let lax = Lax(extensions: guest.extensions)
        #expect(try RecordValue(of: lax).value(as: Lax.self) == lax)
    }
}
