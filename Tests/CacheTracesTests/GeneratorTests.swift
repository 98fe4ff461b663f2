import CacheCore
import Foundation
import Testing

@testable import CacheTraces

@Suite struct GeneratorTests {
    private func keys(_ specification: WorkloadSpecification) throws -> [UInt64] {
        var sink = RecordList()
        try specification.generate(into: &sink)
        return sink.records.map { record in
            guard case .integer(let key) = record.key else { return .max }
            return key
        }
    }

    /// Pearson's statistic of draws against probabilities proportional to `rank^-exponent`.
    private func chiSquare(_ keys: [UInt64], objects: Int, exponent: Double) -> Double {
        let weights = (1...objects).map { Foundation.pow(Double($0), -exponent) }
        let total = weights.reduce(0, +)
        var counts = [Int](repeating: 0, count: objects)
        for key in keys { counts[Int(key)] += 1 }
        return zip(counts, weights).reduce(0) { sum, pair in
            let expected = Double(keys.count) * pair.1 / total
            return sum + (Double(pair.0) - expected) * (Double(pair.0) - expected) / expected
        }
    }

    @Test(arguments: [0, 0.7, 0.999_999, 1.0, 1.2, 3.0])
    func zipfFollowsItsDistribution(exponent: Double) throws {
        let drawn = try keys(
            WorkloadSpecification(pattern: .zipf(exponent: exponent), requests: 200_000, objects: 50, seed: 11))
        // 99.9 % of samples of the right distribution lie below, with 49 degrees of freedom.
        #expect(chiSquare(drawn, objects: 50, exponent: exponent) < 85.4)
        #expect(chiSquare(drawn, objects: 50, exponent: exponent + 0.05) > 85.4)
    }

    @Test func zipfHeadOfAMillionObjectsIsExact() throws {
        let drawn = try keys(
            WorkloadSpecification(pattern: .zipf(exponent: 1), requests: 300_000, objects: 1_000_000, seed: 3))
        let harmonic = (1...1_000_000).reduce(0.0) { $0 + 1 / Double($1) }
        for rank in [1, 2, 3, 10] {
            let probability = 1 / Double(rank) / harmonic
            let expected = probability * 300_000
            let found = Double(drawn.count { $0 == UInt64(rank - 1) })
            #expect(abs(found - expected) < 4 * (expected * (1 - probability)).squareRoot())
        }
    }

    @Test func uniformIsEven() throws {
        let drawn = try keys(WorkloadSpecification(pattern: .uniform, requests: 200_000, objects: 50, seed: 5))
        #expect(chiSquare(drawn, objects: 50, exponent: 0) < 85.4)
    }

    @Test func loopRepeats() throws {
        #expect(
            try keys(WorkloadSpecification(pattern: .loop, requests: 7, objects: 3)) == [0, 1, 2, 0, 1, 2, 0])
    }

    @Test func scansGoOnWhereTheyEnded() throws {
        let pattern = AccessPattern.scan(hotObjects: 2, exponent: 1, hotRequests: 3, scanLength: 4)
        let drawn = try keys(WorkloadSpecification(pattern: pattern, requests: 21, objects: 9))
        let cold = drawn.enumerated().filter { $0.offset % 7 >= 3 }.map(\.element)
        #expect(cold == [2, 3, 4, 5, 6, 7, 8, 2, 3, 4, 5, 6])
        #expect(drawn.enumerated().filter { $0.offset % 7 < 3 }.allSatisfy { $0.element < 2 })
    }

    @Test func hotspotKeepsItsShare() throws {
        let pattern = AccessPattern.hotspot(hotObjects: 10, hotShare: 0.9)
        let drawn = try keys(WorkloadSpecification(pattern: pattern, requests: 100_000, objects: 100))
        let hot = drawn.count { $0 < 10 }
        #expect(abs(hot - 90_000) < 400)
        #expect(Set(drawn).count == 100)
    }

    @Test func shiftingPassesPopularityOn() throws {
        let pattern = AccessPattern.shifting(exponent: 2, period: 1000, shift: 7)
        let drawn = try keys(WorkloadSpecification(pattern: pattern, requests: 3000, objects: 20))
        for epoch in 0..<3 {
            let part = drawn[1000 * epoch..<1000 * (epoch + 1)]
            let counts = Dictionary(grouping: part) { $0 }.mapValues(\.count)
            #expect(counts.max { $0.value < $1.value }?.key == UInt64(7 * epoch))
        }
    }

    /// The first ten keys of each generator, which must never change.
    static let golden: [(AccessPattern, [UInt64])] = GoldenKeys.all

    @Test(arguments: golden)
    func firstKeysNeverChange(pattern: AccessPattern, expected: [UInt64]) throws {
        let drawn = try keys(WorkloadSpecification(pattern: pattern, requests: 10, objects: 1000, seed: 42))
        #expect(drawn == expected)
    }

    @Test func seedsDiffer() throws {
        let pattern = AccessPattern.zipf(exponent: 1)
        let one = try keys(WorkloadSpecification(pattern: pattern, requests: 100, objects: 1000, seed: 1))
        let two = try keys(WorkloadSpecification(pattern: pattern, requests: 100, objects: 1000, seed: 2))
        #expect(one != two)
    }

    @Test func generatedTraceIsCompiledOnceAndNamed() throws {
        let folder = try TemporaryFolder()
        var specification = WorkloadSpecification(
            pattern: .zipf(exponent: 1), requests: 5000, objects: 100, sizes: .uniform(minimum: 10, maximum: 20))
        let trace = try folder.store.open(generated: specification)
        #expect(trace.requests == 5000)
        #expect(trace.hasSizes)
        for id in 0..<UInt32(trace.objects) {
            let key = try #require(trace.integerKey(of: id))
            #expect(trace.largestSizes()[Int(id)] == specification.sizeBytes(ofObject: key))
        }
        let again = try folder.store.open(generated: specification) { _ in Issue.record("generated twice") }
        #expect(again.digest == trace.digest)
        specification.seed = 2
        #expect(try folder.store.open(generated: specification).digest != trace.digest)
    }

    @Test func timesToLiveComeWithTimes() throws {
        let specification = WorkloadSpecification(
            pattern: .loop, requests: 5, objects: 3, timesToLive: .uniform(minimum: 1, maximum: 9), requestsPerSecond: 4
        )
        let columns = try TemporaryFolder().store.open(generated: specification).columns
        #expect(Array(try #require(columns.times)) == [0, 1, 2, 3, 4].map { $0 * 250_000_000 })
        let expected = try [0, 1, 2, 0, 1].map { key in
            Int64(try #require(specification.timeToLiveSeconds(ofObject: key))) * 1_000_000_000
        }
        #expect(Array(try #require(columns.timesToLive)) == expected)
    }

    @Test func specificationRoundTripsAsJSON() throws {
        for (pattern, _) in Self.golden {
            let specification = WorkloadSpecification(
                pattern: pattern, requests: 5, objects: 1000, sizes: .fixed(3),
                timesToLive: .pareto(shape: 1, minimum: 1, maximum: 9))
            let data = try JSONEncoder().encode(specification)
            #expect(try JSONDecoder().decode(WorkloadSpecification.self, from: data) == specification)
        }
    }
}
