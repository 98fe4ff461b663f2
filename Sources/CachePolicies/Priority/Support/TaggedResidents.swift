internal import CacheCore

/// The residents of LHD: in no order and without gaps, so that a place can be drawn, with what ranks an object in 8 bytes.
///
/// An object that is not resident may be listed all the same: the index says so, and its tag will once it comes back.
/// Memory: 4 bytes an object of the trace; 16 bytes a resident, 8 more when sizes are kept. All operations are O(1).
struct TaggedResidents<Sizes: SizeStore & ~Copyable>: ~Copyable {
    /// What the rank of a resident comes from.
    struct Tag: BitwiseCopyable {
        static var listed: UInt32 { 1 << 30 }
        static var explorer: UInt32 { 1 << 31 }

        /// When it was asked for; the difference to now is right after it wraps around.
        var time: UInt32 = 0
        /// The row of its class in the model, and the marks of explorers and of what is listed.
        var marks: UInt32 = 0

        var row: UInt32 { marks & (Self.listed &- 1) }
        var isMarked: Bool { marks >= Self.listed }
        var isListed: Bool { marks & Self.listed != 0 }
        var isExplorer: Bool { marks >= Self.explorer }
    }

    /// What else is known of a resident.
    struct Record: BitwiseCopyable {
        var id: ObjectID = 0
        var lastAge: UInt16 = 0
        var ageBefore: UInt16 = 0
    }

    private static var none: UInt32 { .max }
    private static var listed: UInt32 { .max - 1 }

    private let index: FixedBuffer<UInt32>
    let tags: FixedBuffer<Tag>
    let records: FixedBuffer<Record>
    private let sizes: Sizes
    private var weightInUse = 0
    /// The number of residents, in the places from 0 on.
    private(set) var count = 0

    /// No residents yet, of as many as a configuration allows.
    init(_ configuration: PolicyConfiguration) {
        let limit = configuration.residentLimit
        index = FixedBuffer(repeating: Self.none, count: configuration.objects.count)
        tags = FixedBuffer(repeating: Tag(), count: limit)
        records = FixedBuffer(repeating: Record(), count: limit)
        sizes = Sizes(slots: limit)
    }

    /// The total weight of the residents.
    var weight: Int { Sizes.isUnit ? count : weightInUse }

    /// The place of an object, nil if it is not resident.
    @inline(__always)
    func place(of id: ObjectID) -> UInt32? {
        let place = index[id]
        return place < Self.listed ? place : nil
    }

    /// The weight of the object at a place.
    @inline(__always)
    func weight(at place: UInt32) -> Int { sizes.weight(at: place) }

    /// Asks the processor to fetch an id's entry in the index.
    @inline(__always)
    func prefetch(_ id: ObjectID) { index.prefetch(id) }

    /// Asks the processor to fetch what is known of a resident.
    @inline(__always)
    func prefetchEntry(_ id: ObjectID) {
        guard tags.isFar else { return }
        let place = place(of: id) ?? 0
        tags.prefetch(place)
        records.prefetch(place)
    }

    /// Gives an object that is not resident the next place, whose tag is still to be written. Returns the place, and the marks
    /// that the object has kept.
    @inline(__always)
    mutating func append(_ id: ObjectID, weight: Int, ageBefore: Int) -> (place: UInt32, marks: UInt32) {
        let place = UInt32(truncatingIfNeeded: count)
        let isListed = index[id] == Self.listed
        index[id] = place
        records[place] = Record(id: id, ageBefore: UInt16(truncatingIfNeeded: ageBefore))
        sizes.setWeight(weight, at: place)
        if !Sizes.isUnit { weightInUse += weight }
        count &+= 1
        return (place, isListed ? Tag.listed : 0)
    }

    /// Takes the object out of a place and lets the last resident fill it, whose tag is returned; nil if it is the same.
    @inline(__always)
    mutating func drop(_ place: UInt32) -> Tag? {
        index[records[place].id] = tags[place].isListed ? Self.listed : Self.none
        if !Sizes.isUnit { weightInUse -= sizes.weight(at: place) }
        count &-= 1
        let last = UInt32(truncatingIfNeeded: count)
        guard place != last else { return nil }
        let filler = tags[last]
        tags[place] = filler
        records[place] = records[last]
        sizes.setWeight(sizes.weight(at: last), at: place)
        index[records[last].id] = place
        return filler
    }

    /// An object is no longer listed, whether it is resident or not.
    func unlist(_ id: ObjectID) {
        if let place = place(of: id) {
            tags.update(place) { $0.marks &= ~Tag.listed }
        } else {
            index[id] = Self.none
        }
    }
}
