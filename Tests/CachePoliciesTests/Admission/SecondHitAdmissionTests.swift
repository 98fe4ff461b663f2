import CacheCore
import CachePolicies
import Testing

@testable import AdmissionPolicies

@Suite("Admission at the second miss")
struct SecondHitAdmissionTests {
    @Test(arguments: ["second-hit", "second-hit:exact"])
    func `lets an object in when it is missed again`(_ filter: String) throws {
        #expect(try outcomes("lru+\(filter)", capacity: 2, "abaabb") == "a b a a! b b!")
    }

    @Test func `an object that was let in and left comes back at once`() throws {
        #expect(try outcomes("lru+second-hit:exact", capacity: 1, "aabbaa") == "a a b b>a a>b a!")
    }

    @Test func `a window forgets what was missed long ago`() throws {
        // Two filters of two: after c and d, and e and f, nothing is known of a.
        let gate = try openGate("second-hit:window=2")
        func miss(_ ids: [ObjectID]) -> [Bool] { ids.map { gate.admits(Request(id: $0), over: nil) } }
        #expect(miss([0, 1, 0]) == [false, false, true])
        #expect(miss([2, 3, 0]) == [false, false, false])
        #expect(miss([0, 3]) == [true, true])
    }

    /// Two sets in turn; at so few false positives the filters are as good as sets.
    @Test(arguments: [1, 2, 7, 50, 100])
    func `equals two sets that take turns`(_ window: Int) throws {
        for seed in 0..<5 as Range<UInt64> {
            let gate = try openGate("second-hit:window=\(window),false-positives=0.000001")
            let admitted = misses(seed).map { gate.admits(Request(id: $0), over: nil) }
            #expect(admitted == setsInTurn(misses(seed), window: window))
            // Sets of another window are noticed, unless both hold everything.
            if window < 50 { #expect(admitted != setsInTurn(misses(seed), window: window + 1)) }
        }
    }

    @Test func `exact equals a set`() throws {
        let gate = try openGate("second-hit:exact")
        var seen: Set<ObjectID> = []
        for id in misses(1) {
            #expect(gate.admits(Request(id: id), over: nil) == !seen.insert(id).inserted)
        }
    }

    private func misses(_ seed: UInt64) -> [ObjectID] {
        var generator = SeededGenerator(seed: seed)
        return (0..<2000).map { _ in ObjectID(generator.next(below: 1 + generator.next(below: 100))) }
    }

    private func setsInTurn(_ misses: [ObjectID], window: Int) -> [Bool] {
        var (current, previous): (Set<ObjectID>, Set<ObjectID>) = ([], [])
        return misses.map { id in
            if current.contains(id) || previous.contains(id) { return true }
            current.insert(id)
            if current.count == window { (previous, current) = (current, []) }
            return false
        }
    }
}

@Suite("Bloom filter")
struct BloomFilterTests {
    @Test(arguments: [0.5, 0.1, 0.01, 0.001], [1, 10, 1000, 20_000])
    func `holds what was put in, and a few more`(_ share: Double, _ count: Int) {
        let found = falsePositives(share, expected: count, entered: count)
        #expect(found.missing == 0)
        // Small filters have bits to spare; 5 deviations of 100,000 trials.
        let deviation = (share * (1 - share) / 100_000).squareRoot()
        #expect(found.share <= share * 1.1 + 5 * deviation)
        if count >= 1000 { #expect(found.share >= share * 0.5) }
    }

    @Test(arguments: [0.1, 0.01])
    func `and one with twice as many is noticed`(_ share: Double) {
        #expect(falsePositives(share, expected: 10_000, entered: 20_000).share > share * 1.5)
    }

    @Test func `is empty again after it was emptied`() {
        var filter = BloomFilter(expected: 100, falsePositives: 0.01)
        for id in 0..<ObjectID(100) { filter.insert(id) }
        filter.removeAll()
        #expect((0..<ObjectID(10_000)).allSatisfy { !filter.contains($0) })
    }

    private func falsePositives(
        _ share: Double, expected: Int, entered: Int
    ) -> (share: Double, missing: Int) {
        var filter = BloomFilter(expected: expected, falsePositives: share)
        for id in 0..<ObjectID(entered) { filter.insert(id) }
        let missing = (0..<ObjectID(entered)).count { !filter.contains($0) }
        let others = (1_000_000..<ObjectID(1_100_000)).count { filter.contains($0) }
        return (Double(others) / 100_000, missing)
    }
}
