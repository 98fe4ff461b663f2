internal import CIntrinsics
internal import CacheCore

/// Where the objects of a ``ClockProTable`` are: cold ones and ghosts in one log, hot ones in a ring, both in the order in
/// which they entered.
///
/// Only the oldest resident cold object becomes a ghost, so its place in the log is that of its ghost: `oldest` moves past it,
/// `firstGhost` when it is forgotten, and nothing is written for either. Of each object one word tells its place, or that it
/// is hot and where in the ring, and whether it was asked for: a hit sets a bit of it. A hot object's stamp is the place in
/// the log that came next when it entered the ring, which tells what in the log is older. Places only grow, and the
/// slots are a ring; what leaves from the middle leaves a gap, and a ring that is full of gaps is packed.
///
/// Memory: 4 bytes an id; 6.25 an object in the log and 10 a hot one, of as many as there may be.
struct ClockProLog: ~Copyable {
    /// A hot object, or a gap.
    struct HotEntry: BitwiseCopyable {
        var id: ObjectID
        /// What entered the log before this place is older.
        var stamp: UInt32
    }

    /// The place of each object times 4, whether it was asked for, and of a resident cold one whether it was demoted. What is
    /// nowhere has a place before `firstGhost`, or one that is not `plain`. The last word is that of gaps.
    let words: FixedBuffer<UInt32>
    /// The object at each slot of the log, or `gap`.
    let ids: FixedBuffer<ObjectID>
    /// What is at each slot: `plain`, `demoted` or `struck`. Before `clean` places to write are plain.
    let marks: FixedBuffer<UInt8>
    let hot: FixedBuffer<HotEntry>
    let slots: UInt32
    let hotSlots: UInt32
    /// The place of the first slot of the ring of hot objects, above all places in the log.
    let firstHotPlace: UInt32
    /// The place of the first slot when the newest object that is there entered.
    var base: UInt32
    /// No ghost is at a place before this one.
    var firstGhost: UInt32
    /// No resident cold object is at a place before this one, and no ghost at or after it.
    var oldest: UInt32
    /// From the oldest to here all are cold objects that were not asked for.
    var calm: UInt32
    /// The next place to write.
    var next: UInt32
    /// Places to write before this one are marked as plain.
    var clean: UInt32
    /// The hot hand has passed all places before this one.
    var unpassed: UInt32
    /// The slot of the oldest hot object, or of a gap before it.
    var hotTail: UInt32 = 0
    /// The slots from there to the newest hot object.
    var hotLength: UInt32 = 0

    /// The id where nobody is.
    let gap: ObjectID
    /// The bit of the word of an object that was asked for since it entered.
    static var referenced: UInt32 { 1 }
    /// The bit of the word of a resident cold object that was demoted.
    static var wasDemoted: UInt32 { 2 }
    /// The mark of a resident cold object that was not demoted, and of a ghost.
    static var plain: UInt8 { 0 }
    /// The mark of a cold object that was demoted, which leaves no ghost.
    static var demoted: UInt8 { 1 }
    /// The mark of a gap.
    static var struck: UInt8 { 2 }
    /// How far ahead of a hand words are fetched.
    static var ahead: UInt32 { 16 }

    /// No objects yet of the ids `0..<objects`, of which at most `residents` are resident and at most `entries` resident or
    /// ghosts. Places begin at `start`.
    init(objects: Int, residents: Int, entries: Int, start: UInt32 = 1) {
        let slots = entries + entries / 4 + 2 * ObjectBlock.limit
        let hotSlots = residents + residents / 4 + 2 * ObjectBlock.limit
        precondition(slots + hotSlots < 1 << 28, "more objects than places tell apart")
        self.slots = UInt32(slots)
        self.hotSlots = UInt32(hotSlots)
        firstHotPlace = 1 << 30 - UInt32(hotSlots)
        gap = ObjectID(objects)
        words = FixedBuffer(repeating: 0, count: objects + 1)
        // Whoever looks for what may leave stops at a gap.
        words[gap] = Self.referenced
        // What lies after the end is written before it is known to belong there, or read.
        ids = FixedBuffer(repeating: gap, count: slots + Int(Self.ahead) + 8)
        marks = FixedBuffer(repeating: Self.plain, count: slots + ObjectBlock.limit)
        hot = FixedBuffer(repeating: HotEntry(id: gap, stamp: 0), count: hotSlots + Int(Self.ahead))
        (base, firstGhost, oldest, calm, next, clean, unpassed) = (start, start, start, start, start, start, start)
    }

    /// Asks the processor to fetch an object's word, which will be written.
    @inline(__always)
    func prefetch(_ id: ObjectID) { assay_prefetch_to_write(words.base + Int(id)) }

    /// The slot of a place in the log, or `slots` for one that begins a new lap.
    @inline(__always)
    func slot(_ place: UInt32) -> UInt32 { place >= base ? place &- base : place &- base &+ slots }

    /// Where an object is, or was.
    @inline(__always)
    func place(of id: ObjectID) -> UInt32 { words[id] >> 2 }

    /// Whether an object is resident.
    @inline(__always)
    func isResident(_ id: ObjectID) -> Bool { place(of: id) >= oldest }

    /// Whether an object is a ghost.
    @inline(__always)
    func isGhost(_ id: ObjectID) -> Bool {
        let place = place(of: id)
        return place &- firstGhost < oldest &- firstGhost && marks[slot(place)] == Self.plain
    }

    /// Marks an object as asked for and returns true if it is resident.
    @inline(__always)
    mutating func reference(_ id: ObjectID) -> Bool {
        let word = words[id]
        guard word >> 2 >= oldest else { return false }
        words[id] = word | Self.referenced
        calm = min(calm, word >> 2)
        return true
    }

    /// Makes an object the newest of the log.
    @inline(__always)
    mutating func append(_ id: ObjectID, isDemoted: Bool = false) {
        makeRoom(for: 1)
        let slot = slot(next)
        ids[slot] = id
        if isDemoted { marks[slot] = Self.demoted }
        words[id] = next << 2 | (isDemoted ? Self.wasDemoted : 0)
        next &+= 1
    }

    /// Sees to it that so many places more can be written, one of them before the end of the lap.
    @inline(__always)
    mutating func makeRoom(for count: UInt32) {
        if next &+ count > clean { prepare(count) }
    }

    /// How many slots there are from a place to the end of its lap.
    @inline(__always)
    func lapLeft(from place: UInt32) -> UInt32 { place >= base ? base &+ slots &- place : base &- place }

    /// Moves `oldest` to the oldest resident cold object; false if there is none.
    @inline(__always)
    mutating func findOldest() -> Bool {
        while oldest < next, marks[slot(oldest)] == Self.struck { oldest &+= 1 }
        calm = max(calm, oldest)
        return oldest < next
    }

    /// Lets the oldest resident cold object leave the log, or leave its ghost there.
    @inline(__always)
    mutating func passOldest(leavingGhost: Bool) {
        if !leavingGhost { strike(slot(oldest)) }
        oldest &+= 1
        calm = max(calm, oldest)
    }

    /// Takes the oldest ghost out. There must be one.
    @inline(__always)
    mutating func takeOldestGhost() -> ObjectID {
        while true {
            let slot = slot(firstGhost)
            firstGhost &+= 1
            if marks[slot] == Self.plain { return ids[slot] }
        }
    }

    /// Makes an object the newest of the hot ones.
    @inline(__always)
    mutating func appendHot(_ id: ObjectID) {
        if hotLength == hotSlots { packHot() }
        let slot = hotSlot(hotLength)
        hot[slot] = HotEntry(id: id, stamp: next)
        words[id] = (firstHotPlace &+ slot) << 2
        hotLength &+= 1
    }

    /// The oldest hot object, a gap if there is none.
    @inline(__always)
    mutating func oldestHot() -> HotEntry {
        while hotLength > 0 {
            let entry = hot[hotTail]
            if entry.id != gap { return entry }
            dropOldestHot()
        }
        return HotEntry(id: gap, stamp: 0)
    }

    /// Takes the oldest hot object out of the ring.
    @inline(__always)
    mutating func dropOldestHot() {
        prefetch(hot[hotTail &+ Self.ahead / 2].id)
        hotTail = hotTail &+ 1 == hotSlots ? 0 : hotTail &+ 1
        hotLength &-= 1
    }

    /// Leaves a gap where an object is, resident or ghost.
    mutating func take(_ id: ObjectID) {
        let place = place(of: id)
        words[id] = 0
        if place >= firstHotPlace {
            hot[place - firstHotPlace].id = gap
        } else {
            strike(slot(place))
            if place >= oldest { calm = min(calm, place) }
        }
    }

    @inline(__always)
    private func strike(_ slot: UInt32) {
        ids[slot] = gap
        marks[slot] = Self.struck
    }

    @inline(__always)
    func hotSlot(_ position: UInt32) -> UInt32 {
        let slot = hotTail &+ position
        return slot < hotSlots ? slot : slot &- hotSlots
    }
}
