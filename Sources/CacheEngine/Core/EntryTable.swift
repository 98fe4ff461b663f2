public import CIntrinsics
public import CacheCore

/// The keys that have ids, and the values of those that are resident: flat columns and an index over them.
///
/// An id belongs to one key from ``add(_:hash:)`` to ``free(_:)``; the policy may hold it as a ghost in between, and then
/// it has a key and no value. Memory: 5 bytes an id besides its key and value, 5 to 11 in the index, and what growing by
/// half leaves unused.
@usableFromInline
struct EntryTable<Key: Hashable, Value>: ~Copyable {
    /// The id that no key has.
    @inlinable static var none: ObjectID { .max }

    @usableFromInline var index: IDIndex
    @usableFromInline var keys: UnsafeMutablePointer<Key>
    @usableFromInline var values: UnsafeMutablePointer<Value>
    /// Of a free id, the next free one.
    @usableFromInline var hashes: UnsafeMutablePointer<UInt32>
    @usableFromInline var states: UnsafeMutablePointer<EntryState>
    /// The ids that the columns have room for.
    @usableFromInline var rows: Int
    /// The ids that there may be.
    @usableFromInline var limit: Int
    @usableFromInline var firstFree = UInt32.max
    @usableFromInline var firstUnused = 0

    /// An empty table for ids `0..<limit`.
    @inlinable
    init(limit: Int) {
        let rows = min(limit, 8)
        index = IDIndex(ids: limit)
        keys = .allocate(capacity: rows)
        values = .allocate(capacity: rows)
        hashes = .allocate(capacity: rows)
        states = .allocate(capacity: rows)
        self.rows = rows
        self.limit = limit
    }

    @inlinable
    deinit {
        var id = 0
        while id < firstUnused {
            if states[id].hasValue { (values + id).deinitialize(count: 1) }
            if states[id].isTaken { (keys + id).deinitialize(count: 1) }
            id &+= 1
        }
        keys.deallocate()
        values.deallocate()
        hashes.deallocate()
        states.deallocate()
    }

    /// The number of ids that belong to keys.
    @inlinable var count: Int { index.count }

    /// The id of a key, `none` if it has none. O(1) expected.
    @inlinable @inline(__always)
    func find(_ key: Key, hash: UInt32) -> ObjectID {
        let (words, mask, idMask) = (index.words, index.bucketMask, index.idMask)
        let wanted = hash & ~idMask
        var bucket = hash & mask
        while true {
            let word = words[Int(bucket)]
            if word == IDIndex.empty { return Self.none }
            if word & ~idMask == wanted, keys[Int(word & idMask)] == key { return word & idMask }
            bucket = (bucket &+ 1) & mask
        }
    }

    /// Gives a key without id one; `none` if none is left. O(1) amortised.
    @inlinable
    mutating func add(_ key: Key, hash: UInt32) -> ObjectID {
        let id: UInt32
        if firstFree != Self.none {
            id = firstFree
            firstFree = hashes[Int(id)]
        } else {
            guard firstUnused < limit else { return Self.none }
            if firstUnused == rows { growColumns() }
            id = UInt32(firstUnused)
            firstUnused &+= 1
        }
        (keys + Int(id)).initialize(to: key)
        hashes[Int(id)] = hash
        states[Int(id)] = .ghost
        if index.isFull { index.rebuild(ids: limit, hashes: hashes) }
        index.add(id, hash: hash)
        return id
    }

    /// Takes an id without value away from its key. O(1) expected.
    @inlinable
    mutating func free(_ id: ObjectID) {
        assert(states[Int(id)].isTaken && !states[Int(id)].hasValue, "only an id without a value can be freed")
        index.remove(id, hashes: hashes)
        (keys + Int(id)).deinitialize(count: 1)
        states[Int(id)] = .free
        hashes[Int(id)] = firstFree
        firstFree = id
    }

    /// Lets there be more ids. O(ids).
    @inlinable
    mutating func raise(limit newLimit: Int) {
        guard newLimit > limit else { return }
        limit = newLimit
        index.rebuild(ids: limit, hashes: hashes)
    }

    @inlinable @inline(never)
    mutating func growColumns() {
        let more = min(limit, max(16, rows + rows / 2))
        keys = Self.grown(keys, from: rows, to: more)
        hashes = Self.grown(hashes, from: rows, to: more)
        let newStates = Self.grown(states, from: rows, to: more)
        let newValues = UnsafeMutablePointer<Value>.allocate(capacity: more)
        for id in 0..<rows where newStates[id].hasValue { (newValues + id).moveInitialize(from: values + id, count: 1) }
        values.deallocate()
        values = newValues
        states = newStates
        rows = more
    }

    /// Moves a column all of whose rows are initialised, or trivial, to a longer one.
    @inlinable
    static func grown<Element>(
        _ column: UnsafeMutablePointer<Element>, from count: Int, to total: Int
    ) -> UnsafeMutablePointer<Element> {
        let longer = UnsafeMutablePointer<Element>.allocate(capacity: total)
        longer.moveInitialize(from: column, count: count)
        column.deallocate()
        return longer
    }
}

/// Fetches the object that a value consists of, or its storage: an object or an array is one word, a string two. Any other word is
/// no address, which does no harm.
@inlinable @inline(__always)
func prefetchObject<Element>(_ place: UnsafePointer<Element>) {
    let size = MemoryLayout<Element>.size
    guard !_isPOD(Element.self), size == 8 || size == 16 else { return }
    let word = (UnsafeRawPointer(place) + size - 8).loadUnaligned(as: UInt.self)
    // The highest bits of a string's word say of which kind it is.
    assay_prefetch_to_write(UnsafeRawPointer(bitPattern: word & (.max >> 8)))
}

/// What an id is at the moment.
@usableFromInline
struct EntryState: BitwiseCopyable, Equatable {
    @usableFromInline var bits: UInt8

    @inlinable
    init(bits: UInt8) { self.bits = bits }

    /// No key's.
    @inlinable static var free: EntryState { EntryState(bits: 0) }
    /// A key's that is not resident, as far as is known.
    @inlinable static var ghost: EntryState { EntryState(bits: 1) }
    /// A resident key's, with a value.
    @inlinable static var resident: EntryState { EntryState(bits: 3) }
    /// A resident key's of which is known that there is no value.
    @inlinable static var negative: EntryState { EntryState(bits: 5) }

    /// Whether it belongs to a key.
    @inlinable var isTaken: Bool { bits & 1 != 0 }
    /// Whether there is a value.
    @inlinable var hasValue: Bool { bits & 2 != 0 }
    /// Whether it is known that there is none.
    @inlinable var isNegative: Bool { bits & 4 != 0 }
    /// Whether reads extend its time.
    @inlinable var slides: Bool {
        get { bits & 8 != 0 }
        set { bits = newValue ? bits | 8 : bits & ~8 }
    }
    /// Whether the policy is believed to hold it as a resident.
    @inlinable var isResident: Bool { bits & 6 != 0 }
}
