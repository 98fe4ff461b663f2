public import CacheCore

/// Admits every object and never evicts: the bound that no cache of any size can beat, in which only first requests
/// miss.
///
/// The limit of every policy as the capacity grows; its misses are the compulsory ones (Hill and Smith, "Evaluating
/// associativity in CPU caches", IEEE Transactions on Computers 38(12), 1989). The one exception to the contract that
/// resident objects weigh at most the capacity: it ignores the capacity, says so by `PolicyDescriptor.isUnbounded`, and
/// admits objects larger than it too, so that capacities 1, 2 and 3 are like any other. Every operation is O(1); 1 byte
/// an object of the trace (9 in bytes). A size holds until its object is removed. Caffeine's `opt.Unbounded`.
public struct InfinitePolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private let residents: FixedBuffer<Bool>
    private let sizes: Sizes
    /// The number of resident objects.
    public private(set) var residentCount = 0
    /// The total weight of the resident objects, whatever the capacity is.
    public private(set) var residentWeight = 0

    /// It has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "infinite", aliases: ["unbounded"], family: "bound",
            summary: "Admits every object, whatever the capacity, and never evicts: only first requests miss.",
            citation: "Hill and Smith, IEEE Transactions on Computers 38(12), 1989", isUnbounded: true,
            memory: MemoryCost(perObject: 1, perResident: 0, perObjectInBytes: 9, perResidentInBytes: 0))
    }

    /// An empty cache. The capacity is ignored.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        residents = FixedBuffer(repeating: false, count: configuration.objects.count)
        sizes = Sizes(slots: configuration.objects.count)
    }

    /// A hit changes nothing.
    public mutating func touch(_ request: Request) -> Bool { residents[request.id] }

    /// Admits the object.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let weight = Sizes.weight(of: request)
        residents[request.id] = true
        sizes.setWeight(weight, at: request.id)
        residentCount += 1
        residentWeight += weight
        return true
    }

    /// Takes the object out.
    public mutating func remove(_ id: ObjectID) {
        guard residents[id] else { return }
        residents[id] = false
        residentCount -= 1
        residentWeight -= sizes.weight(at: id)
    }

    public func contains(_ id: ObjectID) -> Bool { residents[id] }
    public func prefetch(_ id: ObjectID) { residents.prefetch(id) }
}
