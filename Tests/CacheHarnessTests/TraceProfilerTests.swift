import CacheCore
import CacheTraces
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheHarness

/// The figures of a trace against models that are as simple as can be.
@Suite struct TraceProfilerTests {
    private struct Fixture {
        let trace: CompiledTrace
        let ids: [Int]
        let sizes: [Int]
        let times: [Int64]
        let folder: TemporaryDirectory
        var profiler: TraceProfiler { TraceProfiler(trace.columns) }

        init(seed: UInt64, requests: Int = 700, objects: Int = 90, timesGoBack: Bool = false) throws {
            folder = try TemporaryDirectory()
            var random = SeededGenerator(seed: seed)
            var (lines, time): ([String], Int64) = ([], 1000)
            var (times, sizes, keys): ([Int64], [Int], [Int]) = ([], [], [])
            for _ in 0..<requests {
                let key = min(random.next(below: objects), random.next(below: objects))
                time += timesGoBack && random.next(below: 10) == 0 ? -2 : Int64(random.next(below: 4))
                let size = random.next(below: 3) == 0 ? 1 << random.next(below: 20) : key * 7
                let operation = ["get", "set", "delete"][random.next(below: 3)]
                let life = [0, 1, 10, 11, 3600, 99_999_999][random.next(below: 6)]
                lines.append("\(time),\(key),\(size),\(operation),\(life),0.5")
                times.append(time * 1_000_000_000)
                sizes.append(size)
                keys.append(key)
            }
            let path = folder.path + "/x.csv"
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: path))
            trace = try TraceStore(directory: folder.path + "/store").open(
                path: path, format: "csv:time=1,key=2,size=3,op=4,ttl=5,cost=6")
            var numbers: [Int: Int] = [:]
            ids = keys.map { key in
                let number = numbers[key] ?? numbers.count
                numbers[key] = number
                return number
            }
            (self.sizes, self.times) = (sizes, times)
        }
    }

    private static func bin(_ value: Int) -> Int { value <= 1 ? 0 : Int(log2(Double(value)).rounded(.up)) }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `popularity and reuse are as counted one by one`(_ seed: UInt64) throws {
        let fixture = try Fixture(seed: seed)
        let counts = Dictionary(grouping: fixture.ids) { $0 }.mapValues(\.count).values.sorted(by: >)
        let popularity = fixture.profiler.popularity()
        #expect(popularity.requestedOnce == counts.count { $0 == 1 })
        #expect(popularity.requestsForTopTenth == counts.prefix(max(1, counts.count / 10)).reduce(0, +))
        #expect(popularity.requestsForTopHundredth == counts.prefix(max(1, counts.count / 100)).reduce(0, +))
        #expect(popularity.ranks.allSatisfy { counts[$0.rank - 1] == $0.requests })
        #expect(popularity.ranks.first?.rank == 1 && popularity.ranks.last?.rank == counts.count)

        var distances: [Int] = []
        var stack: [Int] = []
        for id in fixture.ids {
            if let place = stack.firstIndex(of: id) {
                distances.append(place + 1)
                stack.remove(at: place)
            }
            stack.insert(id, at: 0)
        }
        let reuse = fixture.profiler.reuse()
        #expect(reuse.firstRequests == fixture.ids.count - distances.count)
        #expect(reuse.median == distances.sorted()[(distances.count - 1) / 2])
        let bins = Dictionary(grouping: distances, by: Self.bin).mapValues(\.count)
        for (index, bin) in reuse.distances.enumerated() {
            #expect(bin.atMost == 1 << index && bin.count == bins[index, default: 0])
        }
        #expect(reuse.distances.reduce(0) { $0 + $1.count } == distances.count)
    }

    @Test func `the exponent and its fit are those of a straight line`() throws {
        let exact = (1...200).map { Int((1e9 / pow(Double($0), 0.8)).rounded()) } + [9, 9, 1]
        let fit = try #require(TraceProfiler.zipf(exact))
        #expect(abs(fit.exponent - 0.8) < 1e-6 && fit.rSquared > 0.999_999 && fit.lastRank == 200)
        #expect(abs(fit.requestsOfFirst / 1e9 - 1) < 1e-5)
        #expect(TraceProfiler.zipf([Int](repeating: 9, count: 100)) == nil)
        #expect(TraceProfiler.zipf([100, 90, 80]) == nil)
        let even = try #require(TraceProfiler.zipf([Int](repeating: 50, count: 20)))
        // What is left of sums once gave an R² of -63.
        #expect(even.exponent == 0 && even.rSquared == 1 && even.requestsOfFirst == 50)
        // The textbook formulas on points that are no line.
        let counts = [1000, 700, 650, 300, 290, 280, 100, 90, 50, 20, 12]
        let points = counts.enumerated().map { (log(Double($0.offset + 1)), log(Double($0.element))) }
        let (meanX, meanY) = (points.map(\.0).reduce(0, +) / 11, points.map(\.1).reduce(0, +) / 11)
        let covariance = points.reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
        let (varianceX, varianceY) = (
            points.reduce(0) { $0 + pow($1.0 - meanX, 2) }, points.reduce(0) { $0 + pow($1.1 - meanY, 2) }
        )
        let rough = try #require(TraceProfiler.zipf(counts))
        #expect(abs(rough.exponent + covariance / varianceX) < 1e-9)
        #expect(abs(rough.rSquared - covariance * covariance / (varianceX * varianceY)) < 1e-9)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `sizes, operations and times to live are as counted one by one`(_ seed: UInt64) throws {
        let fixture = try Fixture(seed: seed)
        let sizes = try #require(fixture.profiler.sizes(largestOfObjects: fixture.trace.largestSizes()))
        #expect(sizes.smallest == fixture.sizes.min() && sizes.largest == fixture.sizes.max())
        let mean = Double(fixture.sizes.reduce(0, +)) / Double(fixture.sizes.count)
        #expect(abs(sizes.meanOfRequests - mean) < mean * 1e-12)
        let byBin = Dictionary(grouping: fixture.sizes, by: Self.bin).mapValues(\.count)
        for bin in sizes.requests { #expect(bin.count == byBin[Self.bin(bin.atMost ?? 0), default: 0]) }
        #expect(sizes.requests.reduce(0) { $0 + $1.count } == fixture.sizes.count)
        var largest: [Int: Int] = [:]
        for (id, size) in zip(fixture.ids, fixture.sizes) { largest[id] = max(largest[id] ?? 0, size) }
        let sorted = largest.values.sorted()
        for (percentile, size) in zip([50, 90, 99], sizes.objectPercentiles) {
            // The least size that so many objects do not pass.
            #expect(size == sorted.first { limit in sorted.count { $0 <= limit } * 100 >= sorted.count * percentile })
        }
        let columns = fixture.trace.columns
        let operations = fixture.profiler.operations()
        let all = (0..<700).map { columns.operation(at: $0) }
        #expect(operations.isStated && operations.reads == all.count { $0 == .read })
        #expect(operations.writes == all.count { $0 == .write } && operations.deletes == all.count { $0 == .remove })
        let lives = try #require(fixture.profiler.timesToLive())
        let column = try #require(columns.timesToLive)
        #expect(lives.endless == column.count { $0 == 0 })
        var before: Int64 = 0
        for bin in lives.seconds {
            let limit = bin.atMost.map { Int64($0) * 1_000_000_000 } ?? .max
            #expect(bin.count == column.count { $0 > before && $0 <= limit })
            before = limit
        }
        #expect(fixture.profiler.costTotal() == 350)
    }

    @Test(arguments: [false, true])
    func `the working set has each object once a part`(_ timesGoBack: Bool) throws {
        let fixture = try Fixture(seed: 9, timesGoBack: timesGoBack)
        let windows = fixture.profiler.workingSet(hasSizes: true)
        #expect(windows.count == 60 && windows.allSatisfy { ($0.startNanoseconds == nil) == timesGoBack })
        let times = try #require(fixture.profiler.times())
        #expect((times.backwards > 0) == timesGoBack)
        let span = times.lastNanoseconds - times.firstNanoseconds
        var seen: Set<Int> = []
        for (index, window) in windows.enumerated() {
            let positions = fixture.ids.indices.filter { position in
                timesGoBack
                    ? position * 60 / 700 == index
                    : (fixture.times[position] - times.firstNanoseconds) / (span / 60 + 1) == index
            }
            let ids = Set(positions.map { fixture.ids[$0] })
            #expect(window.requests == positions.count && window.objects == ids.count)
            #expect(window.newObjects == ids.subtracting(seen).count)
            let bytes = ids.reduce(0) { sum, id in
                sum + (positions.first { fixture.ids[$0] == id }.map { fixture.sizes[$0] } ?? 0)
            }
            #expect(window.footprintBytes == bytes)
            seen.formUnion(ids)
        }
    }

    @Test func `tenants have their requests, bytes and objects`() {
        let (ids, tenants): ([ObjectID], [UInt16]) = ([0, 1, 0, 2, 0, 1, 0], [0, 1, 1, 0, 0, 1, 1])
        let found = ids.withUnsafeBufferPointer { ids in
            tenants.withUnsafeBufferPointer { tenants in
                TraceProfiler(
                    RequestColumns(
                        ids: ids, sizes: nil, uniformSize: 10, tenants: tenants, objects: ObjectSpace(count: 3),
                        owner: nil)
                ).tenants(named: ["a", "b"])
            }
        }
        #expect(found.map(\.name) == ["b", "a"] && found.map(\.requests) == [4, 3])
        #expect(found.map(\.objects) == [2, 2] && found.map(\.bytesRequested) == [40, 30])
    }
}
