import CacheCore

/// Evicts the oldest object that nobody asked for since it came or was last spared.
public struct MyPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private var table: SlotTable<Sizes>
    /// The most that may be resident.
    public let capacity: Int

    /// What it is, for lists.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "mine", family: "recency", summary: "The oldest leaves, unless it was asked for.", citation: "none")
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        table = SlotTable(objects: configuration.objects.count, slots: configuration.residentLimit)
    }

    /// How many objects it holds.
    public var residentCount: Int { table.count }
    /// What they weigh.
    public var residentWeight: Int { table.weight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }
    /// Whether an object is there.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }

    /// Marks an object that is there.
    public mutating func touch(_ request: Request) -> Bool {
        guard table.contains(request.id) else { return false }
        table.setState(1, at: table.slot(of: request.id))
        return true
    }

    /// Spares what is marked, and evicts the oldest that is not.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        while table.state(at: table.tail(of: 0)) == 1 {
            table.setState(0, at: table.tail(of: 0))
            table.move(table.tail(of: 0), toHeadOf: 0)
        }
        table.evict(table.tail(of: 0), into: &sink)
    }

    /// Lets an object in, for which there is room.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        _ = table.add(request.id, weight: weight, toHeadOf: 0)
    }

    /// Removes an object.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
}

/// The policy for suites and registries.
public let myPolicy = PolicyEntry(unit: MyPolicy<UnitSizes>.self, bytes: MyPolicy<ByteSizes>.self)
