public import CacheCore
internal import PolicySupport

/// Evicts the object whose requests weigh least, each of them half as much after every `1 / lambda` requests.
///
/// Lee, Choi, Kim, Noh, Min, Cho and Kim, "LRFU: a spectrum of policies that subsumes the least recently used and least
/// frequently used policies", IEEE Transactions on Computers 50(12), 2001. An object's value is the sum of
/// `(1/2)^(lambda * x)` over its requests since it entered, x being the requests since each: an LFU at `lambda=0`, an LRU at
/// `lambda=1`. Among equals the one asked for longest ago leaves. The value of a victim is forgotten, and no requests are taken
/// for correlated: the paper's period of that length is 0 here. A hit and a miss are O(log n); 4 bytes an object of the trace
/// and 32 a resident object (40 in bytes). Any capacity from 1 on works alike, 1 being a cache of the last object; sizes
/// do not count, an object larger than the capacity is never admitted, and a size holds until its object leaves.
///
/// All values fall by the same factor from one request to the next, so that their order is that of their logarithms, to which
/// `lambda` times the number of the last request is added: this key of an object changes with its own requests alone.
public struct LRFUPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private var table: PriorityTable<Rank<Double>, Sizes>
    /// By how much the logarithm of a value falls with each request.
    private let decay: Double
    /// Requests so far.
    private var time = 0
    /// The most weight that may be resident.
    public let capacity: Int

    /// How fast requests lose their weight.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "lrfu", family: "frequency",
            summary: "Evicts the object with the least sum of requests, each of which counts less with time.",
            citation: "Lee et al., IEEE Transactions on Computers 50(12), 2001",
            parameters: [
                ParameterSpecification(
                    "lambda", .number(default: 0.001, 0...1),
                    "A request counts half after 1/lambda requests: 0 is an LFU, 1 an LRU.")
            ], memory: MemoryCost(perObject: 4, perResident: 32))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        decay = configuration.parameters.number("lambda") * PortableMath.log(2)
        table = PriorityTable(configuration, filler: Rank(value: 0, order: 0))
    }

    public var residentCount: Int { table.count }
    public var residentWeight: Int { table.weight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Adds 1 to what is left of the object's value.
    public mutating func touch(_ request: Request) -> Bool {
        time += 1
        let (now, order) = (decay * Double(time), time)
        return table.update(request.id) { key, _ in
            Rank(value: now + PortableMath.log(1 + PortableMath.exp(key.value - now)), order: order)
        }
    }

    /// Evicts the object with the lowest value.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        table.evictMinimum(into: &sink)
    }

    /// Gives the newcomer the value 1.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        table.add(request.id, weight: weight, key: Rank(value: decay * Double(time), order: time))
    }

    /// The object with the lowest value.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? { table.first }

    /// Takes the object out of the order.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }
}
