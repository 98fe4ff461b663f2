import CacheCore
import CacheSystems
import Foundation
import Testing

@Suite("A canonical key is the same wherever it is made, and another for everything that differs")
struct CanonicalKeyTests {
    struct Record: Codable, Hashable {
        var name: String?
        var parts: [Int] = []
        var tags: Set<String> = []
    }

    static func key(_ value: some Encodable) throws -> String { try CanonicalKey(of: value).hexadecimal }

    @Test func `what differs in kind, value or place has another key`() throws {
        let keys = [
            try Self.key(1), try Self.key(1.0), try Self.key(true), try Self.key("1"), try Self.key(Int?.none),
            try Self.key([1]), try Self.key([[1]]), try Self.key([Int]()), try Self.key(["1": 1]),
            try Self.key(Set([1])),
            try Self.key(["ab", "c"]), try Self.key(["a", "bc"]), try Self.key(["abc"]), try Self.key(["a", "b", "c"]),
            try Self.key(["a": Int?.none]), try Self.key([String: Int?]()), try Self.key(["a": Int?.some(0)]),
            try Self.key(Data([1])), try Self.key(Date(timeIntervalSinceReferenceDate: 1)), try Self.key(-1),
            try Self.key(Record()), try Self.key(Record(name: "")), try Self.key(Record(name: "x")),
            try Self.key("(null)"), try Self.key(Double.infinity), try Self.key(Double.nan), try Self.key(0.1),
            try Self.key(Float(0.1)), try Self.key(Int128.max), try Self.key(UInt64.max), try Self.key(UInt128.max),
            try Self.key("A"), try Self.key("a"), try Self.key([Int128.max]), try Self.key(["a": UInt128.max]),
        ]
        #expect(Set(keys).count == keys.count)
        #expect(try Self.key(Arguments("a~b", "c")) != Self.key(Arguments("a", "b~c")))
    }

    @Test func `what is equal has one key`() throws {
        #expect(try Self.key(Int8(5)) == Self.key(UInt64(5)))
        struct Wide: Encodable { var a: Int128, b: UInt128? }
        struct Narrow: Encodable { var a = 1, b = 2 }
        #expect(try Self.key(Wide(a: 1, b: 2)) == Self.key(Narrow()))
        #expect(try Self.key(Float(0.5)) == Self.key(0.5))
        #expect(try Self.key(-0.0) == Self.key(0.0))
        #expect(try Self.key(Double.nan) == Self.key(Double(nan: 7, signaling: false)))
        #expect(try Self.key("é") == Self.key("e\u{301}"))
        #expect(try Self.key(["é": 1]) == Self.key(["e\u{301}": 1]))
    }

    @Test func `the order in which a dictionary or a set was filled does not matter`() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<50 {
            let names = (0..<20).map { _ in "\(generator.next(below: 1000))" }
            var forwards: [String: Record] = [:]
            var backwards: [String: Record] = [:]
            for name in names { forwards[name] = Record(name: name, tags: Set(names)) }
            backwards.reserveCapacity(500)
            for name in names.reversed() {
                backwards[name] = Record(name: name, tags: Set(names.shuffled(using: &generator)))
            }
            #expect(forwards == backwards)
            #expect(try Self.key(forwards) == Self.key(backwards))
        }
    }

    @Test func `digests never change, from process to process and from version to version`() throws {
        let value = ["b": [Record(name: "é", parts: [1, -2], tags: ["x", "y", "z"])], "a": []]
        #expect(try String(decoding: CanonicalKey.bytes(of: [1, 2]), as: UTF8.self) == "ai2;i1;i2;")
        // Worked out by another program from the description of the form.
        #expect(try Self.key(value) == "1f5413cad475225910d45b089c42a3bcc165ae1a459ecd9f839f112b3acddc21")
    }
}
