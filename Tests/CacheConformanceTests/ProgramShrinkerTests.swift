import CacheCore
import Synchronization
import Testing

@testable import CacheConformance

/// Steps of the clock are joined, since a bug that needs time seldom needs it in pieces.
@Suite("Shrinking programs")
struct ProgramShrinkerTests {
    /// A cache that answers what nobody stored once its clock shows 10 ns.
    private static let confused = ScriptedSubject {
        let now = Mutex<Int64>(0)
        return { operation in
            switch operation {
            case .advance(let step): now.withLock { $0 += step }
            case .get: return .entry(now.withLock(\.self) < 10 ? nil : StoredEntry([1]))
            case .contains: return .flag(false)
            default: break
            }
            return .done
        }
    }

    @Test func `what needs ten nanoseconds in all is shown with one step of the clock`() throws {
        let a = Array("a".utf8)
        let runner = ProgramRunner(subject: Self.confused, claims: Claims())
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
        let runner = ProgramRunner(subject: Self.confused, claims: Claims())
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

    /// A cache whose clears do not answer once an entry is in it. Tells how long the answer would have been waited for.
    private static let hangingClears = ScriptedSubject {
        let isFilled = Mutex(false)
        return { operation in
            switch operation {
            case .put: isFilled.withLock { $0 = true }
            // Another failure on the way is not the one that is made smaller.
            case .get: return isFilled.withLock(\.self) ? .entry(nil) : .entry(StoredEntry([9]))
            case .removeAll where isFilled.withLock(\.self):
                let seconds = min(60, SubjectSession.answerSecondsMax)
                return .failure(StoreError(.hung, "no answer within \(seconds) s"))
            default: break
            }
            return .done
        }
    }

    /// A `removeAll` that never answered was shown with 601 steps.
    @Test func `a hang is made smaller with a short deadline, which is said`() throws {
        var claims = Claims()
        claims.retains = false
        let runner = ProgramRunner(subject: Self.hangingClears, claims: claims)
        let puts = (0..<300).map { CacheOperation.put([UInt8($0 % 200)], .described(sequence: $0, byteCount: 32)) }
        let program = Program(puts + (0..<300).map { .get([UInt8($0 % 200)]) } + [.removeAll])
        let divergence = try #require(runner.run(program).divergence)
        #expect(divergence.index == 600 && divergence.observed.contains("60"), "\(divergence)")
        let budget = ShrinkBudget(tries: 4_000, seconds: 600)
        let smallest = ProgramShrinker(runner: runner, budget: budget).shrink(program, divergence)
        #expect(smallest.program.operations.map(\.name) == ["put", "removeAll"], "\(smallest.program)")
        #expect(smallest.divergence.error?.code == .hung && smallest.divergence.observed.contains("2.0 s"))
        #expect(smallest.remark?.hasPrefix("each smaller program was given 2.0 s to answer") == true)
    }

    @Test func `a try that is not answered ends the shrinking, and what is told is not it`() throws {
        // One that does not answer a get once its clock shows less than 5 ns, which its deadline ends.
        let hangs = Mutex(0)
        let subject = ScriptedSubject {
            let now = Mutex<Int64>(0)
            return { operation in
                switch operation {
                case .advance(let step): now.withLock { $0 += step }
                case .get:
                    if now.withLock(\.self) >= 5 { return .entry(StoredEntry([1])) }
                    hangs.withLock { $0 += 1 }
                    return .failure(StoreError(.hung, "no answer within 60 s"))
                default: break
                }
                return .done
            }
        }
        let check = try #require(ConformanceSuite.cache.check("BAS-1"))
        let context = CheckContext(
            subject: subject, claims: subject.claims(), check: check, seed: 1, draws: SeedDraws())
        let program = Program((0..<8).map { _ in .advance(nanoseconds: 1) } + [.get([1])])
        let stop = #expect(throws: CheckStop.self) { try context.verify(program) }
        guard case .failed(let failure) = stop else { return }
        let count = hangs.withLock(\.self)
        #expect(count == 1)
        #expect(failure.end == nil && failure.steps.count == 1)
        #expect(failure.description.contains("the program may be smaller"))
    }
}
