public import CacheCore

/// The requests of a sample of a trace's objects, renumbered: what miniature simulations replay.
///
/// Waldspurger, Saemundsson, Ahmad and Park, "Cache modeling and optimization using miniature simulations", ATC 2017: a cache
/// of capacity C behaves on the whole trace as one of capacity C times the rate does on the sample. The misses count over the
/// requests that the rate promises rather than over those that the sample has, since the difference is made by objects so
/// hot that they hit. A capacity that shrinks to a few objects says little; in bytes, an object that fits into the large
/// cache may not fit into the small one.
public struct MiniatureTrace: Sendable {
    /// The rate of the sample.
    public let rate: Double
    /// The sampled requests, with the position of each object's next one.
    public let columns: RequestColumns
    private let requests: Int
    private let bytesRequested: Int

    /// Samples a trace in one pass; nil if the sample holds no request.
    public init?(_ columns: RequestColumns, extent: SampleExtent, seed: UInt64) {
        let sample =
            switch extent {
            case .rate(let rate): SpatialSample(rate: rate, seed: seed)
            case .objects(let count):
                SpatialSample(rate: Double(count) / Double(max(1, columns.objects.count)), seed: seed)
            }
        let part = SampledRequests(columns, sample)
        guard !part.ids.isEmpty else { return nil }
        rate = sample.rate
        requests = columns.ids.count
        bytesRequested = part.bytesRequested
        self.columns = MiniatureColumns(part).columns(like: columns)
    }

    /// The capacity that stands for `capacity`, at least 1.
    public func scaled(_ capacity: Capacity) -> Capacity {
        Capacity(max(1, Int((Double(capacity.amount) * rate).rounded())), capacity.unit)
    }

    /// The estimated hit ratio of the whole trace.
    public func hitRatio(_ counts: ReplayCounts) -> Double {
        Self.ratio(misses: counts.misses, of: Double(requests) * rate)
    }

    /// The estimated byte hit ratio of the whole trace.
    public func byteHitRatio(_ counts: ReplayCounts) -> Double {
        Self.ratio(misses: counts.bytesRequested - counts.bytesHit, of: Double(bytesRequested) * rate)
    }

    private static func ratio(misses: Int, of expected: Double) -> Double {
        expected > 0 ? min(1, max(0, 1 - Double(misses) / expected)) : 0
    }
}

/// What a sample takes from a trace.
private struct SampledRequests {
    var ids: [ObjectID] = []
    var sizes: [UInt32] = []
    var wideSizes: [Int: Int] = [:]
    var costs: [Double] = []
    var next: [UInt32] = []
    var keys: [UInt64] = []
    var objects = 0
    /// Of the whole trace.
    var bytesRequested = 0

    init(_ columns: RequestColumns, _ sample: SpatialSample) {
        var numbers = [ObjectID](repeating: .max, count: columns.objects.count)
        bytesRequested = columns.sizes == nil ? columns.ids.count * columns.uniformSize : 0
        for position in 0..<columns.ids.count {
            let size = columns.sizes?.size(at: position)
            if let size { bytesRequested += size }
            let id = columns.ids[position]
            guard sample.contains(id) else { continue }
            if numbers[Int(id)] == .max {
                numbers[Int(id)] = ObjectID(objects)
                objects += 1
                if let known = columns.keys { keys.append(known[id]) }
            }
            if let size { append(size) }
            if let known = columns.costs { costs.append(known[position]) }
            ids.append(numbers[Int(id)])
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
    private let keys: UnsafeBufferPointer<UInt64>
    private let wideSizes: [Int: Int]
    private let objects: Int

    init(_ part: SampledRequests) {
        ids = Self.copy(part.ids)
        sizes = Self.copy(part.sizes)
        next = Self.copy(part.next)
        costs = Self.copy(part.costs)
        keys = Self.copy(part.keys)
        wideSizes = part.wideSizes
        objects = part.objects
    }

    deinit {
        ids.deallocate()
        sizes.deallocate()
        next.deallocate()
        costs.deallocate()
        keys.deallocate()
    }

    func columns(like whole: RequestColumns) -> RequestColumns {
        RequestColumns(
            ids: ids, sizes: whole.sizes == nil ? nil : RecordedSizes(sizes, wide: wideSizes),
            uniformSize: whole.uniformSize, next: next, costs: whole.costs == nil ? nil : costs,
            objects: ObjectSpace(count: objects, smallestSize: whole.objects.smallestSize),
            keys: whole.keys == nil ? nil : ObjectKeys(keys, owner: self), owner: self)
    }

    private static func copy<Element>(_ elements: [Element]) -> UnsafeBufferPointer<Element> {
        let buffer = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = buffer.initialize(from: elements)
        return UnsafeBufferPointer(buffer)
    }
}
