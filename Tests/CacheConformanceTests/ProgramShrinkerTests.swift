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
            func perform(_ operation: CacheConformance.Operation) -> OperationResult {
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
}
