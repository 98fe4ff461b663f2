import CacheCore
import CachePolicies
import Testing

@testable import CacheHarness

/// Independent requests with probability in proportion to 1 over rank, by inverting the harmonic sum.
private func zipf(_ requests: Int, objects: Int, seed: UInt64, sized: Bool = false) -> MemoryTrace {
    var sums: [Double] = []
    for rank in 1...objects { sums.append((sums.last ?? 0) + 1 / Double(rank)) }
    var generator = SeededGenerator(seed: seed)
    let ids = (0..<requests).map { _ -> ObjectID in
        let draw = generator.nextUnit() * sums[objects - 1]
        var (low, high) = (0, objects - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] < draw { low = middle + 1 } else { high = middle }
        }
        return ObjectID(low)
    }
    return MemoryTrace(ids: ids, sizes: sized ? ids.map { UInt32(mix64(UInt64($0)) % 90 + 10) } : [])
}

@Suite("Curve: samples")
struct SampledCurveTests {
    private static let noCeiling = CurveRatios(hitRatio: 1, byteHitRatio: 1)
    private static let capacities = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000]

    private func error(_ estimate: ShardsEstimate, _ columns: RequestColumns) throws -> Double {
        let curve = try #require(StackPass.curve(.leastRecentlyUsed, columns))
        let distances = zip(estimate.capacities, estimate.hitRatios).map { capacity, ratio in
            abs(ratio - Double(curve.hits(at: capacity).hits) / Double(curve.requests))
        }
        return distances.reduce(0, +) / Double(distances.count)
    }

    @Test(arguments: [SampleExtent.rate(1), .objects(1_000_000)])
    func `SHARDS that follows every object is exact, in objects and in bytes`(_ extent: SampleExtent) throws {
        let columns = zipf(20_000, objects: 4000, seed: 3, sized: true).columns
        let objects = try #require(
            ShardsEstimate(columns, capacities: Self.capacities, unit: .objects, extent: extent, seed: 1))
        let exact = try #require(StackPass.curve(.leastRecentlyUsed, columns))
        let byteCapacities = Self.capacities.map { $0 * 50 }
        let bytes = try #require(
            ShardsEstimate(columns, capacities: byteCapacities, unit: .bytes, extent: extent, seed: 1))
        let exactBytes = try #require(StackPass.byteCurve(columns, capacities: byteCapacities))
        for (index, capacity) in Self.capacities.enumerated() {
            let hits = exact.hits(at: capacity)
            #expect(abs(objects.hitRatios[index] - Double(hits.hits) / 20_000) < 1e-12)
            #expect(abs(objects.byteHitRatios[index] - Double(hits.bytesHit) / Double(exact.bytesRequested)) < 1e-12)
            #expect(abs(bytes.hitRatios[index] - Double(exactBytes.hits[index].hits) / 20_000) < 1e-12)
        }
        #expect(objects.rate == 1 && objects.sampledRequests == 20_000)
    }

    @Test func `the error of SHARDS shrinks as the sample grows`() throws {
        let columns = zipf(60_000, objects: 8000, seed: 4).columns
        func mean(_ extent: SampleExtent) throws -> Double {
            let errors = try (1...4).map { seed in
                try error(
                    #require(
                        ShardsEstimate(
                            columns, capacities: Self.capacities, unit: .objects, extent: extent, seed: UInt64(seed))),
                    columns)
            }
            return errors.reduce(0, +) / 4
        }
        let rates = try [0.003, 0.03, 0.3].map { try mean(.rate($0)) }
        #expect(rates[0] > rates[1] && rates[1] > rates[2], "\(rates)")
        let sizes = try [64, 512, 4096].map { try mean(.objects($0)) }
        #expect(sizes[0] > sizes[1] && sizes[1] > sizes[2], "\(sizes)")
    }

    @Test func `a sample of fixed size keeps to it and lowers its rate`() throws {
        let columns = zipf(50_000, objects: 8000, seed: 5).columns
        let estimate = try #require(
            ShardsEstimate(columns, capacities: [100], unit: .objects, extent: .objects(256), seed: 1))
        #expect((200...256).contains(estimate.sampledObjects))
        #expect((0.02...0.07).contains(estimate.rate), "\(estimate.rate)")
        let other = ShardsEstimate(columns, capacities: [100], unit: .objects, extent: .objects(256), seed: 2)
        #expect(other?.rate != estimate.rate, "the seed chooses the sample")
        #expect(ShardsEstimate(columns, capacities: [100], unit: .objects, extent: .objects(256), seed: 1) == estimate)
    }

    @Test func `a wrong scale is caught by the error`() throws {
        let columns = zipf(200_000, objects: 20_000, seed: 4).columns
        var estimate = try #require(
            ShardsEstimate(columns, capacities: Self.capacities, unit: .objects, extent: .rate(1), seed: 1))
        let sound = try error(estimate, columns)
        estimate.hitRatios = [0] + estimate.hitRatios.dropLast()
        #expect(sound < 1e-12)
        #expect(try error(estimate, columns) > 0.03)
    }

    @Test func `a miniature that follows every object counts what the trace counts`() throws {
        let columns = zipf(20_000, objects: 3000, seed: 6, sized: true).columns
        let sample = try #require(MiniatureTrace(columns, extent: .rate(1), seed: 1))
        #expect(sample.columns.ids.count == 20_000)
        for name in ["lru", "s3fifo", "belady"] {
            for capacity in [Capacity.objects(100), .bytes(9000)] {
                let whole = try counts(name, columns, capacity)
                let small = try counts(name, sample.columns, sample.scaled(capacity))
                #expect(small == whole)
                let ratios = sample.ratios(small, ceiling: Self.noCeiling)
                #expect(abs(ratios.hitRatio - whole.hitRatio) < 1e-12)
                #expect(abs(ratios.byteHitRatio - whole.byteHitRatio) < 1e-12)
            }
        }
    }

    @Test func `a miniature is near the whole, and its objects are numbered densely`() throws {
        let columns = zipf(200_000, objects: 20_000, seed: 7).columns
        let sample = try #require(MiniatureTrace(columns, extent: .rate(0.1), seed: 3))
        #expect(Set(sample.columns.ids) == Set(0..<ObjectID(sample.columns.objects.count)))
        #expect(sample.scaled(.objects(3)).amount == 1 && sample.scaled(.objects(1000)).amount == 100)
        // One sample may miss or double the hottest objects; several together must not lean to one side.
        for name in ["lru", "sieve", "arc"] {
            let whole = try counts(name, columns, .objects(2000))
            let estimates = try (1...8).map { seed in
                let sample = try #require(MiniatureTrace(columns, extent: .rate(0.1), seed: UInt64(seed)))
                let small = try counts(name, sample.columns, sample.scaled(.objects(2000)))
                return sample.ratios(small, ceiling: Self.noCeiling).hitRatio
            }
            #expect(abs(estimates.reduce(0, +) / 8 - whole.hitRatio) < 0.03, "\(name): \(estimates)")
        }
        #expect(MiniatureTrace(MemoryTrace(ids: [0]).columns, extent: .rate(1e-9), seed: 1) == nil)
    }

    private func counts(_ name: String, _ columns: RequestColumns, _ capacity: Capacity) throws -> ReplayCounts {
        let entry = try #require(BuiltinPolicies.all.first { $0.descriptor.name == name })
        var columns = columns
        if entry.needsFuture, columns.next == nil { columns = Self.withFuture(columns) }
        return try #require(
            try entry.simulate(
                columns,
                PolicyConfiguration(
                    capacity: capacity, objects: columns.objects,
                    parameters: ParameterValues(defaults: entry.descriptor.parameters))))
    }

    private static func withFuture(_ columns: RequestColumns) -> RequestColumns {
        let next = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: columns.ids.count)
        var last: [ObjectID: UInt32] = [:]
        for position in columns.ids.indices.reversed() {
            next[position] = last[columns.ids[position]] ?? .max
            last[columns.ids[position]] = UInt32(position)
        }
        return RequestColumns(
            ids: columns.ids, sizes: columns.sizes, next: UnsafeBufferPointer(next), objects: columns.objects,
            owner: NextOwner(next, columns.owner))
    }

    private final class NextOwner: @unchecked Sendable {
        private let next: UnsafeMutableBufferPointer<UInt32>
        private let other: (any AnyObject & Sendable)?
        init(_ next: UnsafeMutableBufferPointer<UInt32>, _ other: (any AnyObject & Sendable)?) {
            self.next = next
            self.other = other
        }
        deinit { next.deallocate() }
    }
}
