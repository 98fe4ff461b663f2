import CacheCore
import Testing

@testable import CacheEngine

@Suite("Keys that are equal hash alike, and chosen ones do not meet")
struct KeyHashTests {
    static func hash(seed: UInt64) -> KeyHash {
        var generator = SeededGenerator(seed: seed)
        let numbers = (0..<3).map { _ in generator.next() }
        return KeyHash { numbers[$0] }
    }

    /// Swift compares texts by canonical equivalence: a cache that hashed their bytes would lose what was written under the other
    /// spelling of a name, as HFS+ and Linux file systems disagreed about.
    @Test func `texts that are spelled otherwise`() {
        let hash = KeyHash.ofProcess
        for (one, other) in [
            ("\u{E9}", "e\u{301}"), ("\u{212A}", "K"), ("a\u{37E}\u{1FEF}", "a;`"), ("\u{1E69}", "s\u{323}\u{307}"),
            ("an \u{212B}", "an \u{C5}"), ("\u{AC00}", "\u{1100}\u{1161}"), ("", String("x".dropLast())),
        ] {
            #expect(one == other && hash(one) == hash(other))
        }
        let long = String(repeating: "path/", count: 20)
        let (native, bridged) = (long + "\u{212A}", long + "K")
        #expect(hash(native) == hash(bridged))
        #expect(hash(String(("x" + long).dropFirst())) == hash(long))
    }

    @Test func `no other character is equal to an ASCII one`() {
        let ascii = Set((0..<128).map { String(UnicodeScalar(UInt8($0))) })
        let equal = (128...0x10FFFF).compactMap { UnicodeScalar(UInt32($0)) }.filter { ascii.contains(String($0)) }
        #expect(Set(equal) == ["\u{37E}", "\u{1FEF}", "\u{212A}"])
    }

    /// The most keys in one of as many buckets as there are keys, by the bits that choose a shard or a bucket.
    static func fullest(_ hashes: [UInt64], shift: UInt64) -> Int {
        var counts = [Int](repeating: 0, count: hashes.count)
        for hash in hashes { counts[Int(truncatingIfNeeded: hash >> shift) & (hashes.count - 1)] += 1 }
        return counts.max() ?? 0
    }

    /// Klink and Wälde (28C3, 2011) stopped servers in most languages with keys chosen to meet in one bucket. These are the families
    /// that meet under hashes without a secret: multiples of powers of two, differences in one bit or one block, permuted blocks.
    @Test(arguments: 1...8)
    func `a flood of chosen keys`(_ seed: Int) {
        let hash = Self.hash(seed: UInt64(seed))
        let count = 4096
        let blocks = ["Aa", "BB"]
        var families: [[UInt64]] = [0, 12, 32, 48].map { shift in (0..<count).map { hash.number(UInt64($0) << shift) } }
        families.append((0..<count).map { hash.number(~UInt64($0)) })
        // Texts that have one hash in Java.
        families.append((0..<count).map { bits in hash((0..<12).map { blocks[bits >> $0 & 1] }.joined()) })
        families.append(
            (0..<count).map { bits in hash((0..<12).map { bits >> $0 & 1 == 0 ? "00000000" : "11111111" }.joined()) })
        families.append((0..<count).map { hash([UInt8](repeating: 0, count: $0)) })
        families.append((0..<count).map { hash([UInt8](repeating: 0, count: 12) + [UInt8($0 & 255), UInt8($0 >> 8)]) })
        for hashes in families {
            #expect(Set(hashes).count == count)
            // Drawn at random, one bucket of 4096 holds more than 12 of 4096 keys once in 400,000 drawings.
            for shift in [0, 32, 52] as [UInt64] { #expect(Self.fullest(hashes, shift: shift) <= 12) }
        }
    }

    @Test func `another process hashes otherwise`() {
        #expect(Self.hash(seed: 1)("a key of twenty bytes") != Self.hash(seed: 2)("a key of twenty bytes"))
        #expect(Self.hash(seed: 1)(7) != Self.hash(seed: 2)(7))
    }
}
