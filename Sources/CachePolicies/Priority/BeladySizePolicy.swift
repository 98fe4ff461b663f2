public import CacheCore

/// Evicts what would hold the most bytes for the longest time until it is asked for again: Bélády's choice by size.
///
/// The value of an object is its size times the distance to its next request; libCacheSim's BeladySize. No bound: the
/// optimum for sizes is NP-hard (Berger, Beckmann and Harchol-Balter, "Practical bounds on optimal caching with
/// variable object sizes", SIGMETRICS 2018), and this greedy choice only comes near it, mostly below every online
/// policy. The values change at every request and in no common order, so that the largest of `samples` objects, drawn
/// with replacement from the configuration's seed, leaves; of all of them, without a draw, where no more than `samples`
/// are resident or `samples=0` (exact, and O(n) an eviction). An object that is never asked for again is not admitted,
/// and leaves before all others. Knows the future, so it replays whole traces only.
///
/// A hit is O(1), a miss O(samples) for each victim; 4 bytes an object of the trace, 16 a resident object, also
/// in bytes. Any capacity from 1 on works alike; in objects it is Bélády's MIN, refusing only what is not asked for again, as far as the
/// samples find the farthest use: exactly up to `samples` objects. An object larger than the capacity is never
/// admitted, and one keeps the size that it was admitted with. libCacheSim draws by its hash table: its counts are not
/// reproduced.
public struct BeladySizePolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private static var absent: UInt32 { .max }

    /// One resident object, where a draw needs to touch nothing else.
    private struct Member: BitwiseCopyable {
        var weight: Int
        var id: ObjectID
        var next: UInt32
    }

    /// Each object's place among the members.
    private let places: FixedBuffer<UInt32>
    /// First those that are asked for again, then those that are not, in no order.
    private let members: FixedBuffer<Member>
    private var count: UInt32 = 0
    private var live: UInt32 = 0
    private var now: UInt32 = 0
    private let samples: UInt32
    private var generator: SeededGenerator
    /// The total weight of the resident objects.
    public private(set) var residentWeight = 0
    /// The most weight that may be resident.
    public let capacity: Int

    /// The number of samples.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "belady-size", aliases: ["beladysize"], family: "bound",
            summary: "Evicts the sampled object with the largest size times distance to its next request.",
            citation: "Belady, IBM Systems Journal 5(2), 1966; Berger et al., SIGMETRICS 2018",
            parameters: [
                ParameterSpecification(
                    "samples", .integer(default: 128, 0...65_536), "The objects drawn for each victim; 0 for all.")
            ], isDeterministic: false, memory: MemoryCost(perObject: 4, perResident: 16, perResidentInBytes: 16))
    }

    /// True: it reads each request's next index.
    public static var needsFuture: Bool { true }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let drawn = UInt32(configuration.parameters.integer("samples"))
        capacity = configuration.capacity.amount
        samples = drawn == 0 ? .max : drawn
        generator = SeededGenerator(seed: configuration.seed)
        places = FixedBuffer(repeating: UInt32.max, count: configuration.objects.count)
        members = FixedBuffer(repeating: Member(weight: 0, id: 0, next: 0), count: configuration.residentLimit)
    }

    public var residentCount: Int { Int(count) }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Takes note of the object's next use.
    public mutating func touch(_ request: Request) -> Bool {
        now = UInt32(clamping: request.index)
        let place = places[request.id]
        guard place != Self.absent else { return false }
        members.update(place) { $0.next = UInt32(clamping: request.nextIndex) }
        if request.nextIndex == Request.never, place < live {
            live -= 1
            exchange(place, live)
        }
        return true
    }

    /// Refuses an object that is never asked for again.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool { request.nextIndex != Request.never }

    /// Evicts an object that is not asked for again, or else the sampled one that holds the most for the longest.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let place = live < count ? count - 1 : worst()
        let id = members[place].id
        leave(place)
        sink.evicted(id)
        sink.forgotten(id)
    }

    /// Makes the object the last member that is asked for again.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        put(Member(weight: weight, id: request.id, next: UInt32(clamping: request.nextIndex)), at: count)
        exchange(count, live)
        count += 1
        live += 1
        residentWeight += weight
    }

    /// Takes the object out of the members.
    public mutating func remove(_ id: ObjectID) {
        if places[id] != Self.absent { leave(places[id]) }
    }

    public func contains(_ id: ObjectID) -> Bool { places[id] != Self.absent }
    public func prefetch(_ id: ObjectID) { places.prefetch(id) }

    /// The first of the sampled members with the largest value.
    private mutating func worst() -> UInt32 {
        var found: UInt32 = 0
        var largest = -1.0
        let all = count <= samples
        for number in 0..<min(count, samples) {
            let place = all ? number : UInt32(generator.next(below: Int(count)))
            let member = members[place]
            let value = Double(member.weight) * Double(member.next - now)
            if value > largest { (found, largest) = (place, value) }
        }
        return found
    }

    private func put(_ member: Member, at place: UInt32) {
        members[place] = member
        places[member.id] = place
    }

    private func exchange(_ left: UInt32, _ right: UInt32) {
        guard left != right else { return }
        let member = members[left]
        put(members[right], at: left)
        put(member, at: right)
    }

    /// Fills a member's place with the last of its part.
    private mutating func leave(_ start: UInt32) {
        var place = start
        let member = members[place]
        if place < live {
            live -= 1
            exchange(place, live)
            place = live
        }
        count -= 1
        exchange(place, count)
        places[member.id] = Self.absent
        residentWeight -= member.weight
    }
}
