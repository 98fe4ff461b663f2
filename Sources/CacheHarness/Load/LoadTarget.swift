internal import CacheCore

/// What a load is put on: a cache that is asked for objects of a trace. Threads use it at the same time.
protocol LoadTarget: Sendable {
    /// Looks an object up; returns its bytes if it is resident.
    func get(_ id: ObjectID) throws(AssayError) -> [UInt8]?
    /// Offers a missed object; returns whether it was stored, and how many entries that evicted.
    func put(_ id: ObjectID, _ offer: PayloadLedger.Offer) throws(AssayError) -> (isStored: Bool, evictions: Int)
    /// Removes an object; returns whether it was resident.
    func remove(_ id: ObjectID) throws(AssayError) -> Bool
}

/// A subject of nothing: it has the value of every object, or of none, and stores none.
struct EmptyTarget: LoadTarget {
    /// By object; nil for a subject that always misses.
    let values: [[UInt8]]?

    @inline(__always)
    func get(_ id: ObjectID) throws(AssayError) -> [UInt8]? { values?[Int(id)] }
    @inline(never)
    func put(_ id: ObjectID, _ offer: PayloadLedger.Offer) throws(AssayError) -> (isStored: Bool, evictions: Int) {
        (true, 0)
    }
    func remove(_ id: ObjectID) throws(AssayError) -> Bool { true }
}

/// A target that has everything and does nothing, by which the harness measures itself.
struct NullTarget: LoadTarget {
    /// Nothing, which nobody counts references to.
    @inline(__always)
    func get(_ id: ObjectID) throws(AssayError) -> [UInt8]? { [] }
    func put(_ id: ObjectID, _ offer: PayloadLedger.Offer) throws(AssayError) -> (isStored: Bool, evictions: Int) {
        (true, 0)
    }
    func remove(_ id: ObjectID) throws(AssayError) -> Bool { true }
}
