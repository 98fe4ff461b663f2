import CacheCore
import Synchronization
import Testing

@testable import CacheConformance

@Suite("Operations that suspend are interleaved as the suite says")
struct InterleavingTests {
    private static let check = ConformanceSuite.cache.checks.first { $0.id == "LIN-15" }!

    /// Registers that wait a number of times before and after each operation, and perhaps between looking and writing.
    private actor Register: SuspendingInstance {
        private var values: [[UInt8]: [UInt8]] = [:]
        private let rules: Rules
        private let executor: SteppedExecutor

        init(_ rules: Rules, on executor: SteppedExecutor) { (self.rules, self.executor) = (rules, executor) }

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.actors.asUnownedSerialExecutor() }
        nonisolated func perform(_ operation: CacheOperation) -> OperationResult { .done }

        func performSuspending(_ operation: CacheOperation) async -> OperationResult {
            await pause(rules.pauses)
            switch operation {
            case .put(let key, _, _, _):
                values[key] = operation.entry!.value
                return .done
            case .get(let key):
                let seen = values[key]
                if rules.answersLate { await pause(1) }
                return .entry((rules.looksAgain ? values[key] : seen).map { StoredEntry($0) })
            case .remove(let key):
                let isThere = values[key] != nil
                if rules.removesLate { await pause(1) }
                values[key] = nil
                return .flag(isThere)
            default: return .failure(.unsupported(operation))
            }
        }

        private func pause(_ times: Int) async {
            for _ in 0..<times { await Task(executorPreference: executor.tasks) {}.value }
        }
    }

    private struct Rules {
        var pauses = 1
        var answersLate = false
        var looksAgain = false
        var removesLate = false
    }

    private struct Subject: CacheSubject {
        let name = "register"
        var rules = Rules()
        func claims() -> Claims { Claims(features: [.suspends]) }
        func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance {
            Register(rules, on: SteppedExecutor())
        }
        func open(
            _ setup: CacheSetup, in directory: String?, on executor: SteppedExecutor
        ) -> any SuspendingInstance { Register(rules, on: executor) }
    }

    private static func run(
        _ program: InterleavedProgram, _ rules: Rules = Rules(), choosing choices: [Int]
    ) -> InterleavedRun {
        let executor = SteppedExecutor()
        return InterleavedRun(program, on: Register(rules, on: executor), executor, choosing: choices)
    }

    @Test func `the same choices show the same`() {
        var generator = SeededGenerator(seed: 5)
        for program in InterleavedProgram.small([.get, .put, .remove]) {
            let choices = (0..<30).map { _ in generator.next(below: 4) }
            let (first, second) = (Self.run(program, choosing: choices), Self.run(program, choosing: choices))
            #expect(first.history.operations == second.history.operations)
            #expect(first.branches == second.branches && first.choices == second.choices)
            #expect(!first.isStuck && first.fault == nil)
        }
    }

    /// Depth first, every order is met, and none twice.
    @Test func `every order is tried once`() throws {
        let program = InterleavedProgram.small([.put])[0]
        var seen: Set<[Int]> = []
        var lasts: Set<Int32> = []
        var next: [Int]? = []
        while let choices = next {
            let run = Self.run(program, choosing: choices)
            #expect(seen.insert(run.choices).inserted)
            lasts.insert(run.history.operations.last!.result)
            next = InterleavingSearch.following(run)
        }
        #expect(seen.count > 10)
        // Either client may be the last who writes, and so is found.
        #expect(lasts == [2, 3])
    }

    @Test(arguments: [0, 1, 2])
    func `a register that does one step at once passes`(_ pauses: Int) {
        let result = Self.check.run(on: Subject(rules: Rules(pauses: pauses)))
        #expect(pauses == 0 || result.outcome == .pass, "\(result.outcome)")
    }

    @Test func `who looks, waits and then takes is noticed, with few operations`() throws {
        let result = Self.check.run(on: Subject(rules: Rules(removesLate: true)))
        let failure = try #require(result.failure)
        #expect(failure.history != nil && failure.steps.count <= 6, "\(failure)")
        let again = try #require(Self.check.run(on: Subject(rules: Rules(removesLate: true))).failure)
        #expect(again == failure)
    }

    /// An answer may be old by the time it is told, and may be looked up as late as that.
    @Test(arguments: [false, true])
    func `when an operation takes effect between its call and its answer is its own affair`(_ looksAgain: Bool) {
        let result = Self.check.run(on: Subject(rules: Rules(answersLate: true, looksAgain: looksAgain)))
        #expect(result.outcome == .pass, "\(result.outcome)")
    }

    @Test func `a subject that cannot be opened on an executor fails what it claims`() {
        struct Blocking: CacheSubject {
            let name = "blocking"
            func claims() -> Claims { Claims(features: [.suspends]) }
            func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance {
                Register(Rules(), on: SteppedExecutor())
            }
        }
        #expect(Self.check.run(on: Blocking()).failure?.observed.contains("cannot be opened") == true)
    }
}
