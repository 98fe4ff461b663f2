import CacheCore
import CacheHarness
import CacheSystemRuns
import Testing
import _CacheTestSupport

/// The figures of all probes of a system, small.
func probed(_ name: String, _ settings: [String: String] = [:], scale: Double = 0.001) async throws -> [SystemFigure] {
    try await onThread {
        let directory = try TemporaryDirectory()
        let (entry, setup) = try setup(name, settings, in: directory.path, scale: scale)
        return try entry.probe(setup)
    }
}

extension [SystemFigure] {
    /// The value of the figure of a name.
    subscript(name: String) -> Double? { first { $0.name == name }?.value }
}

@Suite("Probes of systems")
struct SystemProbeTests {
    @Test(arguments: BuiltinSystemRuns.all.map(\.name))
    func `a system's figures are finite and of one name each, and its counts the same each time`(
        _ name: String
    ) async throws {
        let (first, second) = (try await probed(name), try await probed(name))
        #expect(!first.isEmpty && Set(first.map(\.name)).count == first.count)
        #expect(first.map(\.name) == second.map(\.name))
        for (figure, again) in zip(first, second) {
            #expect(figure.value.isFinite, "\(figure)")
            switch figure.unit {
            case .count, .ratio: #expect(figure == again)
            case .perSecond, .bytesPerSecond: #expect(figure.value > 0, "\(figure)")
            // What a monitor adds is a difference, and memory need not grow.
            case .nanoseconds, .times, .bytes: break
            }
        }
    }

    /// A system with a probe that fails.
    private final class Failing: RunnableSystem {
        struct Broken: Error {}

        static let name = "failing"
        static let settings: [ParameterSpecification] = []
        static let keepsFiles = false
        static let probes = [
            SystemProbe("what is right") { setup in
                #expect(setup.directory.hasSuffix("/what-is-right"))
                return [SystemFigure("right", count: 1)]
            },
            SystemProbe("what is wrong") { setup in
                if setup.seed == 1 { throw AssayError(.verdict, "a wrong answer: 3", cause: "4") }
                throw Broken()
            },
        ]

        init(_ setup: SystemRunSetup) throws {}
        var stepCount: Int { 0 }
        var origin: OriginCounts { OriginCounts() }
        func open() throws {}
        func drive(_ steps: Range<Int>, _ sheet: SystemCallRecorder) throws {}
        func entries() throws -> Int { 0 }
        func figures() throws -> [SystemFigure] { [] }
        func close() throws {}
    }

    @Test(arguments: [UInt64(1), 2])
    func `an error has the name of its probe, and the code of what went wrong`(_ seed: UInt64) throws {
        let (_, blank) = try setup("method-cache", [:], in: "nowhere", seed: seed)
        let error = #expect(throws: AssayError.self) { try SystemRunEntry(Failing.self).probe(blank) }
        #expect(error?.code == (seed == 1 ? .verdict : .internalError))
        #expect(error?.message == (seed == 1 ? "what is wrong: a wrong answer: 3" : "what is wrong: Broken()"))
        #expect(error?.cause == (seed == 1 ? "4" : nil))
    }
}
