import CacheConformance
import CacheCore
import CacheEngineSubjects
import CachePolicies
import CacheStorage
import Testing

/// As the tests of the same name of the reference: a read inside a load's `meanwhile` counts as any other.
@Suite("Reads of the engine while something is loaded")
struct MeanwhileReadTests {
    @Test(arguments: ["cache:lru", "cache:s3fifo+relaxed"])
    func `the engine and the model count the same`(name: String) throws {
        let subject = try #require(EngineSubjectTests.subjects.first { $0.name == name })
        let (a, b, x) = (Array("a".utf8), Array("b".utf8), Array("x".utf8))
        func load(_ key: [UInt8], while meanwhile: [CacheOperation]) -> CacheOperation {
            .load(key, Origin(.value(.bytes(key)), meanwhile: meanwhile))
        }
        for (steps, hits, misses) in [
            ([.put(a, .bytes(a)), load(b, while: [.get(a)])], 1, 1), ([load(b, while: [.get(x)])], 0, 2),
            ([.put(a, .bytes(a)), load(b, while: [.getMany([a, x]), load(a, while: [])])], 2, 2),
        ] as [([CacheOperation], Int, Int)] {
            let replay = try Replay(Program(steps + [.statistics]), on: subject)
            #expect(replay.isPermitted, "\(replay.steps.last.map { "\($0)" } ?? "")")
            let counted = try #require(replay.steps.last?.observed)
            #expect(counted.contains("\(hits) hits") && counted.contains("\(misses) misses"), "\(counted)")
        }
    }
}
