import CacheCore
import Testing

@testable import SketchPolicies

@Suite("libCacheSim's counting Bloom filter")
struct CountingBloomFilterTests {
    private static func filter(objects: Int, entries: Int?) throws -> CountingBloomFilter {
        CountingBloomFilter(
            PolicyConfiguration(
                capacity: .objects(10), objects: ObjectSpace(count: objects), parameters: ParameterValues(defaults: [])),
            entries: entries)
    }

    @Test(arguments: [1, 50, 1000])
    func `never counts too little, and a long one counts right`(_ entries: Int) throws {
        let filter = try Self.filter(objects: 200, entries: entries)
        var generator = SeededGenerator(seed: 3)
        var counts = [UInt32](repeating: 0, count: 200)
        for _ in 0..<2000 {
            let id = ObjectID(generator.next(below: 200))
            filter.add(id)
            counts[Int(id)] += 1
        }
        let estimates = (0..<200).map { filter.estimate(ObjectID($0)) }
        #expect(zip(estimates, counts).allSatisfy { $0 >= $1 })
        #expect(entries < 1000 || estimates == counts)
        #expect(entries > 1 || estimates != counts)
        filter.halve()
        #expect((0..<200).allSatisfy { filter.estimate(ObjectID($0)) == estimates[$0] / 2 })
    }

    @Test func `a filter that is never asked takes nothing`() throws {
        _ = try Self.filter(objects: 1_000_000_000, entries: nil)
    }
}
