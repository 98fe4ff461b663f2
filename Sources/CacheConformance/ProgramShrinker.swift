import CacheCore

/// Makes a failing program smaller: fewer operations, then fewer and plainer keys, then smaller values and fewer and smaller times.
///
/// Every candidate runs on a fresh instance; it is kept if it fails, in whatever way. The result is deterministic.
struct ProgramShrinker {
    let runner: ProgramRunner
    /// How many candidates are tried, and for how many seconds, at most.
    var budget = ShrinkBudget(tries: 4_000, seconds: 10)
    /// The most that are tried where the subject's process ends each time and must be started again.
    private static let crashesMax = 200
    /// How long a try may take to answer where it is known that there is a hang, which the whole deadline was waited for.
    private static let hangSeconds = 2.0

    /// A failing program with the answer that makes it fail.
    struct Failing {
        var program: Program
        var divergence: ProgramRunner.Divergence
        fileprivate(set) var budget: ShrinkBudget

        /// Whether a smaller program hangs, too, as far as a short deadline can tell.
        fileprivate(set) var isHungForShort = false

        /// That there may be a smaller one, and how a hang was seen, in words; nil where there is nothing to say.
        var remark: String? {
            let hung = "each smaller program was given \(hangSeconds) s to answer"
            let words = [isHungForShort ? hung : nil, budget.words("the program")].compactMap(\.self)
            return words.isEmpty ? nil : words.joined(separator: "; ")
        }

        fileprivate var isHung: Bool { divergence.error?.code == .hung }

        /// Takes one candidate from the budget.
        fileprivate mutating func mayTry() -> Bool {
            isHung || divergence.error?.code == .crashed ? budget.take(of: crashesMax) : budget.take()
        }

        /// Takes a candidate over if it fails.
        fileprivate mutating func tryOut(_ candidate: Program, _ runner: ProgramRunner) -> Bool {
            guard mayTry() else { return false }
            return isHung ? tryOutHang(candidate, runner) : tryOutFailure(candidate, runner)
        }

        /// One that is not answered is not taken over: whatever is tried next might cost the deadline again.
        private mutating func tryOutFailure(_ candidate: Program, _ runner: ProgramRunner) -> Bool {
            guard let found = runner.run(candidate).divergence else { return false }
            guard found.error?.code != .hung else {
                budget.endByHanging()
                return false
            }
            (program, divergence) = (candidate, found)
            return true
        }

        /// Takes over what hangs in the same operation, and nothing that fails in another way.
        private mutating func tryOutHang(_ candidate: Program, _ runner: ProgramRunner) -> Bool {
            let run = SubjectSession.$answerSecondsMax.withValue(hangSeconds) { runner.run(candidate) }
            guard let found = run.divergence, found.error?.code == .hung,
                candidate.operation(at: found.index)?.name == program.operation(at: divergence.index)?.name
            else { return false }
            (program, divergence, isHungForShort) = (candidate, found, true)
            return true
        }
    }

    /// The smallest failing program that was found.
    func shrink(_ program: Program, _ divergence: ProgramRunner.Divergence) -> Failing {
        var best = Failing(program: program, divergence: divergence, budget: budget)
        truncate(&best)
        if best.isHung { keepEnd(&best) }
        var before: Program
        repeat {
            before = best.program
            dropFaces(&best)
            shrinkRoom(&best)
            dropOperations(&best)
            mergeKeys(&best)
            shrinkValues(&best)
            joinSteps(&best)
        } while best.program != before && best.budget.reason == nil
        return best
    }

    /// Looks for the shortest end that hangs, by doubling: what does not hang costs little, and what does costs its deadline.
    private func keepEnd(_ best: inout Failing) {
        let all = best.program.operations
        var count = 1
        while count < all.count, !accept(Array(all.suffix(count)), &best) { count *= 2 }
    }

    /// Keeps `candidate` if it fails.
    private func accept(_ candidate: [CacheOperation], _ best: inout Failing) -> Bool {
        guard best.tryOut(Program(candidate, setup: best.program.setup), runner) else { return false }
        truncate(&best)
        return true
    }

    /// What follows the wrong answer plays no part in it.
    private func truncate(_ best: inout Failing) {
        let end = min(best.program.operations.count, best.divergence.index + 1)
        best.program.operations.removeSubrange(end...)
    }

    /// A fault that one face shows is no fault of two.
    private func dropFaces(_ best: inout Failing) {
        var program = best.program
        program.setup.faces = nil
        if best.program.setup.faces != nil, best.tryOut(program, runner) { truncate(&best) }
    }

    /// A smaller cache takes fewer operations to fill.
    private func shrinkRoom(_ best: inout Failing) {
        guard let capacity = best.program.setup.capacity, capacity.unit == .objects else { return }
        for amount in 1..<max(1, min(capacity.amount, 8)) {
            var program = best.program
            program.setup.capacity?.amount = amount
            if best.tryOut(program, runner) { return truncate(&best) }
        }
    }

    private func dropOperations(_ best: inout Failing) {
        var chunk = max(1, best.program.operations.count / 2)
        while true {
            var start = 0
            var hasDropped = false
            while start < best.program.operations.count {
                var candidate = best.program.operations
                candidate.removeSubrange(start..<min(start + chunk, candidate.count))
                if accept(candidate, &best) { hasDropped = true } else { start += chunk }
            }
            if chunk == 1, !hasDropped { return }
            if chunk > 1 { chunk /= 2 }
        }
    }

    /// One that needs more keys than this fails by their number, and is read no sooner with other ones.
    private static let keysMax = 50

    private func mergeKeys(_ best: inout Failing) {
        guard best.program.keys.count <= Self.keysMax else { return }
        for key in best.program.keys {
            let plain = best.program.keys.filter { $0 != key } + [Array("a".utf8), Array("b".utf8)]
            for other in plain where Self.isPlainer(other, than: key) {
                let candidate = best.program.operations.map { $0.key == key ? $0.replacingKey(other) : $0 }
                if accept(candidate, &best) { break }
            }
            shortenKey(key, &best)
        }
    }

    private func shortenKey(_ key: [UInt8], _ best: inout Failing) {
        var current = key
        var drop = key.count / 2
        while drop > 0, best.program.keys.contains(current) {
            let shorter = Array(current.dropLast(drop))
            let isFree = !best.program.keys.contains(shorter)
            let candidate = best.program.operations.map { $0.key == current ? $0.replacingKey(shorter) : $0 }
            if isFree, accept(candidate, &best) {
                current = shorter
                drop = min(drop, current.count / 2)
            } else {
                drop /= 2
            }
        }
    }

    private static func isPlainer(_ a: [UInt8], than b: [UInt8]) -> Bool {
        a.count == b.count ? a.lexicographicallyPrecedes(b) : a.count < b.count && !a.isEmpty
    }

    private func shrinkValues(_ best: inout Failing) {
        var index = 0
        while index < best.program.operations.count {
            defer { index += 1 }
            shortenTime(at: index, &best)
            guard case .put(let key, let payload, let expiry, let terms) = best.program.operations[index] else {
                continue
            }
            if expiry != nil || terms != .plain, replacePut(at: index, key, payload, nil, .plain, &best) { continue }
            guard case .described(let sequence, let byteCount) = payload else { continue }
            var low = 0
            var high = byteCount
            while low < high {
                let middle = (low + high) / 2
                let smaller = Payload.described(sequence: sequence, byteCount: middle)
                if replacePut(at: index, key, smaller, expiry, terms, &best) { high = middle } else { low = middle + 1 }
                guard index < best.program.operations.count else { return }
            }
        }
    }

    private func replacePut(
        at index: Int, _ key: [UInt8], _ payload: Payload, _ expiry: Int64?, _ terms: PutTerms,
        _ best: inout Failing
    ) -> Bool {
        var candidate = best.program.operations
        candidate[index] = .put(key, payload, expiresAtNanoseconds: expiry, terms: terms)
        return accept(candidate, &best)
    }

    /// Lets the clock go on once instead of twice, where both together are needed.
    private func joinSteps(_ best: inout Failing) {
        var index = 0
        while let next = best.program.operations.dropFirst(index + 1).firstIndex(where: \.isStep) {
            defer { index += 1 }
            guard case .advance(let step) = best.program.operations[index],
                case .advance(let later) = best.program.operations[next]
            else { continue }
            let (sum, overflow) = step.addingReportingOverflow(later)
            var candidate = best.program.operations
            candidate[next] = .advance(nanoseconds: sum)
            candidate.remove(at: index)
            if !overflow, accept(candidate, &best) { index -= 1 }
        }
    }

    /// Makes a step of the clock a plain one: of a clock that goes in steps, some whole ones.
    private func shortenTime(at index: Int, _ best: inout Failing) {
        guard case .advance(let step) = best.program.operations[index] else { return }
        for shorter in [1, 10, 1_000].map({ $0 * runner.claims.clockStep }) where shorter < step {
            var candidate = best.program.operations
            candidate[index] = .advance(nanoseconds: shorter)
            if accept(candidate, &best) { return }
            guard index < best.program.operations.count else { return }
        }
    }
}

extension CacheOperation {
    fileprivate var isStep: Bool { if case .advance = self { true } else { false } }
}

extension Program {
    fileprivate func operation(at index: Int) -> CacheOperation? {
        operations.indices.contains(index) ? operations[index] : nil
    }
}
