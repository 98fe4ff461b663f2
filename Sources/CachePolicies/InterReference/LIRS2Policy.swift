public import CacheCore
internal import PolicySupport

/// LIRS by the sum of an object's last two reuse distances instead of the last alone.
///
/// Zhong, Zhao and Jiang, "LIRS2: an improved LIRS replacement algorithm", SYSTOR 2021. Each object has two entries in
/// the stack, for its last request and for the one before. The lowest entry of the second kind that belongs to an LIR
/// object is the boundary: an HIR object that is requested while its own second entry is above becomes LIR, and the
/// object at the boundary HIR. The queue of resident HIR objects is that of LIRS. As in the authors' program, a request
/// for the object of the request before changes nothing, the part of the stack above the boundary has at most 8 times
/// the capacity in entries, and the lowest HIR entry leaves it otherwise; that program keeps at least 4 HIR objects and
/// every ghost. The bound Rmax1 of the paper's figure decides nothing and is not kept.
///
/// Every operation is O(1), amortised: the boundary passes an entry once for each time it was on top. 4 bytes an object
/// of the trace and 32 a resident object or ghost. Below 101 objects one is HIR, so that capacity 1 is an LRU, 2 keeps
/// one LIR object, and 3 keeps two. Caffeine follows these rules, with its default of twice the capacity for the
/// ghosts, which is the default here.
public struct LIRS2Policy: ~Copyable, VictimPolicy {
    struct Entry: BitwiseCopyable {
        /// The entry above.
        var previous: UInt32
        /// The entry below.
        var next: UInt32
    }
    private static var none: UInt32 { .max }
    private static var queue: UInt32 { 0 }
    private static var ghosts: UInt32 { 1 }
    private static var others: UInt32 { 2 }
    // A slot's word: status, which of its two entries is of the last request, which are above the boundary, and whether
    // there was only one request, so that the second entry holds a place for what is to come.
    private static var lir: UInt32 { 0 }
    private static var hir: UInt32 { 1 }
    private static var ghost: UInt32 { 2 }
    private static var statusMask: UInt32 { 3 }
    private static var latest: UInt32 { 4 }
    private static var counted: UInt32 { 8 }
    private static var once: UInt32 { 32 }

    private var table: SlotTable<UnitSizes>
    /// The entries of a slot are at twice its number and one more; entry 0 is above the top and below the bottom.
    private let entries: FixedBuffer<Entry>
    private let lirLimit: Int
    private let ghostLimit: Int
    private let lengthLimit: Int
    private var lirCount = 0
    private var ghostCount = 0
    /// The number of entries at the boundary or above.
    private var length = 0
    private var boundary = LIRS2Policy.none
    /// No HIR entry is above the boundary and below this.
    private var cursor: UInt32 = 0
    private var newcomer = LIRS2Policy.none
    /// The most objects that may be resident.
    public let capacity: Int

    /// The share of the HIR objects and the bounds of stack and ghosts.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "lirs2", family: "inter-reference",
            summary: "Keeps the objects with the smallest sums of their last two reuse distances.",
            citation: "Zhong et al., SYSTOR 2021",
            parameters: [
                ParameterSpecification(
                    "hir", .number(default: 0.01, 0...1), "The share of the HIR objects, rounded up."),
                ParameterSpecification(
                    "hir-minimum", .integer(default: 1, 1...Capacity.largestAmount),
                    "The least number of HIR objects; the authors' program has 4."),
                ParameterSpecification(
                    "non-resident", .number(default: 2, 0...1000),
                    "The most ghosts, as a multiple of the capacity; the paper has no bound."),
                ParameterSpecification(
                    "stack", .integer(default: 8, 2...1000),
                    "The most entries above the boundary, as a multiple of the capacity."),
            ],
            objectsOnly: "Its stack is bounded in entries, and for one object that becomes LIR one becomes HIR.",
            memory: MemoryCost(
                perObject: 4, perResident: 32, perGhost: 32, ghosts: 2, ghostsByParameter: ["non-resident": 1]))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let amount = configuration.capacity.amount
        let objects = configuration.objects.count
        let share = amount - Int(Double(amount) * (1 - configuration.parameters.number("hir")))
        let ghosts = configuration.share("non-resident")
        // A victim may be one ghost too many until the newcomer is in.
        let slots = configuration.residentLimit + configuration.objectLimit(of: ghosts) + 1
        precondition(min(objects, slots) < Int(Int32.max) - 3, "entries are numbered in 32 bits, two for each object")
        capacity = amount
        lirLimit = amount - min(amount, max(share, configuration.parameters.integer("hir-minimum")))
        ghostLimit = ghosts
        lengthLimit = amount * configuration.parameters.integer("stack")
        table = SlotTable(objects: objects, slots: slots, lists: 3)
        entries = FixedBuffer(repeating: Entry(previous: 0, next: 0), count: (min(objects, slots) + 3) * 2)
    }

    /// The number of resident objects.
    public private(set) var residentCount = 0
    public var residentWeight: Int { residentCount }
    /// 1.
    public static func weight(of request: Request) -> Int { 1 }

    /// Raises the older entry of the object, which becomes LIR if that was above the boundary.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.slot(of: request.id)
        guard slot != Self.none, status(at: slot) != Self.ghost else { return false }
        if lirLimit == 0 || entries[0].next >> 1 != slot { hit(slot) }
        return true
    }

    /// Takes the object out of the ghosts, if it is there.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        newcomer = table.slot(of: request.id)
        if newcomer != Self.none {
            table.move(newcomer, toHeadOf: Self.others)
            ghostCount -= 1
            setStatus(Self.hir, at: newcomer)
        }
        return true
    }

    /// Evicts the resident HIR object that is longest in the queue; a ghost of it stays.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let slot = table.tail(of: Self.queue)
        sink.evicted(table.id(at: slot))
        setStatus(Self.ghost, at: slot)
        table.move(slot, toHeadOf: Self.ghosts)
        ghostCount += 1
        residentCount -= 1
    }

    /// Enters a ghost as a hit would move it; makes a new object LIR while those are too few, HIR otherwise.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        residentCount += 1
        if newcomer == Self.none { add(request.id) } else { hit(newcomer) }
        while ghostCount > ghostLimit {
            let slot = table.tail(of: Self.ghosts)
            sink.forgotten(table.id(at: slot))
            ghostCount -= 1
            drop(slot)
        }
    }

    /// Takes both entries of the object out of the stack.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != Self.none else { return }
        let status = status(at: slot)
        if status == Self.ghost { ghostCount -= 1 } else { residentCount -= 1 }
        if status == Self.lir {
            lirCount -= 1
            setStatus(Self.hir, at: slot)
        }
        drop(slot)
    }

    public func contains(_ id: ObjectID) -> Bool {
        let slot = table.slot(of: id)
        return slot != Self.none && status(at: slot) != Self.ghost
    }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    private func status(at slot: UInt32) -> UInt32 { table.state(at: slot) & Self.statusMask }

    private func setStatus(_ status: UInt32, at slot: UInt32) {
        table.setState(table.state(at: slot) & ~Self.statusMask | status, at: slot)
    }

    private mutating func add(_ id: ObjectID) {
        let isLIR = lirCount < lirLimit
        let state = (isLIR ? Self.lir : Self.hir) | Self.once | Self.counted | Self.counted << 1
        let slot = table.add(id, weight: 1, state: state, toHeadOf: isLIR ? Self.others : Self.queue)
        guard lirLimit > 0 else { return }
        link(slot << 1 | 1, below: 0)
        link(slot << 1, below: 0)
        length += 2
        if isLIR {
            lirCount += 1
            if boundary == Self.none {
                boundary = slot << 1 | 1
                cursor = boundary
            }
        }
        shorten()
    }

    /// Records a request of an object that has entries: the older one moves to the top and is of the last request now.
    private mutating func hit(_ slot: UInt32) {
        guard lirLimit > 0 else { return table.move(slot, toHeadOf: Self.queue) }
        let state = table.state(at: slot)
        let older = slot << 1 | (state & Self.latest == 0 ? 1 : 0)
        let wasAbove = isCounted(older)
        table.setState((state ^ Self.latest) & ~Self.once, at: slot)
        if older == boundary { raiseBoundary() } else if wasAbove { length -= 1 }
        if cursor == older { cursor = entries[older].previous }
        unlink(older)
        link(older, below: 0)
        length += 1
        if state & Self.statusMask != Self.lir {
            if wasAbove, state & Self.once == 0, boundary != Self.none {
                promote(slot)
            } else {
                table.move(slot, toHeadOf: Self.queue)
            }
        }
        setCounted(true, older)
        shorten()
    }

    private mutating func promote(_ slot: UInt32) {
        setStatus(Self.lir, at: slot)
        table.move(slot, toHeadOf: Self.others)
        lirCount += 1
        guard lirCount > lirLimit else { return }
        let demoted = boundary >> 1
        setStatus(Self.hir, at: demoted)
        table.move(demoted, toHeadOf: Self.queue)
        lirCount -= 1
        raiseBoundary()
    }

    /// Moves the boundary up to the next older entry of an LIR object; what it passes is above no more.
    private mutating func raiseBoundary() {
        var entry = boundary
        repeat {
            setCounted(false, entry)
            length -= 1
            entry = entries[entry].previous
        } while entry != 0 && !isOlderOfLIR(entry)
        boundary = entry == 0 ? Self.none : entry
        cursor = entry
    }

    /// Takes the lowest HIR entries from above the boundary to below it while there are too many.
    private mutating func shorten() {
        while length > lengthLimit, boundary != Self.none {
            var entry = cursor
            while entry != 0, status(at: entry >> 1) == Self.lir { entry = entries[entry].previous }
            if entry == 0 { return }
            cursor = entries[entry].previous
            setCounted(false, entry)
            unlink(entry)
            link(entry, below: boundary)
            length -= 1
        }
    }

    private mutating func drop(_ slot: UInt32) {
        if lirLimit > 0 {
            drop(entry: slot << 1)
            drop(entry: slot << 1 | 1)
        }
        table.release(slot)
    }

    private mutating func drop(entry: UInt32) {
        if entry == boundary { raiseBoundary() } else if isCounted(entry) { length -= 1 }
        if cursor == entry { cursor = entries[entry].previous }
        unlink(entry)
    }

    private func isCounted(_ entry: UInt32) -> Bool {
        table.state(at: entry >> 1) & Self.counted << (entry & 1) != 0
    }

    private func setCounted(_ isCounted: Bool, _ entry: UInt32) {
        let state = table.state(at: entry >> 1)
        let bit = Self.counted << (entry & 1)
        table.setState(isCounted ? state | bit : state & ~bit, at: entry >> 1)
    }

    private func isOlderOfLIR(_ entry: UInt32) -> Bool {
        let state = table.state(at: entry >> 1)
        return state & Self.statusMask == Self.lir && (entry & 1 == 0) == (state & Self.latest != 0)
    }

    private func unlink(_ entry: UInt32) {
        let links = entries[entry]
        entries.update(links.previous) { $0.next = links.next }
        entries.update(links.next) { $0.previous = links.previous }
    }

    private func link(_ entry: UInt32, below anchor: UInt32) {
        let next = entries[anchor].next
        entries[entry] = Entry(previous: anchor, next: next)
        entries.update(next) { $0.previous = entry }
        entries.update(anchor) { $0.next = entry }
    }
}
