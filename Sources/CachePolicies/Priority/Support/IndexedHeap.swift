internal import CacheCore

/// A binary heap of slots with the smallest key on top, in which each slot's key can change.
///
/// For policies that always evict the object with the lowest priority: a slot is one of a `SlotTable` or of
/// ``ResidentSlots``. Where keys are unique and mostly rise, a ``RisingHeap`` does less. Equal keys leave
/// in the order of the heap itself, which libCacheSim's priority queue shares: a newcomer or a changed key passes only
/// what is strictly larger on its way up and strictly smaller on its way down, and a leaver's place is filled by the
/// last entry. Where that order should not matter, make keys unique, by a time for instance. Insertion, update and
/// removal are O(log n), the minimum is O(1). Memory: a key and 4 bytes, padded, and 4 more bytes, a slot.
struct IndexedHeap<Key: Comparable & BitwiseCopyable>: ~Copyable {
    /// A slot with its key. Not private, because Swift 6.3.1 emits a broken module for a private type in the layout of a
    /// generic one that another file uses.
    struct Entry: BitwiseCopyable {
        var key: Key
        var slot: UInt32
    }

    /// The entries from place 1 on; place 0 is not used, so that a place's children share a cache line.
    private let entries: FixedBuffer<Entry>
    /// The place of each slot. That of a slot that is not in the heap means nothing.
    private let places: FixedBuffer<UInt32>
    private var last: UInt32 = 0
    private let hasManyEquals: Bool

    /// An empty heap for slots `0..<slots`; `filler` is any key. Where many keys are equal, saying so saves a third of
    /// the time; where they are not, it would cost three times as much.
    init(slots: Int, filler: Key, hasManyEquals: Bool = false) {
        self.hasManyEquals = hasManyEquals
        entries = FixedBuffer(repeating: Entry(key: filler, slot: 0), count: slots + 1)
        places = FixedBuffer(repeating: 0, count: slots)
    }

    /// The number of slots in the heap.
    var count: Int { Int(last) }

    /// The slot with the smallest key. The heap must not be empty.
    var minimum: UInt32 {
        assert(last > 0, "an empty heap has no minimum")
        return entries[1].slot
    }

    /// The smallest key. The heap must not be empty.
    var smallestKey: Key {
        assert(last > 0, "an empty heap has no minimum")
        return entries[1].key
    }

    /// The slot in the last place, which fills that of the smallest key when this leaves. The heap must not be empty.
    var end: UInt32 {
        assert(last > 0, "an empty heap has no end")
        return entries[last].slot
    }

    /// Lets the slots in the first place and in the last, whose keys must be equal, change places.
    func swapEnds() {
        let (first, end) = (entries[1], entries[last])
        assert(!(first.key < end.key), "only equals can change places")
        put(end, at: 1)
        put(first, at: last)
    }

    /// The key of a slot that is in the heap.
    func key(of slot: UInt32) -> Key { entries[places[slot]].key }

    /// Asks the processor to fetch where a slot's place is kept, `.max` for no slot.
    func prefetchPlace(_ slot: UInt32) { places.prefetchIfFar(slot) }

    /// Asks the processor to fetch what lies below a slot, whose place has been fetched. A slot that is not in the heap may be
    /// named, and `.max` for none.
    func prefetchChildren(_ slot: UInt32) {
        guard entries.isFar else { return }
        let place = slot == .max ? 0 : places[slot]
        entries.prefetchIfFar(min(2 &* place, last))
    }

    /// Adds a slot that is not in the heap.
    mutating func insert(_ slot: UInt32, key: Key) {
        last += 1
        rise(Entry(key: key, slot: slot), from: last)
    }

    /// Changes the key of a slot that is in the heap.
    func update(_ slot: UInt32, key: Key) {
        settle(Entry(key: key, slot: slot), from: places[slot])
    }

    /// Takes a slot that is in the heap out of it.
    mutating func remove(_ slot: UInt32) {
        let place = places[slot]
        let filler = entries[last]
        last -= 1
        if filler.slot != slot { settle(filler, from: place) }
    }

    /// Takes the slot with the smallest key out of the heap, which must not be empty.
    mutating func removeMinimum() -> UInt32 {
        let slot = minimum
        let filler = entries[last]
        last -= 1
        if last > 0 { sink(filler, from: 1) }
        return slot
    }

    /// Puts an entry where it belongs, starting at the place of one that it replaces.
    private func settle(_ entry: Entry, from place: UInt32) {
        if entry.key < entries[place].key { rise(entry, from: place) } else { sink(entry, from: place) }
    }

    private func put(_ entry: Entry, at place: UInt32) {
        entries[place] = entry
        places[entry.slot] = place
    }

    private func rise(_ entry: Entry, from start: UInt32) {
        var place = start
        while place > 1 {
            let parent = entries[place / 2]
            guard entry.key < parent.key else { break }
            put(parent, at: place)
            place /= 2
        }
        put(entry, at: place)
    }

    private func sink(_ entry: Entry, from start: UInt32) {
        let place = hasManyEquals ? branchingHole(for: entry, from: start) : hole(for: entry, from: start)
        put(entry, at: place)
    }

    /// Lifts what is smaller than an entry and returns where that belongs. Finds the smaller child by an addition: a
    /// branch would be as good as random.
    private func hole(for entry: Entry, from start: UInt32) -> UInt32 {
        var place = start
        var child = start * 2
        while child < last {
            child += entries[child + 1].key < entries[child].key ? 1 : 0
            guard entries[child].key < entry.key else { return place }
            put(entries[child], at: place)
            place = child
            child *= 2
        }
        guard child == last, entries[child].key < entry.key else { return place }
        put(entries[child], at: place)
        return child
    }

    /// The same by a branch, which the processor foresees when most children are equal.
    private func branchingHole(for entry: Entry, from start: UInt32) -> UInt32 {
        var place = start
        while place * 2 <= last {
            var child = place * 2
            if child < last, entries[child + 1].key < entries[child].key { child += 1 }
            guard entries[child].key < entry.key else { break }
            put(entries[child], at: place)
            place = child
        }
        return place
    }
}
