import CacheCore
import Testing

@testable import CacheTraces

@Suite struct ReuseGeneratorTests {
    private func keys(_ model: ReuseModel, requests: Int, objects: Int, seed: UInt64 = 1) throws -> [UInt64] {
        try generated(
            WorkloadSpecification(pattern: .reuse(model), requests: requests, objects: objects, seed: seed)
        ).map(\.key)
    }

    /// LRU stack distances by moving objects in a list; 0 for a first request.
    private func distances(_ keys: [UInt64]) -> [Int] {
        var stack: [UInt64] = []
        return keys.map { key in
            let place = stack.firstIndex(of: key)
            if let place { stack.remove(at: place) }
            stack.insert(key, at: 0)
            return place.map { $0 + 1 } ?? 0
        }
    }

    @Test func `distances have the histogram of the model`() throws {
        let model = ReuseModel(
            distances: [1, 4, 20, 60], reuses: [300, 500, 0, 200], objects: [80, 20], requests: [80, 1020])
        let found = distances(try keys(model, requests: 1100, objects: 100))
        let counts = [0...0, 1...1, 2...4, 5...20, 21...60, 61...100].map { range in found.count { range.contains($0) }
        }
        #expect(counts == [100, 300, 500, 0, 200, 0])
    }

    @Test func `objects have the popularity of the model where distances leave a choice`() throws {
        // One class of distances, so that each reuse may be of any object.
        let model = ReuseModel(distances: [100], reuses: [1], objects: [90, 10], requests: [900, 9100])
        let drawn = try keys(model, requests: 10_000, objects: 100)
        let counts = Dictionary(grouping: drawn) { $0 }.values.map(\.count).sorted()
        #expect(counts.count == 100)
        #expect(abs(counts.prefix(90).reduce(0, +) - 900) < 30)
        #expect(counts.suffix(10).allSatisfy { abs($0 - 910) < 30 })
    }

    @Test func `a loop is fitted by one distance`() throws {
        let model = ReuseModel(distances: [6, 7], reuses: [0, 93], objects: [7], requests: [100])
        #expect(try keys(model, requests: 100, objects: 7) == (0..<100).map { $0 % 7 })
    }

    @Test func `models are scaled to the requests and objects of the specification`() throws {
        #expect(ReuseModel.scaled([1, 2, 1], to: 100) == [25, 50, 25])
        #expect(ReuseModel.scaled([1, 1, 1], to: 2).reduce(0, +) == 2)
        #expect(ReuseModel.scaled([0, 0], to: 9) == [0, 0])
        #expect(ReuseModel.scaled([1 << 40, 1 << 40], to: 4_294_967_294) == [2_147_483_647, 2_147_483_647])
        let model = ReuseModel(distances: [1, 40], reuses: [1, 1], objects: [1], requests: [11])
        let found = distances(try keys(model, requests: 5050, objects: 50))
        #expect(abs(found.count { $0 == 1 } - 2500) <= 1)
        #expect(found.count { $0 == 0 } == 50)
        // Fewer requests than objects, and distances that no stack of so few objects has.
        #expect(Set(try keys(model, requests: 20, objects: 50)).count == 20)
        #expect(
            Set(
                try keys(
                    ReuseModel(distances: [9, 90], reuses: [0, 5], objects: [1], requests: [2]), requests: 30,
                    objects: 3)
            )
            .count == 3)
    }

    @Test func `a log of many requests is renumbered without loss`() throws {
        let model = ReuseModel(distances: [3000], reuses: [1], objects: [3000], requests: [30_000])
        let drawn = try keys(model, requests: 30_000, objects: 3000)
        #expect(Set(drawn) == Set(0..<3000))
        #expect(distances(drawn).max() ?? 0 > 1000)
    }

    /// What it gave when it was written, which must never change.
    @Test func `the first requests never change`() throws {
        let model = ReuseModel(
            distances: [1, 3, 40], reuses: [20, 30, 50], objects: [80, 20], requests: [160, 1840])
        #expect(
            try keys(model, requests: 1000, objects: 100, seed: 42).suffix(12) == [
                99, 9, 17, 17, 9, 9, 17, 10, 10, 10, 9, 10,
            ])
    }

    static let faults: [(ReuseModel, String)] = [
        (ReuseModel(distances: [1], reuses: [], objects: [1], requests: [1]), "as many reuses"),
        (ReuseModel(distances: [2, 2], reuses: [1, 1], objects: [1], requests: [1]), "ascend"),
        (ReuseModel(distances: [0], reuses: [1], objects: [1], requests: [1]), "ascend"),
        (ReuseModel(distances: [1 << 41], reuses: [1], objects: [1], requests: [1]), "ascend"),
        (ReuseModel(distances: [1], reuses: [-1], objects: [1], requests: [1]), "from 0"),
        (ReuseModel(distances: [1], reuses: [1], objects: [], requests: []), "popularity from 1"),
        (ReuseModel(distances: [1], reuses: [1], objects: [2], requests: [1]), "as many requests as objects"),
    ]

    @Test(arguments: faults)
    func `faults are named`(model: ReuseModel, message: String) {
        let specification = WorkloadSpecification(pattern: .reuse(model), requests: 10, objects: 10)
        let error = assayError { () throws(AssayError) in try specification.validate() }
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }
}
