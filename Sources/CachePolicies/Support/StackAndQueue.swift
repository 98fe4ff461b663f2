internal import CacheCore

/// A stack by recency, a queue of residents and a queue of ghosts over one table of slots: the shape of LIRS and FRD.
///
/// Core objects are residents that the stack alone holds: LIR objects, or those of FRD's reuse distance stack. Queued
/// objects are residents that the queue holds, HIR objects or those of FRD's filter; they may be in the stack too, and
/// leave a ghost there when they are evicted. The stack ends with a core object or is empty, once it is pruned.
///
/// The table's own lists are the stack and what is outside of it; the second links are the two queues, each in the order
/// in which objects entered. What leaves where no sink is at hand is marked and waits for ``report(except:into:)``. 28
/// bytes a slot, 36 in bytes.
struct StackAndQueue<Sizes: SizeStore & ~Copyable>: ~Copyable {
    /// What an object is: the low three bits of its slot's word.
    enum Status {
        static var core: UInt32 { 0 }
        static var queued: UInt32 { 1 }
        /// Resident in the stack, though the queue has lost it: only in libCacheSim's dialect.
        static var stray: UInt32 { 2 }
        static var ghost: UInt32 { 3 }
        static var gone: UInt32 { 4 }
        static var mask: UInt32 { 7 }
    }
    private static var inStack: UInt32 { 8 }
    private static var waits: UInt32 { 16 }
    private static var evicted: UInt32 { 32 }

    private static var stack: UInt32 { 0 }
    private static var outside: UInt32 { 1 }
    private static var queue: UInt32 { 0 }
    private static var ghosts: UInt32 { 1 }
    static var none: UInt32 { .max }

    private var table: SlotTable<Sizes>
    private let links: SlotLinks
    private var reports: LateReports
    private(set) var coreWeight = 0
    private(set) var queueWeight = 0
    private(set) var ghostWeight = 0
    private(set) var stackWeight = 0
    /// The number of resident objects; a stray is not counted.
    private(set) var residentCount = 0

    init(objects: Int, slots: Int) {
        table = SlotTable(objects: objects, slots: slots, lists: 2)
        links = SlotLinks(objects: objects, slots: slots, lists: 2)
        reports = LateReports(objects: objects, slots: slots, lists: 2)
    }

    @inline(__always)
    func slot(of id: ObjectID) -> UInt32 { table.slot(of: id) }
    @inline(__always)
    func status(at slot: UInt32) -> UInt32 { table.state(at: slot) & Status.mask }
    @inline(__always)
    func isInStack(_ slot: UInt32) -> Bool { table.state(at: slot) & Self.inStack != 0 }
    @inline(__always)
    func weight(at slot: UInt32) -> Int { table.weight(at: slot) }
    func prefetch(_ id: ObjectID) { table.prefetch(id) }
    /// Asks the processor to fetch an id's slot.
    func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    /// Asks the processor to fetch the neighbours of an id's slot in the stack.
    func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    @inline(__always)
    func contains(_ id: ObjectID) -> Bool {
        let slot = table.slot(of: id)
        return slot != Self.none && status(at: slot) < Status.ghost
    }

    /// The most recent object of the stack, `none` if it is empty.
    @inline(__always)
    var top: UInt32 { table.head(of: Self.stack) }
    /// The least recent object of the stack, `none` if it is empty.
    @inline(__always)
    var bottom: UInt32 { table.tail(of: Self.stack) }
    /// The oldest of the queue of residents, `none` if it is empty.
    @inline(__always)
    var front: UInt32 { links.tail(of: Self.queue) }
    /// The ghost that was evicted first, `none` if there is none.
    @inline(__always)
    var oldestGhost: UInt32 { links.tail(of: Self.ghosts) }

    /// Makes a new object core, on top of the stack.
    @inline(__always)
    mutating func addCore(_ id: ObjectID, weight: Int) {
        table.add(id, weight: weight, state: Status.core | Self.inStack, toHeadOf: Self.stack)
        stackWeight &+= weight
        coreWeight &+= weight
        residentCount &+= 1
    }

    /// Puts a new object at the end of the queue, and on top of the stack or not.
    @inline(__always)
    mutating func addQueued(_ id: ObjectID, weight: Int, toStack: Bool) {
        let slot = table.add(
            id, weight: weight, state: toStack ? Status.queued | Self.inStack : Status.queued,
            toHeadOf: toStack ? Self.stack : Self.outside)
        links.add(slot, toHeadOf: Self.queue)
        if toStack { stackWeight &+= weight }
        queueWeight &+= weight
        residentCount &+= 1
    }

    /// Moves an object to the top of the stack, in which it is.
    @inline(__always)
    func raise(_ slot: UInt32) { table.move(slot, toHeadOf: Self.stack) }

    /// Puts an object on top of the stack, in which it is not.
    @inline(__always)
    mutating func push(_ slot: UInt32) {
        table.move(slot, toHeadOf: Self.stack)
        table.setState(table.state(at: slot) | Self.inStack, at: slot)
        stackWeight &+= table.weight(at: slot)
    }

    /// Moves a queued object to the end of the queue.
    @inline(__always)
    func requeue(_ slot: UInt32) { links.move(slot, toHeadOf: Self.queue) }

    /// Makes a queued object of the stack core, and raises it.
    @inline(__always)
    mutating func promote(_ slot: UInt32) {
        let weight = table.weight(at: slot)
        if status(at: slot) == Status.queued {
            links.remove(slot)
            queueWeight &-= weight
        } else {
            residentCount &+= 1
        }
        coreWeight &+= weight
        table.setState(Status.core | Self.inStack, at: slot)
        raise(slot)
    }

    /// Takes a core object out of the stack; it must be given to the queue next.
    @inline(__always)
    mutating func dethrone(_ slot: UInt32) {
        let weight = table.weight(at: slot)
        table.move(slot, toHeadOf: Self.outside)
        table.setState(Status.queued, at: slot)
        stackWeight &-= weight
        coreWeight &-= weight
    }

    /// Puts a dethroned object at the end of the queue.
    @inline(__always)
    mutating func enqueue(_ slot: UInt32) {
        links.add(slot, toHeadOf: Self.queue)
        queueWeight &+= table.weight(at: slot)
    }

    /// Takes an object out of the queue and leaves it in the stack, or about to enter it, all the same.
    mutating func strand(_ slot: UInt32) {
        links.remove(slot)
        queueWeight &-= table.weight(at: slot)
        residentCount &-= 1
        table.setState(table.state(at: slot) & ~Status.mask | Status.stray, at: slot)
    }

    /// Evicts a queued object; it leaves a ghost if it is in the stack.
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

    /// Evicts the object at the front of the queue; the oldest ghosts make way for its own within a limit.
    ///
    /// An object heavier than the limit leaves no ghost, and no other makes way for it.
    @inline(__always)
    mutating func evictFront<Sink: EvictionSink & ~Copyable>(ghostLimit: Int, into sink: inout Sink) {
        let victim = front
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

    /// Evicts the core object at the bottom of the stack; it leaves no ghost.
    @inline(__always)
    mutating func evictBottom<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let slot = bottom
        let weight = table.weight(at: slot)
        sink.evicted(table.id(at: slot))
        stackWeight &-= weight
        coreWeight &-= weight
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

    /// Takes objects off the bottom of the stack until a core object is there or the stack is empty.
    @inline(__always)
    mutating func prune() {
        while true {
            let slot = bottom
            if slot == Self.none || status(at: slot) == Status.core { return }
            pop(slot)
        }
    }

    private mutating func pop(_ slot: UInt32) {
        let status = status(at: slot)
        if status == Status.ghost { return dropGhost(slot) }
        table.move(slot, toHeadOf: Self.outside)
        stackWeight &-= table.weight(at: slot)
        if status == Status.queued {
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
        case Status.core: coreWeight &-= weight
        case Status.queued:
            links.remove(slot)
            queueWeight &-= weight
        case Status.ghost:
            links.remove(slot)
            ghostWeight &-= weight
        default: break
        }
        if status <= Status.queued { residentCount &-= 1 }
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
