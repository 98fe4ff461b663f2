/// Linked lists of objects, as the papers draw them; an object is in one list or in none.
///
/// The links lie in one flat table with a place for each id and one more for each list, between whose ends it stands, so that linking has
/// no special case. Memory: 9 bytes an id, 8 more where sizes are kept. Every operation is O(1).
@frozen
public struct ObjectLists<Sizes: SizeStore & ~Copyable>: ~Copyable {
    /// The neighbours of an object.
    @usableFromInline struct Links: BitwiseCopyable {
        @usableFromInline var ahead: UInt32
        @usableFromInline var behind: UInt32

        @usableFromInline init(_ ahead: UInt32, _ behind: UInt32) {
            self.ahead = ahead
            self.behind = behind
        }
    }

    /// How much is in a list.
    @usableFromInline struct Fill: BitwiseCopyable {
        @usableFromInline var count = 0
        @usableFromInline var weight = 0

        @usableFromInline init() {}
    }

    @usableFromInline let links: FixedBuffer<Links>
    @usableFromInline let homes: FixedBuffer<UInt8>
    @usableFromInline let fills: FixedBuffer<Fill>
    @usableFromInline let sizes: Sizes
    /// The place of the first list among the links.
    @usableFromInline let firstList: UInt32

    @inlinable static var nowhere: UInt8 { .max }

    /// Empty lists `0..<lists`, of which there are at most 255, for the ids `0..<objects`.
    @inlinable
    public init(objects: Int, lists: Int = 1) {
        precondition(objects < Int(UInt32.max) - 256 && lists < 256, "ids are 32 bits wide, lists are 8")
        firstList = UInt32(objects)
        links = FixedBuffer(repeating: Links(0, 0), count: objects + lists)
        homes = FixedBuffer(repeating: Self.nowhere, count: objects)
        fills = FixedBuffer(repeating: Fill(), count: lists)
        sizes = Sizes(slots: objects)
        for list in UInt32(objects)..<UInt32(objects + lists) { links[list] = Links(list, list) }
    }

    /// Whether an object is in any of the lists.
    @inlinable @inline(__always)
    public func contains(_ id: ObjectID) -> Bool { homes[id] != Self.nowhere }

    /// Whether an object is in a list.
    @inlinable @inline(__always)
    public func contains(_ id: ObjectID, in list: UInt8) -> Bool { homes[id] == list }

    /// The number of objects in a list.
    @inlinable @inline(__always)
    public func count(in list: UInt8 = 0) -> Int { fills[UInt32(list)].count }

    /// The total weight of the objects in a list.
    @inlinable @inline(__always)
    public func weight(in list: UInt8 = 0) -> Int {
        Sizes.isUnit ? fills[UInt32(list)].count : fills[UInt32(list)].weight
    }

    /// The weight that an object was added with.
    @inlinable @inline(__always)
    public func weight(of id: ObjectID) -> Int { sizes.weight(at: id) }

    /// The object at the front of a list, where objects enter; nil if it is empty.
    @inlinable @inline(__always)
    public func front(of list: UInt8 = 0) -> ObjectID? { object(links[firstList &+ UInt32(list)].behind) }

    /// The object at the back of a list; nil if it is empty.
    @inlinable @inline(__always)
    public func back(of list: UInt8 = 0) -> ObjectID? { object(links[firstList &+ UInt32(list)].ahead) }

    /// The next object towards the front; nil at the front.
    @inlinable @inline(__always)
    public func ahead(of id: ObjectID) -> ObjectID? { object(links[id].ahead) }

    /// Puts an object that is in no list at the front of one.
    @inlinable @inline(__always)
    public mutating func addToFront(_ id: ObjectID, weight: Int, of list: UInt8 = 0) {
        sizes.setWeight(weight, at: id)
        enter(id, list)
    }

    /// Moves an object that is in a list to the front of one, its own or another.
    @inlinable @inline(__always)
    public mutating func moveToFront(_ id: ObjectID, of list: UInt8 = 0) {
        leave(id)
        enter(id, list)
    }

    /// Takes an object out of its list; does nothing if it is in none.
    @inlinable @inline(__always)
    public mutating func remove(_ id: ObjectID) {
        guard contains(id) else { return }
        leave(id)
        homes[id] = Self.nowhere
    }

    /// Takes an object out of its list and reports that it left for space and is forgotten.
    @inlinable @inline(__always)
    public mutating func evict<Sink: EvictionSink & ~Copyable>(_ id: ObjectID, into sink: inout Sink) {
        remove(id)
        sink.evicted(id)
        sink.forgotten(id)
    }

    /// Asks the processor to fetch what is known of an object.
    @inlinable @inline(__always)
    public func prefetch(_ id: ObjectID) { links.prefetch(id) }

    /// The object at a place among the links; nil for a list.
    @inlinable @inline(__always)
    func object(_ place: UInt32) -> ObjectID? { place < firstList ? place : nil }

    @inlinable @inline(__always)
    func enter(_ id: ObjectID, _ list: UInt8) {
        let end = firstList &+ UInt32(list)
        let former = links[end].behind
        links[id] = Links(end, former)
        links.update(former) { $0.ahead = id }
        links.update(end) { $0.behind = id }
        homes[id] = list
        fill(list, by: 1, id)
    }

    @inlinable @inline(__always)
    func leave(_ id: ObjectID) {
        let own = links[id]
        links.update(own.ahead) { $0.behind = own.behind }
        links.update(own.behind) { $0.ahead = own.ahead }
        fill(homes[id], by: -1, id)
    }

    @inlinable @inline(__always)
    func fill(_ list: UInt8, by sign: Int, _ id: ObjectID) {
        fills.update(UInt32(list)) {
            $0.count &+= sign
            if !Sizes.isUnit { $0.weight &+= sign &* sizes.weight(at: id) }
        }
    }
}
