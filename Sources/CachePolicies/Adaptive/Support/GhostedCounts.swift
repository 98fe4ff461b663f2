/// How many objects and ghosts of ARC are in each list, and what its rules make of them for misses of which it knows nothing.
///
/// Blocks are counted through with it while nothing moves.
struct GhostedCounts: BitwiseCopyable {
    var t1: Int
    var t2: Int
    var b1: Int
    var b2: Int
    /// `T1` gives up an object if it has more.
    let limit: Int
    let capacity: Int

    /// What case IV and REPLACE let go for the misses of a run, before which there were so many.
    @inline(__always)
    func debt(of run: GhostedRun) -> GhostedDebt {
        if run.promotions == 0, let debt = debt(run.misses.nonzeroBitCount) { return debt }
        var (counts, debt) = (self, GhostedDebt())
        var events = (run.misses | run.promotions) << UInt64(64 - run.requests)
        let misses = run.misses << UInt64(64 - run.requests)
        while events != 0 {
            let event = (1 as UInt64) &<< UInt64(63 &- events.leadingZeroBitCount)
            events ^= event
            if misses & event == 0 {
                counts.t1 -= 1
                counts.t2 += 1
            } else {
                counts.replace(&debt)
                counts.t1 += 1
            }
        }
        return debt
    }

    /// What so many new objects in a row let go, if they need not be counted one by one.
    @inline(__always)
    private func debt(_ misses: Int) -> GhostedDebt? {
        // Each drops a ghost of B1 then, of which there are at least as many as objects in T2, and T1 grows until it is above the
        // limit.
        guard t1 + b1 >= capacity, t2 > misses else { return nil }
        let growth = max(0, min(misses, limit &+ 1 &- t1))
        return GhostedDebt(
            firstObjects: misses &- growth, secondObjects: growth, firstGhosts: misses, secondGhosts: 0)
    }

    /// Makes room for a new object.
    @inline(__always)
    private mutating func replace(_ debt: inout GhostedDebt) {
        if t1 + b1 >= capacity {
            debt.firstGhosts += 1
            if b1 == 0 {
                // As good as no ghost.
                debt.firstObjects += 1
                t1 -= 1
                return
            }
            b1 -= 1
        } else if t1 + t2 + b1 + b2 >= 2 * capacity, b2 > 0 {
            debt.secondGhosts += 1
            b2 -= 1
        }
        if t1 > limit || t2 == 0 {
            debt.firstObjects += 1
            t1 -= 1
            b1 += 1
        } else {
            debt.secondObjects += 1
            t2 -= 1
            b2 += 1
        }
    }
}
