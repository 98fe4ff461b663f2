public import CacheCore

/// Evicts a resident object drawn uniformly at random.
///
/// Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966. Every
/// operation is O(1); 4 bytes an object of the trace and 20 a resident object (28 in bytes). Any capacity from 1 on
/// works alike; an object larger than that is never admitted. The draws come from the configuration's seed alone, so
/// equal seeds give equal runs.
public struct RandomPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private static var all: UInt32 { 0 }

    private var table: SlotTable<Sizes>
    /// The slots in use, in no order: a slot's state is its place here.
    private let members: FixedBuffer<UInt32>
    private var generator: SeededGenerator
    /// The most weight that may be resident.
    public let capacity: Int

    /// Random has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "random", family: "random", summary: "Evicts a resident object drawn uniformly at random.",
            citation: "Belady, IBM Systems Journal 5(2), 1966", isDeterministic: false)
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        generator = SeededGenerator(seed: configuration.seed)
        members = FixedBuffer(repeating: 0, count: configuration.residentLimit)
        table = SlotTable(objects: configuration.objects.count, slots: configuration.residentLimit)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.weight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// A hit changes nothing.
    public mutating func touch(_ request: Request) -> Bool { table.contains(request.id) }

    /// Evicts a random member.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let victim = members[UInt32(generator.next(below: table.count))]
        leave(victim)
        table.evict(victim, into: &sink)
    }

    /// Makes the object the last member.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        let place = UInt32(table.count)
        members[place] = table.add(request.id, weight: weight, state: place, toHeadOf: Self.all)
    }

    /// Takes the object out of the members.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != SlotTable<Sizes>.none else { return }
        leave(slot)
        table.release(slot)
    }

    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }

    /// Fills the place of a member with the last one.
    private func leave(_ slot: UInt32) {
        let place = table.state(at: slot)
        let last = members[UInt32(table.count - 1)]
        members[place] = last
        table.setState(place, at: last)
    }
}
