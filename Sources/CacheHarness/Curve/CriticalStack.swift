internal import CacheCore

/// The capacities at which Bélády's rule still has a choice, by when it last had none: the stack distances of MIN and OPT
/// without knowledge of the future.
///
/// Bilardi, Ekanadham and Pattnaik, "Optimal on-line computation of stack distances for MIN and OPT", Computing Frontiers
/// 2017, show that the distance of a request depends on earlier requests alone. At a capacity an object hits if since its
/// last request no moment was full, one at which every place was taken by an object that has hit since. So it is
/// enough to keep for each capacity its last full moment. They come as a list of marks, of which a capacity's is
/// the earliest up to it; the request's distance is the first place whose mark is not later than its last request. Its
/// hit fills moments at the capacities from there on: its own moment becomes the mark of that place, and the mark that
/// was there moves on, from place to place, each time staying where it is the earlier one and giving way to a later
/// one, as long as that is not later than the request's last. `docs/decisions/0005` has the proof.
///
/// Most marks that move do so in runs of neighbours; a tree of bounds finds where the next run begins. 4 bytes an object and 4.5
/// a place, of which there are as many as the largest distance.
struct CriticalStack: ~Copyable, PriorityStack {
    /// The number of each object's last request, from 1 on; 0 for none.
    private let lastRequests: FixedBuffer<UInt32>
    private let marks: BoundsTree
    private var count = 0
    private var clock: UInt32 = 0
    /// Whether a newcomer may be refused.
    private let bypasses: Bool

    /// An empty stack for that many ids.
    init(objects: Int, bypasses: Bool) {
        lastRequests = FixedBuffer(repeating: 0, count: objects)
        marks = BoundsTree(positions: objects + 1)
        self.bypasses = bypasses
    }

    @inline(__always)
    mutating func request(_ id: ObjectID, size: Int) -> Int {
        let moment = clock
        clock &+= 1
        let last = lastRequests[id]
        lastRequests[id] = clock
        if last == 0 { return -1 }
        if bypasses { return 1 &+ mark(moment, after: last &- 1) }
        // The object in front is at hand whatever the capacity, and its request changes nothing.
        return last == moment ? 1 : 2 &+ mark(moment, after: last)
    }

    /// Marks a moment at the first place whose mark is not later than `bound`, moves what was there on, and returns it.
    private mutating func mark(_ moment: UInt32, after bound: UInt32) -> Int {
        guard let found = marks.first(atMost: bound) else {
            marks[count] = moment
            marks.update(count...count)
            count &+= 1
            return count &- 1
        }
        var (place, carried) = (found, moment)
        repeat {
            let start = place
            var ousted = marks[place]
            marks[place] = carried
            carried = ousted
            place &+= 1
            while place < count {
                ousted = marks[place]
                guard ousted > carried, ousted <= bound else { break }
                marks[place] = carried
                carried = ousted
                place &+= 1
            }
            marks.update(start...place &- 1)
            guard carried < bound, let next = marks.next(from: place, above: carried, atMost: bound) else { break }
            place = next
        } while true
        return found
    }

    @inline(__always) func prefetch(_ id: ObjectID) { lastRequests.prefetch(id) }
    @inline(__always) func prefetchCounts(_ id: ObjectID) {}
}
