/// Finds the least of many capacities that is not below a distance, in constant time for any spacing worth drawing.
struct CapacityLadder: Sendable {
    /// The capacities, ascending, each once.
    let capacities: [Int]
    /// For each bucket of distances, the first capacity that is not below the bucket.
    private let starts: [UInt32]

    init(_ capacities: [Int]) {
        let sorted = Set(capacities).sorted()
        self.capacities = sorted
        var rung = 0
        starts = (0..<64 * 64).map { bucket in
            while rung < sorted.count, Self.bucket(of: sorted[rung]) < bucket { rung += 1 }
            return UInt32(rung)
        }
    }

    /// The index of the least capacity that is at least `distance`; the number of capacities if there is none.
    @inline(__always) func rung(for distance: Int) -> Int {
        var rung = Int(starts[Self.bucket(of: distance)])
        while rung < capacities.count, capacities[rung] < distance { rung &+= 1 }
        return rung
    }

    /// 64 buckets for each power of two, and one for each number below 64.
    private static func bucket(of distance: Int) -> Int {
        let bits = Int.bitWidth - distance.leadingZeroBitCount
        guard bits > 6 else { return distance }
        return (bits &- 6) &* 64 &+ (distance >> (bits &- 7)) &- 64
    }
}

/// How many requests, and bytes of requests, have their distance between one capacity and the next.
struct LadderTally: StackTally {
    let ladder: CapacityLadder
    private(set) var requests = 0
    private(set) var bytesRequested = 0
    private var hits: [Int]
    private var bytes: [Int]

    init(_ ladder: CapacityLadder) {
        self.ladder = ladder
        hits = Array(repeating: 0, count: ladder.capacities.count + 1)
        bytes = hits
    }

    @inline(__always) mutating func record(_ distance: Int, size: Int) {
        requests &+= 1
        bytesRequested &+= size
        guard distance >= 0 else { return }
        let rung = ladder.rung(for: distance)
        hits[rung] &+= 1
        bytes[rung] &+= size
    }

    /// Requests and bytes that hit at each capacity, in ascending order.
    var cumulated: [CurveHits] {
        var sum = CurveHits(hits: 0, bytesHit: 0)
        return ladder.capacities.indices.map { rung in
            sum.hits += hits[rung]
            sum.bytesHit += bytes[rung]
            return sum
        }
    }
}

/// What hits at one capacity.
public struct CurveHits: Sendable, Hashable {
    /// Requests that hit.
    public var hits: Int
    /// The sum of their sizes, in bytes.
    public var bytesHit: Int
}
