import CacheConformance
import CacheCore
import CacheHarness
import CachePlugins
import CacheStorage
import Testing
import _CacheTestSupport

@Suite(
    "A policy of a plug-in that lies is told by name", .enabled(if: SharedLibrary.hasC, "\(SharedLibrary.withoutC)"))
struct LyingPolicyTests {
    /// A lie, and what is told of it.
    struct Lie: Sendable, CustomTestStringConvertible {
        let name: String
        var policy = 0
        let words: String
        var testDescription: String { name }
    }

    private static let atMisses = [
        Lie(name: "stranger", words: "evicted object 119 at request 3, which is not resident"),
        Lie(name: "unknown", words: "evicted object 4294967295 at request 3, an id that it was never given"),
        Lie(name: "twice", words: "twice at request"),
        Lie(name: "newcomer", words: "at request 3, which is not resident"),
        Lie(name: "capacity", words: "exceeded its capacity at request"),
        Lie(name: "answer", words: "returned from miss at request 3 with code 7, which is none of Assay's"),
        Lie(name: "fails", words: "returned from miss at request 3 with code -1, failed: no more ideas"),
        Lie(name: "silent-failure", words: "returned from miss at request 3 with code -4711, which is none of Assay's"),
        Lie(name: "long-message", words: "code -4, input or output: \(String(repeating: "x", count: 256))."),
        Lie(name: "forgets", words: "and does not say that it keeps ghosts"),
        Lie(name: "hit-fails", words: "returned from hit at request"),
        Lie(name: "hit-evicts", words: "told of an evicted object when nothing had missed"),
        Lie(name: "ghost-resident", policy: 1, words: ", which is resident"),
        Lie(name: "ghost-twice", policy: 1, words: ", of which it holds nothing"),
        Lie(name: "ghost-newcomer", policy: 1, words: "and forgot it at request 0"),
    ]

    private static let atExchanges = [
        Lie(name: "exchange-stranger", words: "evicted object 119, which is not resident, for object"),
        Lie(name: "exchange-unknown", words: "evicted object 4294967295, an id that it was never given, for object"),
        Lie(name: "exchange-hit", words: "which is resident, for a miss"),
        Lie(name: "exchange-miss", words: "which is not resident, for a hit"),
        Lie(name: "exchange-fails", words: "returned from exchange"),
    ]

    /// Requests for 0, 1, 2, …, and then again and others.
    private static let trace = PluginTrace(.uniform, requests: 20_000, seed: 9)

    private func setUp(_ lie: Lie) throws -> (entry: PolicyEntry, configuration: PolicyConfiguration) {
        let entry = try Plugins.liars.get().policies[lie.policy]
        return (entry, try Self.trace.configuration(.objects(10), entry, "lie=\(lie.name)"))
    }

    private func require(_ error: AssayError?, tells lie: Lie) throws {
        let error = try #require(error)
        #expect(error.code == .verdict)
        #expect(error.message.hasPrefix("The policy \(lie.policy == 0 ? "liar" : "ghostly") "))
        #expect(error.message.contains(lie.words), "\(error.message)")
        #expect(error.location?.source == (try Plugins.liars.get().path))
    }

    @Test(arguments: atMisses + atExchanges)
    func `in a replay`(_ lie: Lie) throws {
        let (entry, configuration) = try setUp(lie)
        try require(
            #expect(throws: AssayError.self) { try entry.simulate(Self.trace.columns, configuration) }, tells: lie)
    }

    @Test(arguments: atMisses)
    func `in a replay request by request`(_ lie: Lie) throws {
        let (entry, configuration) = try setUp(lie)
        let replay = try SteppedReplay(entry, Self.trace.columns, configuration)
        try require(
            #expect(throws: AssayError.self) { try replay.run(0..<20_000, ReplayMonitor()) }, tells: lie)
    }

    @Test(arguments: atMisses)
    func `in a live run, whose other entries are safe`(_ lie: Lie) throws {
        let (entry, configuration) = try setUp(lie)
        let backend = BackendEntry(DictionaryStorage.self)
        let live = LiveRun(
            LiveRun.Subject(
                policy: entry, configuration: configuration, backend: backend,
                backendParameters: ParameterValues(defaults: backend.descriptor.parameters)),
            columns: Self.trace.columns, keys: Self.trace.keys, valueBytes: 8)
        let error = #expect(throws: AssayError.self) { try live.timing(directory: "unused") }
        #expect(error?.code == .verdict)
        #expect(error?.message.hasPrefix("The policy \(lie.policy == 0 ? "liar" : "ghostly") ") == true)
    }

    @Test(arguments: atMisses)
    func `by the suite of policies`(_ lie: Lie) throws {
        let (entry, configuration) = try setUp(lie)
        let subject = PolicySubject(entry, parameters: configuration.parameters)
        let report = ConformanceSuite.policy.run(on: subject, seed: 1)
        let failed = report.results.filter(\.outcome.isNegative)
        #expect(failed.contains { $0.id == "PLC-1" } && failed.contains { $0.id == "PLC-13" })
        #expect(failed.contains { "\($0.outcome)".contains("the policy failed: The policy ") })
    }

    @Test func `a victim that is none is told, and a failure to name one`() throws {
        for (lie, words) in [
            ("victim", "named object 4294967295 as its next victim, which is not resident"),
            ("victim-fails", "returned from next_victim at request 0 with code -1"),
        ] {
            let (entry, configuration) = try setUp(Lie(name: lie, words: words))
            let policy = try entry.open(configuration)
            var victims = VictimList()
            #expect(policy.insert(Request(id: 4), evicting: &victims))
            #expect(policy.nextVictim(for: Request(id: 5)) == nil)
            try require(policy.failure, tells: Lie(name: lie, words: words))
            // What is resident stays, and nothing enters any more.
            #expect(policy.touch(Request(id: 4)) && policy.contains(4))
            #expect(!policy.insert(Request(id: 5), evicting: &victims))
            #expect(victims.forgotten == [5] && victims.evicted.isEmpty)
            policy.remove(4)
            #expect(policy.residentCount == 0)
        }
    }

    @Test func `a removal that fails is told`() throws {
        let lie = Lie(name: "remove-fails", words: "returned from remove")
        let (entry, configuration) = try setUp(lie)
        let policy = try entry.open(configuration)
        var victims = VictimList()
        #expect(policy.insert(Request(id: 4), evicting: &victims))
        policy.remove(5)
        #expect(policy.failure == nil, "what was never resident is no plug-in's business")
        policy.remove(4)
        try require(policy.failure, tells: lie)
    }

    @Test(arguments: [("create-usage", AssayError.Code.usage), ("create-fails", .unavailable)])
    func `a cache that cannot be made says why`(_ lie: String, _ code: AssayError.Code) throws {
        let (entry, configuration) = try setUp(Lie(name: lie, words: ""))
        for unit in [Capacity.objects(10), .bytes(10)] {
            var configuration = configuration
            configuration.capacity = unit
            let error = #expect(throws: AssayError.self) { try entry.open(configuration) }
            #expect(error?.code == code)
            #expect(error?.message.contains("The policy liar could not make a cache of \(unit)") == true)
            #expect(
                error?.message.contains(code == .usage ? "lie and capacity do not go together" : "no memory") == true)
        }
    }

    @Test func `a message is one line of text, whatever its bytes`() throws {
        let (entry, configuration) = try setUp(Lie(name: "hit-fails", words: ""))
        let error = try #require(
            #expect(throws: AssayError.self) { try entry.simulate(Self.trace.columns, configuration) })
        #expect(error.message.hasSuffix("code -1, failed: the hit \u{1B}[31mfailed\u{FFFD}."))
    }
}
