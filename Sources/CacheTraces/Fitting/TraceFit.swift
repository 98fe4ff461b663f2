public import CacheCore

/// Makes a synthetic workload that is fitted to a trace, from numbers about it alone: no key and no order of keys is kept.
public struct TraceFit: Sendable {
    /// What of a trace's order is fitted.
    public enum Model: String, Sendable, Hashable, CaseIterable {
        /// The histograms of reuse distance and of popularity.
        case reuse
        /// The exponent of a Zipf popularity, with independent requests.
        case zipf
    }

    /// How often requests have each LRU stack distance: at index d those of distance d, from 1 on.
    public typealias DistanceCounts = @Sendable (RequestColumns) throws(AssayError) -> [Int]

    /// The most tenants that are fitted one by one; the others, those with the fewest requests, are fitted as one.
    public static var tenantsMax: Int { 16 }

    private let model: Model
    private let distanceCounts: DistanceCounts

    /// A fit. `distanceCounts` finds the distances in a trace.
    public init(_ model: Model = .reuse, distanceCounts: @escaping DistanceCounts) {
        self.model = model
        self.distanceCounts = distanceCounts
    }

    /// The fitted workload.
    ///
    /// O(requests), and what the distances take. Memory: 8 bytes an object, and 8 bytes a request where there are tenants.
    ///
    /// - Throws: `AssayError` with code `badInput` for a trace without requests, `unavailable` for one that is too long to generate, and
    ///   what finding distances throws.
    public func specification(of columns: RequestColumns, seed: UInt64 = 1) throws(AssayError) -> WorkloadSpecification
    {
        let requests = columns.ids.count
        guard requests > 0 else {
            throw AssayError(.badInput, "The trace has no requests, to which nothing can be fitted.")
        }
        guard requests < Int(UInt32.max) else {
            throw AssayError(
                .unavailable, "The trace has more than 4294967294 requests, which is the most that is generated.")
        }
        var specification = WorkloadSpecification(
            pattern: .uniform, requests: requests, objects: columns.objects.count, seed: seed)
        specification.operations = Self.operations(columns)
        specification.arrivals = columns.times == nil ? nil : .poisson
        if let rate = Self.requestsPerSecond(columns) { specification.requestsPerSecond = rate }
        if let tenants = try tenants(columns) {
            specification.pattern = .tenants(tenants)
            specification.objects = tenants.reduce(0) { $0 + $1.objects }
            // Each tenant has its own.
            specification.operations = nil
        } else {
            specification.pattern = try pattern(columns, share: 1)
            (specification.sizes, specification.timesToLive) = (Self.sizes(columns), Self.timesToLive(columns))
        }
        return specification
    }

    /// The exponent under which a Zipf popularity makes the counts of a trace's objects likeliest. O(objects) a step of some thirty.
    public static func zipfExponent(_ columns: RequestColumns) -> Double {
        ZipfLikelihood(counts: requestsByObject(columns).map { Int($0) }).exponent
    }

    private func pattern(_ columns: RequestColumns, share: Double) throws(AssayError) -> AccessPattern {
        switch model {
        case .zipf: return .zipf(exponent: Self.zipfExponent(columns))
        case .reuse:
            // Fewer classes for each of many tenants, so that the whole stays a file of some kilobytes.
            let resolution = share == 1 ? 200 : 40
            let reuse = DistanceClasses(
                try distanceCounts(columns), requests: columns.ids.count, resolution: resolution)
            let popularity = PopularityClasses(Self.requestsByObject(columns), perDoubling: share == 1 ? 4 : 1)
            return .reuse(
                ReuseModel(
                    distances: reuse.distances, reuses: reuse.counts, objects: popularity.objects,
                    requests: popularity.requests))
        }
    }

    private static func requestsByObject(_ columns: RequestColumns) -> [UInt32] {
        var counts = [UInt32](repeating: 0, count: columns.objects.count)
        for id in columns.ids { counts[Int(id)] += 1 }
        return counts
    }

    private static func operations(_ columns: RequestColumns) -> OperationMix? {
        guard columns.operations != nil else { return nil }
        let (writes, deletes) = columns.operationCounts
        let requests = Double(columns.ids.count)
        return OperationMix(writes: Double(writes) / requests, deletes: Double(deletes) / requests)
    }

    /// Sizes by object, as each is first asked for; those of 0 bytes count 1.
    private static func sizes(_ columns: RequestColumns) -> ValueDistribution? {
        guard let sizes = columns.sizes else { return columns.uniformSize > 1 ? .fixed(columns.uniformSize) : nil }
        let first = firstByObject(columns) { UInt32(clamping: min(max(1, sizes.size(at: $0)), Int(UInt32.max) - 1)) }
        return ValueClasses(first).distribution
    }

    /// Times to live in whole seconds by object, 0 for those without end.
    private static func timesToLive(_ columns: RequestColumns) -> ValueDistribution? {
        guard let lives = columns.timesToLive else { return nil }
        let first = firstByObject(columns) { position in
            let nanoseconds = lives[position]
            return nanoseconds <= 0
                ? 0 : UInt32(clamping: min(max(1, nanoseconds / 1_000_000_000), Int64(UInt32.max) - 1))
        }
        return first.allSatisfy { $0 == 0 } ? nil : ValueClasses(first).distribution
    }

    private static func firstByObject(_ columns: RequestColumns, _ value: (Int) -> UInt32) -> [UInt32] {
        var found = [UInt32](repeating: .max, count: columns.objects.count)
        for position in columns.ids.indices {
            let id = Int(columns.ids[position])
            if found[id] == .max { found[id] = value(position) }
        }
        return found.filter { $0 != .max }
    }

    private static func requestsPerSecond(_ columns: RequestColumns) -> Double? {
        guard let times = columns.times, let first = times.min(), let last = times.max(), last > first else {
            return nil
        }
        // The difference of two 64-bit times may need 65 bits, and is never negative.
        let seconds = Double(UInt64(bitPattern: last &- first)) / 1e9
        let least = Double(columns.ids.count) / 4e9
        return min(max(Double(columns.ids.count) / seconds, 0.001, least), 1e9)
    }
}

// MARK: - Tenants

extension TraceFit {
    /// Each tenant fitted by itself under another name; nil for a trace without tenants, or with one.
    private func tenants(_ columns: RequestColumns) throws(AssayError) -> [TenantWorkload]? {
        guard let column = columns.tenants else { return nil }
        var counts: [UInt16: Int] = [:]
        for tenant in column { counts[tenant, default: 0] += 1 }
        guard counts.count > 1 else { return nil }
        let ranked = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        let own = ranked.count <= Self.tenantsMax ? ranked : Array(ranked.prefix(Self.tenantsMax - 1))
        var tenants: [TenantWorkload] = []
        for index in 0..<min(ranked.count, Self.tenantsMax) {
            let (members, name) =
                index < own.count ? ([own[index]], "tenant-\(index + 1)") : (Set(ranked[own.count...]), "others")
            let part = PartOfTrace(columns) { members.contains(column[$0]) }
            let requests = part.columns.ids.count
            tenants.append(
                TenantWorkload(
                    name: name, share: Double(requests), objects: part.columns.objects.count,
                    pattern: try pattern(part.columns, share: Double(requests) / Double(columns.ids.count)),
                    sizes: Self.sizes(part.columns), timesToLive: Self.timesToLive(part.columns),
                    operations: Self.operations(part.columns)))
        }
        if tenants.contains(where: { $0.sizes != nil }) {
            for index in tenants.indices where tenants[index].sizes == nil { tenants[index].sizes = .fixed(1) }
        }
        return tenants
    }
}

/// Some requests of a trace, with their objects numbered anew.
private final class PartOfTrace: @unchecked Sendable {
    private let ids: UnsafeMutableBufferPointer<ObjectID>
    private let sizes: UnsafeMutableBufferPointer<UInt32>
    private let lives: UnsafeMutableBufferPointer<Int64>
    private let operations: UnsafeMutableBufferPointer<UInt8>
    private let objects: Int
    private let hasSizes: Bool
    private let uniformSize: Int
    private let hasLives: Bool
    private let hasOperations: Bool

    init(_ whole: RequestColumns, _ isPart: (Int) -> Bool) {
        let positions = whole.ids.indices.filter(isPart)
        ids = .allocate(capacity: positions.count)
        sizes = .allocate(capacity: whole.sizes == nil ? 0 : positions.count)
        lives = .allocate(capacity: whole.timesToLive == nil ? 0 : positions.count)
        operations = .allocate(capacity: whole.operations == nil ? 0 : positions.count)
        var numbers = [ObjectID](repeating: .max, count: whole.objects.count)
        var count: ObjectID = 0
        for (place, position) in positions.enumerated() {
            let id = Int(whole.ids[position])
            if numbers[id] == .max {
                numbers[id] = count
                count += 1
            }
            ids.initializeElement(at: place, to: numbers[id])
            if let all = whole.sizes {
                sizes.initializeElement(at: place, to: UInt32(min(max(0, all.size(at: position)), Int(UInt32.max) - 1)))
            }
            if let all = whole.timesToLive { lives.initializeElement(at: place, to: all[position]) }
            if let all = whole.operations { operations.initializeElement(at: place, to: all[position]) }
        }
        objects = Int(count)
        (hasSizes, hasLives) = (whole.sizes != nil, whole.timesToLive != nil)
        (hasOperations, uniformSize) = (whole.operations != nil, whole.uniformSize)
    }

    deinit {
        ids.deallocate()
        sizes.deallocate()
        lives.deallocate()
        operations.deallocate()
    }

    var columns: RequestColumns {
        RequestColumns(
            ids: UnsafeBufferPointer(ids), sizes: hasSizes ? RecordedSizes(UnsafeBufferPointer(sizes)) : nil,
            uniformSize: uniformSize, timesToLive: hasLives ? UnsafeBufferPointer(lives) : nil,
            operations: hasOperations ? UnsafeBufferPointer(operations) : nil, sizeChanges: 0,
            objects: ObjectSpace(count: objects), owner: self)
    }
}
