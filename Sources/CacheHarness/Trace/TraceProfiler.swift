public import CacheCore
internal import Foundation

/// Counts what a trace holds. Memory: 24 bytes an object, that of an LRU stack pass, and 8 bytes for each pair of a tenant and an
/// object beyond the object's first tenant.
public struct TraceProfiler {
    private static let windows = 60
    private static let rankPoints = 60
    /// Limits of times to live, in seconds: second, ten seconds, minute, ten minutes, hour, day, week, thirty days.
    private static let lifetimes = [1, 10, 60, 600, 3600, 86_400, 604_800, 2_592_000]

    private let columns: RequestColumns
    private let sizes: RequestSizes

    /// A profiler of a trace.
    public init(_ columns: RequestColumns) {
        self.columns = columns
        sizes = RequestSizes(columns)
    }

    private var requests: Int { columns.ids.count }

    /// How often objects are requested. O(requests + objects log objects).
    public func popularity() -> TraceProfile.Popularity {
        var counts = [Int](repeating: 0, count: columns.objects.count)
        for id in columns.ids { counts[Int(id)] += 1 }
        counts.sort(by: >)
        func top(_ part: Int) -> Int { counts.prefix(max(1, counts.count / part)).reduce(0, +) }
        var ranks: [TraceProfile.Popularity.Rank] = []
        let last = Double(max(counts.count, 1))
        for point in 0...Self.rankPoints {
            let rank = Int(pow(last, Double(point) / Double(Self.rankPoints)).rounded())
            guard counts.indices.contains(rank - 1), rank != ranks.last?.rank else { continue }
            ranks.append(.init(rank: rank, requests: counts[rank - 1]))
        }
        return TraceProfile.Popularity(
            requestedOnce: counts.count { $0 == 1 }, requestsForTopHundredth: top(100), requestsForTopTenth: top(10),
            ranks: ranks, zipf: Self.zipf(counts))
    }

    /// The power law over the ranks whose objects are requested often enough. `counts` fall.
    static func zipf(_ counts: [Int]) -> TraceProfile.Popularity.ZipfFit? {
        let fitted = counts.prefix { $0 >= TraceProfile.Popularity.ZipfFit.requestsMin }
        guard fitted.count >= TraceProfile.Popularity.ZipfFit.ranksMin else { return nil }
        let n = Double(fitted.count)
        // Objects that are all requested equally often are explained whole; what is left of sums would be rounding.
        guard fitted.first != fitted.last else {
            return .init(exponent: 0, requestsOfFirst: Double(fitted.first ?? 0), rSquared: 1, lastRank: fitted.count)
        }
        var (sumX, sumY, sumXX, sumXY) = (0.0, 0.0, 0.0, 0.0)
        for (index, count) in fitted.enumerated() {
            let (x, y) = (log(Double(index + 1)), log(Double(count)))
            sumX += x
            sumY += y
            sumXX += x * x
            sumXY += x * y
        }
        let slope = (n * sumXY - sumX * sumY) / (n * sumXX - sumX * sumX)
        let intercept = (sumY - slope * sumX) / n
        var (residual, total) = (0.0, 0.0)
        for (index, count) in fitted.enumerated() {
            let (x, y) = (log(Double(index + 1)), log(Double(count)))
            residual += (y - intercept - slope * x) * (y - intercept - slope * x)
            total += (y - sumY / n) * (y - sumY / n)
        }
        return .init(
            exponent: -slope, requestsOfFirst: exp(intercept), rSquared: 1 - residual / total, lastRank: fitted.count)
    }

    /// LRU stack distances. O(requests).
    public func reuse() -> TraceProfile.Reuse {
        guard let curve = StackPass.curve(.leastRecentlyUsed, columns) else {
            return TraceProfile.Reuse(firstRequests: requests, distances: [], median: nil)
        }
        let most = curve.largestCapacity
        var (bins, before, limit): ([TraceProfile.Bin], Int, Int) = ([], 0, 1)
        while before < curve.hits(at: most).hits {
            let hits = curve.hits(at: limit).hits
            bins.append(TraceProfile.Bin(atMost: limit, count: hits - before))
            before = hits
            limit *= 2
        }
        var (low, high) = (0, most)
        while low < high {
            let middle = (low + high) / 2
            if curve.hits(at: middle).hits * 2 >= before { high = middle } else { low = middle + 1 }
        }
        return TraceProfile.Reuse(
            firstRequests: requests - before, distances: bins, median: before > 0 ? low : nil)
    }

    /// Sizes. `largest` has the largest size of each object. O(requests + objects log objects).
    public func sizes(largestOfObjects largest: [Int]) -> TraceProfile.Sizes? {
        guard requests > 0 else { return nil }
        var (smallest, most, sum) = (Int.max, 0, 0.0)
        var counts = [Int](repeating: 0, count: 65)
        for position in 0..<requests {
            let size = sizes.size(at: position)
            smallest = min(smallest, size)
            most = max(most, size)
            sum += Double(size)
            counts[Self.bin(size)] += 1
        }
        let sorted = largest.sorted()
        var objects = [Int](repeating: 0, count: 65)
        for size in sorted { objects[Self.bin(size)] += 1 }
        let percentiles = [50, 90, 99].map { sorted[max(0, (sorted.count * $0 + 99) / 100 - 1)] }
        return TraceProfile.Sizes(
            smallest: smallest, largest: most, meanOfRequests: sum / Double(requests), objectPercentiles: percentiles,
            requests: Self.bins(counts), objects: Self.bins(objects))
    }

    /// The bin whose limit is the least power of two that is not below a size; the first holds 0 and 1.
    private static func bin(_ size: Int) -> Int { size <= 1 ? 0 : Int.bitWidth - (size - 1).leadingZeroBitCount }

    private static func bins(_ counts: [Int]) -> [TraceProfile.Bin] {
        guard let first = counts.firstIndex(where: { $0 > 0 }), let last = counts.lastIndex(where: { $0 > 0 }) else {
            return []
        }
        return (first...last).map { .init(atMost: $0 < 63 ? 1 << $0 : nil, count: counts[$0]) }
    }

    /// The first and the last time; nil if the trace states none. O(requests).
    public func times() -> TraceProfile.Times? {
        guard let times = columns.times, let first = times.min(), let last = times.max() else { return nil }
        let backwards = times.indices.dropFirst().count { times[$0] < times[$0 - 1] }
        return TraceProfile.Times(firstNanoseconds: first, lastNanoseconds: last, backwards: backwards)
    }

    /// Distinct objects in parts of the trace, and their bytes where the trace states sizes. O(requests).
    public func workingSet(hasSizes: Bool) -> [TraceProfile.Window] {
        guard requests > 0 else { return [] }
        let count = min(Self.windows, requests)
        var times: TraceProfile.Times?
        if let stated = self.times(), stated.backwards == 0 { times = stated }
        let span = times.map { UInt64(bitPattern: $0.lastNanoseconds &- $0.firstNanoseconds) } ?? 0
        let step = span / UInt64(count) + 1
        var windows = (0..<count).map { index in
            TraceProfile.Window(
                startNanoseconds: times.map { _ in Int64(clamping: UInt64(index) * step) },
                footprintBytes: hasSizes ? 0 : nil)
        }
        var seen = [Int16](repeating: -1, count: columns.objects.count)
        for position in 0..<requests {
            let window: Int
            if let times, let column = columns.times {
                window = Int(UInt64(bitPattern: column[position] &- times.firstNanoseconds) / step)
            } else {
                window = position * count / requests
            }
            let id = Int(columns.ids[position])
            windows[window].requests += 1
            guard seen[id] != Int16(window) else { continue }
            windows[window].objects += 1
            if seen[id] < 0 { windows[window].newObjects += 1 }
            windows[window].footprintBytes? &+= sizes.size(at: position)
            seen[id] = Int16(window)
        }
        return windows
    }

    /// Reads, writes and deletes. O(requests).
    public func operations() -> TraceProfile.Operations {
        let (writes, deletes) = columns.operationCounts
        return .init(
            isStated: columns.operations != nil, reads: requests - writes - deletes, writes: writes, deletes: deletes)
    }

    /// Times to live; nil if the trace states none. O(requests).
    public func timesToLive() -> TraceProfile.TimesToLive? {
        guard let column = columns.timesToLive else { return nil }
        var endless = 0
        var counts = [Int](repeating: 0, count: Self.lifetimes.count + 1)
        for timeToLive in column {
            guard timeToLive > 0 else {
                endless += 1
                continue
            }
            let seconds = Int((timeToLive - 1) / 1_000_000_000 + 1)
            counts[Self.lifetimes.firstIndex { seconds <= $0 } ?? Self.lifetimes.count] += 1
        }
        let bins = counts.enumerated().map { index, count in
            TraceProfile.Bin(atMost: index < Self.lifetimes.count ? Self.lifetimes[index] : nil, count: count)
        }
        return .init(endless: endless, seconds: bins)
    }

    /// What misses cost in all, at most the largest finite number; nil if the trace does not say. O(requests).
    public func costTotal() -> Double? { columns.costs.map { min($0.reduce(0, +), .greatestFiniteMagnitude) } }

    /// Who made the requests, the most active first, by the names in the order of their numbers. O(requests).
    public func tenants(named names: [String]) -> [TraceProfile.Tenant] {
        guard let column = columns.tenants else { return [] }
        var tenants = names.map { TraceProfile.Tenant(name: $0) }
        var first = [Int32](repeating: -1, count: columns.objects.count)
        var others: Set<UInt64> = []
        for position in 0..<requests {
            let (tenant, id) = (Int(column[position]), Int(columns.ids[position]))
            tenants[tenant].requests += 1
            tenants[tenant].bytesRequested &+= sizes.size(at: position)
            if first[id] < 0 {
                first[id] = Int32(tenant)
                tenants[tenant].objects += 1
            } else if first[id] != Int32(tenant), others.insert(UInt64(tenant) << 32 | UInt64(id)).inserted {
                tenants[tenant].objects += 1
            }
        }
        return tenants.sorted { ($1.requests, $0.name) < ($0.requests, $1.name) }
    }
}
