internal import CacheCore
internal import PolicySupport

// What leaves the stack and the queues, what of it stays as a ghost, and when that is reported.
extension LIRSTable where Sizes: ~Copyable {
    /// Evicts an HIR object; it leaves a ghost if it is in the stack.
    @inline(__always)
    mutating func evict(_ slot: UInt32) {
        let weight = table.weight(at: slot)
        queueWeight &-= weight
        residentCount &-= 1
        if isInStack(slot) {
            links.move(slot, toHeadOf: Self.ghosts)
            ghostWeight &+= weight
            leave(slot, Status.ghost | Self.inStack | Self.evicted)
        } else {
            links.remove(slot)
            leave(slot, Status.gone | Self.evicted)
        }
    }

    /// Evicts the object that is oldest in the queue; the oldest ghosts make way for its own within a limit.
    ///
    /// An object heavier than the limit leaves no ghost, and no other makes way for it.
    @inline(__always)
    mutating func evictOldestInQueue<Sink: EvictionSink & ~Copyable>(ghostLimit: Int, into sink: inout Sink) {
        let victim = oldestInQueue
        let weight = table.weight(at: victim)
        let wasInStack = isInStack(victim)
        sink.evicted(table.id(at: victim))
        queueWeight &-= weight
        residentCount &-= 1
        guard wasInStack, weight <= ghostLimit else {
            if wasInStack { stackWeight &-= weight }
            links.remove(victim)
            return forget(victim, into: &sink)
        }
        links.move(victim, toHeadOf: Self.ghosts)
        table.setState(Status.ghost | Self.inStack, at: victim)
        ghostWeight &+= weight
        while ghostWeight > ghostLimit {
            let oldest = oldestGhost
            detachGhost(oldest)
            forget(oldest, into: &sink)
        }
    }

    /// Evicts the LIR object at the bottom of the stack; it leaves no ghost.
    @inline(__always)
    mutating func evictBottom<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let slot = bottom
        let weight = table.weight(at: slot)
        sink.evicted(table.id(at: slot))
        stackWeight &-= weight
        lirWeight &-= weight
        residentCount &-= 1
        forget(slot, into: &sink)
        prune()
    }

    /// Drops a ghost.
    @inline(__always)
    mutating func dropGhost(_ slot: UInt32) {
        detachGhost(slot)
        table.move(slot, toHeadOf: Self.outside)
        leave(slot, Status.gone)
    }

    /// Takes objects off the bottom of the stack until a LIR object is there or the stack is empty.
    @inline(__always)
    mutating func prune() {
        while true {
            let slot = bottom
            if slot == Self.none || status(at: slot) == Status.lir { return }
            pop(slot)
        }
    }

    private mutating func pop(_ slot: UInt32) {
        let status = status(at: slot)
        if status == Status.ghost { return dropGhost(slot) }
        table.move(slot, toHeadOf: Self.outside)
        stackWeight &-= table.weight(at: slot)
        if status == Status.hir {
            table.setState(table.state(at: slot) & ~Self.inStack, at: slot)
        } else {
            leave(slot, Status.gone | Self.evicted)
        }
    }

    /// Takes the slot of an object away, whatever it is.
    mutating func remove(_ slot: UInt32) {
        let weight = table.weight(at: slot)
        let status = status(at: slot)
        switch status {
        case Status.lir: lirWeight &-= weight
        case Status.hir:
            links.remove(slot)
            queueWeight &-= weight
        case Status.ghost:
            links.remove(slot)
            ghostWeight &-= weight
        default: break
        }
        if status <= Status.hir { residentCount &-= 1 }
        if isInStack(slot) { stackWeight &-= weight }
        table.setState(0, at: slot)
        table.release(slot)
    }

    /// Reports what left; `incoming` is about to enter again and is not reported forgotten.
    @inline(__always)
    mutating func report<Sink: EvictionSink & ~Copyable>(except incoming: ObjectID, into sink: inout Sink) {
        var index: UInt32 = 0
        while index < reports.count {
            let slot = reports[index]
            let state = table.state(at: slot)
            index += 1
            if state & Self.waits == 0 { continue }
            let id = table.id(at: slot)
            if state & Self.evicted != 0 { sink.evicted(id) }
            table.setState(state & ~(Self.waits | Self.evicted), at: slot)
            if state & Status.mask == Status.gone {
                table.release(slot)
                if id != incoming { sink.forgotten(id) }
            }
        }
        reports.clear()
    }

    @inline(__always)
    private mutating func forget<Sink: EvictionSink & ~Copyable>(_ slot: UInt32, into sink: inout Sink) {
        let id = table.id(at: slot)
        table.release(slot)
        sink.forgotten(id)
    }

    private mutating func detachGhost(_ slot: UInt32) {
        let weight = table.weight(at: slot)
        links.remove(slot)
        ghostWeight &-= weight
        stackWeight &-= weight
    }

    /// Gives a slot its last state and sees to it that the departure is reported, once.
    @inline(__always)
    private mutating func leave(_ slot: UInt32, _ state: UInt32) {
        let old = table.state(at: slot)
        if old & Self.waits == 0 { reports.add(slot) }
        table.setState(state | old & Self.evicted | Self.waits, at: slot)
    }
}
