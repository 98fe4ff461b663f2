/// When objects expire, soonest first.
///
/// A binary heap of deadlines in which an object that was started again leaves its old entry behind; those are dropped
/// when they come to the top, and all of them when they are the greater part. Memory: 8 bytes an object, and at most two
/// entries of 16 bytes, and the array's slack, for each object that has a deadline. Starting an object is O(log n) amortised, asking O(1), expiring O(log n).
@frozen
public struct ExpiryClock: ~Copyable {
    @frozen @usableFromInline
    struct Entry: BitwiseCopyable {
        @usableFromInline var deadline: Int64
        @usableFromInline var id: ObjectID

        @inlinable
        init(deadline: Int64, id: ObjectID) {
            self.deadline = deadline
            self.id = id
        }
    }

    /// The deadline that counts of each object, `.max` for none.
    @usableFromInline let deadlines: FixedBuffer<Int64>
    @usableFromInline var heap: [Entry] = []
    @usableFromInline var started = 0

    /// A clock for ids `0..<objects`, none of which expires.
    @inlinable
    public init(objects: Int) { deadlines = FixedBuffer(repeating: .max, count: objects) }

    /// The number of objects that have a deadline.
    public var count: Int { started }

    /// The entries of the heap, old ones included.
    var entries: Int { heap.count }

    /// Gives an object a deadline, instead of any that it had: `nanoseconds` from `now`; 0 for none.
    @inlinable
    public mutating func start(_ id: ObjectID, at now: Int64, for nanoseconds: Int64) {
        let (deadline, overflows) = now.addingReportingOverflow(nanoseconds)
        let old = deadlines[id]
        let new = nanoseconds == 0 || overflows ? .max : deadline
        deadlines[id] = new
        started &+= (new == .max ? 0 : 1) &- (old == .max ? 0 : 1)
        guard new != .max, new != old else { return }
        if heap.count > 64 + 2 * started { dropOldEntries() }
        heap.append(Entry(deadline: new, id: id))
        rise(from: heap.count - 1)
    }

    /// Takes away an object whose deadline has come, the one with the earliest; nil if there is none.
    @inlinable
    public mutating func nextExpired(at now: Int64) -> ObjectID? {
        while let first = heap.first, first.deadline <= now {
            let last = heap.removeLast()
            if !heap.isEmpty {
                heap[0] = last
                sink(from: 0)
            }
            guard deadlines[first.id] == first.deadline else { continue }
            deadlines[first.id] = .max
            started &-= 1
            return first.id
        }
        return nil
    }

    @usableFromInline
    mutating func dropOldEntries() {
        // A deadline that an object has had twice is there twice: once one is kept, the next finds none to match.
        heap.removeAll { entry in
            guard deadlines[entry.id] == entry.deadline else { return true }
            deadlines[entry.id] = .max
            return false
        }
        for entry in heap { deadlines[entry.id] = entry.deadline }
        for place in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(from: place) }
    }

    @usableFromInline
    mutating func rise(from start: Int) {
        var place = start
        let entry = heap[place]
        while place > 0, heap[(place - 1) / 2].deadline > entry.deadline {
            heap[place] = heap[(place - 1) / 2]
            place = (place - 1) / 2
        }
        heap[place] = entry
    }

    @usableFromInline
    mutating func sink(from start: Int) {
        var place = start
        let entry = heap[place]
        while 2 * place + 1 < heap.count {
            var child = 2 * place + 1
            if child + 1 < heap.count, heap[child + 1].deadline < heap[child].deadline { child += 1 }
            guard heap[child].deadline < entry.deadline else { break }
            heap[place] = heap[child]
            place = child
        }
        heap[place] = entry
    }
}
