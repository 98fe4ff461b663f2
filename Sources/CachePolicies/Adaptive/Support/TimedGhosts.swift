internal import CacheCore

/// The ghosts of two experts, of each in the order in which they were evicted, with the time of it.
///
/// Two rings; a ghost that is taken leaves a gap, and a ring full of gaps is packed. All operations are O(1) amortised.
/// Memory: 16 bytes for each ghost that one expert may have, and a quarter more.
struct TimedGhosts: ~Copyable {
    /// A ghost. Not private, or Swift 6.3.1 makes a broken module of the policies that hold ghosts.
    struct Ghost: BitwiseCopyable {
        var id: ObjectID = TimedGhosts.gap
        var time: UInt32 = 0
    }

    /// Where one expert's ghosts are.
    struct Ring: BitwiseCopyable {
        let start: UInt32
        let end: UInt32
        /// The oldest ghost, or a gap before it.
        var first: UInt32
        /// The slot behind the newest.
        var next: UInt32
        /// The slots from the oldest ghost to the newest.
        var length: UInt32 = 0
        var weight = 0

        init(_ slots: Range<UInt32>) {
            (start, end) = (slots.lowerBound, slots.upperBound)
            (first, next) = (slots.lowerBound, slots.lowerBound)
        }

        /// The slot after another.
        @inline(__always)
        func follower(of slot: UInt32) -> UInt32 { slot &+ 1 == end ? start : slot &+ 1 }

        @inline(__always)
        mutating func skipFirst() {
            first = follower(of: first)
            length &-= 1
        }
    }

    static var gap: ObjectID { .max }
    /// The bit of a place that says that it is a ghost's.
    static var bit: UInt32 { 1 << 31 }

    private let ghosts: FixedBuffer<Ghost>
    private let rings: FixedBuffer<Ring>
    /// The slots of each ring.
    private let slots: UInt32

    /// No ghosts, at most `limit` of each expert.
    init(limit: Int) {
        slots = UInt32(limit + limit / 4 + 16)
        precondition(slots < 1 << 30, "more ghosts than places tell apart")
        ghosts = FixedBuffer(repeating: Ghost(), count: 2 * Int(slots))
        rings = FixedBuffer(repeating: Ring(0..<slots), count: 2)
        rings[1] = Ring(slots..<2 * slots)
    }

    /// The total weight of an expert's ghosts.
    @inline(__always)
    func weight(of expert: UInt32) -> Int { rings[expert].weight }

    /// The expert that has the ghost at a place.
    func expert(at place: UInt32) -> UInt32 { place & ~Self.bit < slots ? 0 : 1 }

    /// When the ghost at a place was evicted.
    func time(at place: UInt32) -> UInt32 { ghosts[place & ~Self.bit].time }

    /// Whether an expert's ring must be packed before it can have another ghost.
    @inline(__always)
    func isFull(_ expert: UInt32) -> Bool { rings[expert].length == slots }

    /// Makes an object an expert's newest ghost and returns its place.
    @inline(__always)
    func append(_ id: ObjectID, weight: Int, at time: UInt32, to expert: UInt32) -> UInt32 {
        rings.update(expert) {
            let place = $0.next
            ghosts[place] = Ghost(id: id, time: time)
            $0.next = $0.follower(of: place)
            $0.length &+= 1
            $0.weight &+= weight
            return place | Self.bit
        }
    }

    /// Drops the oldest ghost of an expert, which must have one, and returns it. The caller takes its weight off.
    @inline(__always)
    func dropOldest(of expert: UInt32) -> ObjectID {
        rings.update(expert) {
            while ghosts[$0.first].id == Self.gap { $0.skipFirst() }
            let id = ghosts[$0.first].id
            $0.skipFirst()
            return id
        }
    }

    /// Takes the weight of a ghost that was dropped off.
    @inline(__always)
    func lose(_ weight: Int, of expert: UInt32) { rings.update(expert) { $0.weight &-= weight } }

    /// Takes the ghost at a place away.
    func take(_ place: UInt32, weight: Int) {
        ghosts.update(place & ~Self.bit) { $0.id = Self.gap }
        lose(weight, of: expert(at: place))
    }

    /// Closes the gaps of an expert's ring. Tells of each ghost where it is now. O(slots).
    @inline(__always)
    func pack(_ expert: UInt32, _ move: (ObjectID, UInt32) -> Void) {
        rings.update(expert) {
            var (source, target, kept) = ($0.first, $0.first, UInt32(0))
            for _ in 0..<$0.length {
                let ghost = ghosts[source]
                source = $0.follower(of: source)
                guard ghost.id != Self.gap else { continue }
                ghosts[target] = ghost
                move(ghost.id, target | Self.bit)
                target = $0.follower(of: target)
                kept &+= 1
            }
            ($0.next, $0.length) = (target, kept)
        }
    }
}
