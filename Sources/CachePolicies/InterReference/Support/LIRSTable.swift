internal import CacheCore
internal import PolicySupport

/// A stack by recency, a queue of residents and a queue of ghosts over one table of slots: the shape of LIRS and FRD.
///
/// LIR objects are residents that the stack alone holds: in FRD those of its reuse distance stack. HIR
/// objects are residents that the queue holds, in FRD those of its filter; they may be in the stack too, and
/// leave a ghost there when they are evicted. The stack ends with a LIR object or is empty, once it is pruned.
///
/// The table's own lists are the stack and what is outside of it; the second links are the two queues, each in the order
/// in which objects entered. What leaves where no sink is at hand is marked and waits for ``report(except:into:)``. 28
/// bytes a slot, 36 in bytes.
struct LIRSTable<Sizes: SizeStore & ~Copyable>: ~Copyable {
    /// What an object is: the low three bits of its slot's word.
    enum Status {
        static var lir: UInt32 { 0 }
        static var hir: UInt32 { 1 }
        /// Resident in the stack, though the queue has lost it: only in libCacheSim's dialect.
        static var stray: UInt32 { 2 }
        static var ghost: UInt32 { 3 }
        static var gone: UInt32 { 4 }
        static var mask: UInt32 { 7 }
    }
    static var inStack: UInt32 { 8 }
    static var waits: UInt32 { 16 }
    static var evicted: UInt32 { 32 }

    private static var stack: UInt32 { 0 }
    static var outside: UInt32 { 1 }
    private static var queue: UInt32 { 0 }
    static var ghosts: UInt32 { 1 }
    static var none: UInt32 { .max }

    var table: SlotTable<Sizes>
    let links: SlotLinks
    var reports: DeferredEvictions
    var lirWeight = 0
    var queueWeight = 0
    var ghostWeight = 0
    var stackWeight = 0
    /// The number of resident objects; a stray is not counted.
    var residentCount = 0

    init(objects: Int, slots: Int) {
        table = SlotTable(objects: objects, slots: slots, lists: 2)
        links = SlotLinks(objects: objects, slots: slots, lists: 2)
        reports = DeferredEvictions(objects: objects, slots: slots, lists: 2)
    }

    @inline(__always)
    func slot(of id: ObjectID) -> UInt32 { table.slot(of: id) }
    @inline(__always)
    func status(at slot: UInt32) -> UInt32 { table.state(at: slot) & Status.mask }
    @inline(__always)
    func isResident(_ slot: UInt32) -> Bool { status(at: slot) < Status.ghost }
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
        return slot != Self.none && isResident(slot)
    }

    /// The most recent object of the stack, `none` if it is empty.
    @inline(__always)
    var top: UInt32 { table.head(of: Self.stack) }
    /// The least recent object of the stack, `none` if it is empty.
    @inline(__always)
    var bottom: UInt32 { table.tail(of: Self.stack) }
    /// The oldest of the queue of residents, `none` if it is empty.
    @inline(__always)
    var oldestInQueue: UInt32 { links.tail(of: Self.queue) }
    /// The ghost that was evicted first, `none` if there is none.
    @inline(__always)
    var oldestGhost: UInt32 { links.tail(of: Self.ghosts) }

    /// Makes a new object LIR, on top of the stack.
    @inline(__always)
    mutating func addLIR(_ id: ObjectID, weight: Int) {
        table.add(id, weight: weight, state: Status.lir | Self.inStack, toHeadOf: Self.stack)
        stackWeight &+= weight
        lirWeight &+= weight
        residentCount &+= 1
    }

    /// Puts a new object at the end of the queue, and on top of the stack or not.
    @inline(__always)
    mutating func addHIR(_ id: ObjectID, weight: Int, toStack: Bool) {
        let slot = table.add(
            id, weight: weight, state: toStack ? Status.hir | Self.inStack : Status.hir,
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

    /// Moves an HIR object to the end of the queue.
    @inline(__always)
    func requeue(_ slot: UInt32) { links.move(slot, toHeadOf: Self.queue) }

    /// Makes an HIR object of the stack LIR, and raises it.
    @inline(__always)
    mutating func promote(_ slot: UInt32) {
        let weight = table.weight(at: slot)
        if status(at: slot) == Status.hir {
            links.remove(slot)
            queueWeight &-= weight
        } else {
            residentCount &+= 1
        }
        lirWeight &+= weight
        table.setState(Status.lir | Self.inStack, at: slot)
        raise(slot)
    }

    /// Takes a LIR object out of the stack; it must be given to the queue next.
    @inline(__always)
    mutating func demote(_ slot: UInt32) {
        let weight = table.weight(at: slot)
        table.move(slot, toHeadOf: Self.outside)
        table.setState(Status.hir, at: slot)
        stackWeight &-= weight
        lirWeight &-= weight
    }

    /// Puts a demoted object at the end of the queue.
    @inline(__always)
    mutating func enqueue(_ slot: UInt32) {
        links.add(slot, toHeadOf: Self.queue)
        queueWeight &+= table.weight(at: slot)
    }

    /// Takes an object out of the queue and leaves it in the stack, or about to enter it, all the same.
    mutating func leaveQueue(_ slot: UInt32) {
        links.remove(slot)
        queueWeight &-= table.weight(at: slot)
        residentCount &-= 1
        table.setState(table.state(at: slot) & ~Status.mask | Status.stray, at: slot)
    }
}
