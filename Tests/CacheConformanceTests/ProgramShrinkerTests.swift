import CacheCore
import Synchronization
import Testing

@testable import CacheConformance

/// Steps of the clock are joined, since a bug that needs time seldom needs it in pieces.
@Suite("Shrinking programs")
struct ProgramShrinkerTests {
    /// A cache that answers what nobody stored once its clock shows 10 ns.
    private struct Confused: CacheSubject {
        final class Instance: CacheInstance {
            private let now = Mutex<Int64>(0)
            func perform(_ operation: CacheOperation) -> OperationResult {
                switch operation {
                case .advance(let step):
                    now.withLock { $0 += step }
                    return .done
                case .get: return .entry(now.withLock { $0 } < 10 ? nil : StoredEntry([1]))
                case .contains: return .flag(false)
                default: return .done
                }
            }
        }

        var name: String { "confused" }
        func claims() -> Claims { Claims() }
        func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance { Instance() }
    }

    @Test func `what needs ten nanoseconds in all is shown with one step of the clock`() throws {
        let a = Array("a".utf8)
        let runner = ProgramRunner(subject: Confused(), claims: Confused().claims())
        let program = Program([
            .put(a, .described(sequence: 1, byteCount: 32)), .advance(nanoseconds: 3), .contains(Array("b".utf8)),
            .advance(nanoseconds: 4), .advance(nanoseconds: 3), .get(a),
        ])
        let divergence = try #require(runner.run(program).divergence)
        let smallest = ProgramShrinker(runner: runner).shrink(program, divergence).program
        #expect(smallest.operations == [.advance(nanoseconds: 10), .get(a)])
    }

    /// One subject shrank for 346 seconds.
    @Test func `shrinking ends when its tries or its time are spent, and says so`() throws {
        let runner = ProgramRunner(subject: Confused(), claims: Confused().claims())
        let program = Program((0..<40).map { _ in .advance(nanoseconds: 1) } + [.get([1]), .count])
        let divergence = try #require(runner.run(program).divergence)
        func remark(_ budget: ShrinkBudget) -> String? {
            ProgramShrinker(runner: runner, budget: budget).shrink(program, divergence).remark
        }
        #expect(remark(ShrinkBudget(tries: 4_000, seconds: 600)) == nil)
        #expect(
            remark(ShrinkBudget(tries: 3, seconds: 600))
                == "the program may be smaller: making it smaller ended after 3 tries")
        #expect(remark(ShrinkBudget(tries: 3, seconds: 0))?.hasSuffix("ended after 0 s") == true)
    }

    /// A cache that does not answer a get once its clock shows less than 5 ns, which its deadline ends.
    private struct Hanging: CacheSubject {
        final class Instance: CacheInstance {
            let subject: Hanging
            private let now = Mutex<Int64>(0)
            init(_ subject: Hanging) { self.subject = subject }

            func perform(_ operation: CacheOperation) -> OperationResult {
                switch operation {
                case .advance(let step): now.withLock { $0 += step }
                case .get:
                    if now.withLock({ $0 }) >= 5 { return .entry(StoredEntry([1])) }
                    subject.hangs.withLock { $0 += 1 }
                    return .failure(StoreError(.hung, "no answer within 60 s"))
                default: break
                }
                return .done
            }
        }

        final class Count: Sendable {
            private let count = Mutex(0)
            func withLock<Result: Sendable>(_ body: (inout sending Int) -> sending Result) -> Result {
                count.withLock(body)
            }
        }

        let hangs = Count()
        var name: String { "hanging" }
        func claims() -> Claims { Claims() }
        func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance { Instance(self) }
    }

    @Test func `a try that is not answered ends the shrinking, and what is told is not it`() throws {
        let subject = Hanging()
        let check = try #require(ConformanceSuite.cache.check("BAS-1"))
        let context = CheckContext(
            subject: subject, claims: subject.claims(), check: check, seed: 1, draws: SeedDraws())
        let program = Program((0..<8).map { _ in .advance(nanoseconds: 1) } + [.get([1])])
        let stop = #expect(throws: CheckStop.self) { try context.verify(program) }
        guard case .failed(let failure) = stop else { return }
        #expect(subject.hangs.withLock { $0 } == 1)
        #expect(failure.end == nil && failure.steps.count == 1)
        #expect(failure.description.contains("the program may be smaller"))
    }
}
