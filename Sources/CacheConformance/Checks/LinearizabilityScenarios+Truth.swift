import CacheCore

// What is listed, counted and found when nobody writes any more, and whether all of it can be taken away.
extension LinearizabilityChecks {
    /// LIN-16.
    static func leavesOneTruth(_ context: CheckContext) throws(CheckStop) {
        let steps = [
            "again and again for 60 ms:",
            "4 clients put, get and remove \(busy.count) keys for 1 ms, and one everything in every other run",
            "maintain", "keys, count, get each", "remove each; count, keys",
        ]
        let seed = context.seed
        let isExact = context.semantics(CacheSetup()) == .exact
        var (complaints, hits) = ([String?](), 0)
        let runs = context.runs(12)
        for run in 0..<runs {
            complaints.append(
                try context.withInstance(steps: steps) { (instance) throws(CheckStop) in
                    let job = Work(rounds: 60, time: .milliseconds(1), clears: !run.isMultiple(of: 2))
                    return repeating(job, on: busy, instance, context, seed: seed &+ UInt64(run)) {
                        disagreement(instance, isExact, &hits) ?? remainder(instance)
                    }
                })
        }
        try judge(
            context, complaints, of: runs, permitted: "the listed keys are those that are found and counted",
            steps: steps)
        guard hits > 0 else { throw .blocked("the witness: nothing was left") }
    }

    /// Where the list, the count and the reads of a cache that nobody writes to differ.
    private static func disagreement(
        _ instance: any CacheInstance, _ isExact: Bool, _ hits: inout Int
    ) -> String? {
        guard case .keys(let keys) = instance.perform(.keys) else { return "keys answered no list" }
        let count = instance.perform(.count)
        // What need not stay may have left since it was listed.
        guard case .number(let number) = count, isExact ? number == keys.count : (0...keys.count).contains(number)
        else {
            return "\(keys.count) keys are listed, and count answered \(ValueText.describe(count, of: .count))"
        }
        let listed = Set(keys)
        for key in busy {
            let answer = instance.perform(.get(key))
            if answer.isHit { hits += 1 }
            if answer.isHit != listed.contains(key), isExact || answer.isHit {
                return "\(KeyText.describe(key)) is \(listed.contains(key) ? "" : "not ")listed, and get answered "
                    + ValueText.describe(answer, of: .get(key))
            }
        }
        return nil
    }

    /// What is still there when all was taken away.
    private static func remainder(_ instance: any CacheInstance) -> String? {
        for key in busy { _ = instance.perform(.remove(key)) }
        let (count, keys) = (instance.perform(.count), instance.perform(.keys))
        let found = busy.count { instance.perform(.get($0)).isHit }
        guard count != .number(0) || keys != .keys([]) || found > 0 else { return nil }
        return "after each was removed count answered \(ValueText.describe(count, of: .count)), "
            + "\(ValueText.describe(keys, of: .keys)), and \(found) were found"
    }
}
