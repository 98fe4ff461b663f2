internal import CacheCore
internal import PolicySupport

/// The rules of libCacheSim, where they are its own.
///
/// Its bug is reproduced: a hit of an object that is in `Q` alone, while the LIR
/// share is full, moves LIR objects to `Q`, which may evict, and may cost the very object that was hit its place in
/// `Q`. That object stays in `S` and hits, but is not counted as resident. In bytes libCacheSim then reads the size of
/// the object that was hit from freed memory. The entry of the demoted object takes this memory if no other entry was
/// freed after it for good, and from then on the demoted object's size decides whether room is left. At capacity 2 libCacheSim also takes the
/// object at the bottom of `S` for LIR when it is not, which this does not follow.
extension LIRSPolicy where Sizes: ~Copyable {
    private var hirLimit: Int { capacity - lirLimit }

    mutating func hitByLibCacheSim(_ slot: UInt32) {
        if table.isInStack(slot) {
            table.promote(slot)
            while table.lirWeight > lirLimit { demoteByLibCacheSim(hit: Table.none) }
        } else {
            table.requeue(slot)
            table.prune()
            // The slot whose weight libCacheSim reads; see the documentation of the dialect.
            var measured = slot
            while table.lirWeight + table.weight(at: measured) > lirLimit {
                let demoted = table.bottom
                if demoteByLibCacheSim(hit: slot) == measured { measured = demoted }
            }
            table.push(slot)
        }
        boundStack()
    }

    /// Refuses what is larger than either share; makes room for an LIR object if it was in the stack, else for an HIR one.
    mutating func makeRoomByLibCacheSim(for weight: Int) -> Bool {
        guard weight <= lirLimit, weight <= hirLimit else { return false }
        if wasInStack {
            while table.lirWeight + weight > lirLimit { demoteByLibCacheSim(hit: Table.none) }
        } else if table.lirWeight + weight > lirLimit {
            while table.queueWeight + weight > hirLimit { table.evict(table.oldestInQueue) }
        }
        return true
    }

    /// Moves the LIR object at the bottom to the queue, which gives up its oldest meanwhile, be it the one that was hit.
    ///
    /// Returns the last of these that left no ghost in the stack, `none` without one.
    @discardableResult
    private mutating func demoteByLibCacheSim(hit: UInt32) -> UInt32 {
        table.prune()
        let slot = table.bottom
        var freed = Table.none
        table.demote(slot)
        while table.queueWeight + table.weight(at: slot) > hirLimit {
            let victim = table.oldestInQueue
            if !table.isInStack(victim) { freed = victim }
            if victim == hit { table.leaveQueue(victim) } else { table.evict(victim) }
        }
        table.enqueue(slot)
        table.prune()
        return freed
    }

    /// Drops the oldest ghosts while the stack weighs more than twice the capacity.
    mutating func boundStack() {
        while table.stackWeight > 2 * capacity, table.oldestGhost != Table.none {
            table.dropGhost(table.oldestGhost)
        }
    }
}
