public import CacheCore

/// The requests of a sample of a trace's objects, renumbered: what miniature simulations replay.
///
/// Waldspurger, Saemundsson, Ahmad and Park, "Cache modeling and optimization using miniature simulations", ATC 2017: a cache
/// of capacity C behaves on the whole trace as one of capacity C times the rate does on the sample. The misses count over the
/// requests that the rate promises rather than over those that the sample has, since the difference is made by objects so
/// hot that they hit. A capacity that shrinks to a few objects says little, and in bytes an object that fits into the large
/// cache may not fit into the small one: ``hindrance(at:)`` says where a miniature cannot stand for the whole.
public struct MiniatureTrace: Sendable {
    /// The rate of the sample.
    public let rate: Double
    /// The sampled requests, with the position of each object's next one.
    public let columns: RequestColumns
    /// How many of the sampled requests come before the counted ones.
    let warmUp: Int
    /// Of the whole trace, those that ratios are of.
    private let requests: Int
    private let bytesRequested: Int
    /// The sum of the sizes of the sampled objects, each at its first request.
    private let objectBytes: Int

    /// Samples a trace in one pass; nil if the sample holds no request that is counted.
    ///
    /// - Parameters:
    ///   - rules: Which requests are counted.
    ///   - warmUp: Requests before the counted ones.
    public init?(
        _ columns: RequestColumns, extent: SampleExtent, seed: UInt64, rules: ReplayRules = ReplayRules(),
        warmUp: Int = 0
    ) {
        let sample =
            switch extent {
            case .rate(let rate): SpatialSample(rate: rate, seed: seed)
            case .objects(let count):
                SpatialSample(rate: Double(count) / Double(max(1, columns.objects.count)), seed: seed)
            }
        let part = SampledRequests(columns, sample, rules, warmUp)
        guard part.ids.count > part.warmUp else { return nil }
        rate = sample.rate
        self.warmUp = part.warmUp
        requests = part.requests
        bytesRequested = part.bytesRequested
        objectBytes = part.objectBytes
        self.columns = MiniatureColumns(part).columns(like: columns)
    }

    /// The capacity that stands for `capacity`, at least 1.
    public func scaled(_ capacity: Capacity) -> Capacity {
        Capacity(max(1, Int((Double(capacity.amount) * rate).rounded())), capacity.unit)
    }

    /// Why a miniature cannot stand for a cache.
    enum Hindrance: Sendable, Hashable {
        /// It holds fewer objects than ``MiniatureTrace/leastObjects``.
        case small
        /// More than a hundredth of the requests ask for objects that fit into the cache and not into the miniature.
        case narrow
    }

    /// The objects that a miniature must hold for its estimate to mean something.
    static var leastObjects: Int { 100 }

    /// Why the sample cannot stand for the whole trace at a capacity; nil if it can, as one that follows every object does.
    /// O(sampled requests) in bytes.
    func hindrance(at capacity: Capacity) -> Hindrance? {
        if rate == 1 { return nil }
        let scaled = scaled(capacity).amount
        let objects = columns.objects.count
        let mean = capacity.unit == .objects ? 1 : max(1, Double(objectBytes) / Double(objects))
        if min(Double(scaled) / mean, Double(objects)) < Double(Self.leastObjects) { return .small }
        guard capacity.unit == .bytes, columns.sizes != nil else { return nil }
        let sizes = RequestSizes(columns)
        let refused = columns.ids.indices.count {
            let size = sizes.size(at: $0)
            return size > scaled && size <= capacity.amount
        }
        return refused * 100 > columns.ids.count ? .narrow : nil
    }

    /// The estimated ratios of the whole trace, not above what any cache can have there.
    func ratios(_ counts: ReplayCounts, ceiling: CurveRatios) -> CurveRatios {
        let missedBytes = counts.bytesRequested - counts.bytesHit
        return CurveRatios(
            hitRatio: Self.ratio(misses: counts.misses, of: Double(requests) * rate),
            byteHitRatio: Self.ratio(misses: missedBytes, of: Double(bytesRequested) * rate)
        ).limited(by: ceiling)
    }

    private static func ratio(misses: Int, of expected: Double) -> Double {
        expected > 0 ? 1 - Double(misses) / expected : 0
    }
}

/// What a sample takes from a trace.
private struct SampledRequests {
    var ids: [ObjectID] = []
    var sizes: [UInt32] = []
    var wideSizes: [Int: Int] = [:]
    var costs: [Double] = []
    var operations: [UInt8] = []
    var next: [UInt32] = []
    var keys: [UInt64] = []
    var objects = 0
    /// The sum of the sizes of the objects, each at its first request.
    var objectBytes = 0
    /// Requests before the counted ones.
    var warmUp = 0
    /// Of the whole trace, those that ratios are of.
    var requests = 0
    var bytesRequested = 0

    init(_ columns: RequestColumns, _ sample: SpatialSample, _ rules: ReplayRules, _ warmUp: Int) {
        var numbers = [ObjectID](repeating: .max, count: columns.objects.count)
        for position in 0..<columns.ids.count {
            let size = columns.sizes?.size(at: position)
            if position >= warmUp, rules.counts(columns.operation(at: position)) {
                requests += 1
                bytesRequested &+= size ?? columns.uniformSize
            }
            let id = columns.ids[position]
            guard sample.contains(id) else { continue }
            if numbers[Int(id)] == .max {
                numbers[Int(id)] = ObjectID(objects)
                objects += 1
                objectBytes += size ?? columns.uniformSize
                if let known = columns.keys { keys.append(known[id]) }
            }
            if let size { append(size) }
            if let known = columns.costs { costs.append(known[position]) }
            if let known = columns.operations { operations.append(known[position]) }
            ids.append(numbers[Int(id)])
            if position < warmUp { self.warmUp = ids.count }
        }
        fillNext()
    }

    private mutating func append(_ size: Int) {
        if size >= Int(UInt32.max) { wideSizes[ids.count] = size }
        sizes.append(UInt32(clamping: size))
    }

    private mutating func fillNext() {
        var last = [UInt32](repeating: .max, count: objects)
        next = [UInt32](repeating: .max, count: ids.count)
        for position in ids.indices.reversed() {
            next[position] = last[Int(ids[position])]
            last[Int(ids[position])] = UInt32(truncatingIfNeeded: position)
        }
    }
}

/// Owns the memory of a sampled trace.
private final class MiniatureColumns: @unchecked Sendable {
    private let ids: UnsafeBufferPointer<ObjectID>
    private let sizes: UnsafeBufferPointer<UInt32>
    private let next: UnsafeBufferPointer<UInt32>
    private let costs: UnsafeBufferPointer<Double>
    private let operations: UnsafeBufferPointer<UInt8>
    private let keys: UnsafeBufferPointer<UInt64>
    private let wideSizes: [Int: Int]
    private let objects: Int

    init(_ part: SampledRequests) {
        ids = Self.copy(part.ids)
        sizes = Self.copy(part.sizes)
        next = Self.copy(part.next)
        costs = Self.copy(part.costs)
        operations = Self.copy(part.operations)
        keys = Self.copy(part.keys)
        wideSizes = part.wideSizes
        objects = part.objects
    }

    deinit {
        ids.deallocate()
        sizes.deallocate()
        next.deallocate()
        costs.deallocate()
        operations.deallocate()
        keys.deallocate()
    }

    func columns(like whole: RequestColumns) -> RequestColumns {
        RequestColumns(
            ids: ids, sizes: whole.sizes == nil ? nil : RecordedSizes(sizes, wide: wideSizes),
            uniformSize: whole.uniformSize, next: next, costs: whole.costs == nil ? nil : costs,
            operations: whole.operations == nil ? nil : operations, sizeChanges: whole.sizeChanges == 0 ? 0 : nil,
            objects: ObjectSpace(count: objects, smallestSize: whole.objects.smallestSize),
            keys: whole.keys == nil ? nil : ObjectKeys(keys, owner: self), owner: self)
    }

    private static func copy<Element>(_ elements: [Element]) -> UnsafeBufferPointer<Element> {
        let buffer = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = buffer.initialize(from: elements)
        return UnsafeBufferPointer(buffer)
    }
}
