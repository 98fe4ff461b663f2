import CacheConformance
import CacheCore
import CachePolicies
import CacheReference
import Testing

/// A read inside a load's `meanwhile` counts as any other: docs/subject-protocol.md, steps.
@Suite("Reads while something is loaded")
struct MeanwhileReadTests {
    private static let (a, b, c, x) = (Array("a".utf8), Array("b".utf8), Array("c".utf8), Array("x".utf8))

    private static func put(_ key: [UInt8]) -> CacheOperation { .put(key, .bytes(key)) }

    private static func load(_ key: [UInt8], while meanwhile: [CacheOperation]) -> CacheOperation {
        .load(key, Origin(.value(.bytes(key)), meanwhile: meanwhile))
    }

    static let programs: [(name: String, program: Program)] = [
        ("a hit", Program([put(a), load(b, while: [.get(a)]), .statistics])),
        ("a miss", Program([load(b, while: [.get(x)]), .statistics])),
        ("a miss of the key itself", Program([load(b, while: [.get(b)]), .statistics])),
        ("several", Program([put(a), load(b, while: [.getMany([a, x]), .get(a)]), .statistics])),
        ("a load that finds", Program([put(a), load(b, while: [load(a, while: [])]), .statistics])),
        ("a load that fails", Program([load(b, while: [.load(x, Origin(.failure))]), .statistics])),
        (
            "in a group",
            Program([.within(group: "g", put(a)), load(b, while: [.within(group: "g", .get(a))]), .statistics])
        ),
        (
            "what was read stays longer",
            Program(
                [put(a), put(b), load(c, while: [.get(a)]), .contains(a), .contains(b), .contains(c), .statistics],
                setup: CacheSetup(capacity: .objects(2)))
        ),
    ]

    @Test(arguments: programs.indices)
    func `the reference and the model count the same`(index: Int) throws {
        let (name, program) = Self.programs[index]
        let replay = try Replay(program, on: ReferenceSubject(order: "lru", policies: BuiltinPolicies.all))
        #expect(replay.isPermitted, "\(name): \(replay.steps.last.map { "\($0)" } ?? "")")
    }

    @Test func `a hit that is not counted is noticed`() throws {
        let replay = try Replay(Self.programs[0].program, on: Self.uncounted)
        #expect(replay.steps.last?.permitted == "1 hits")
    }

    /// A cache that counts no read while something is loaded.
    private static let uncounted = FrontedSubject { operation, cache in
        let answer = cache.perform(operation)
        guard case .statistics(var counters) = answer else { return answer }
        counters.hits = 0
        return .statistics(counters)
    }
}
