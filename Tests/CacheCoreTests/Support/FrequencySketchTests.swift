import Testing

@testable import CacheCore

@Suite("The frequency sketch")
struct FrequencySketchTests {
    @Test(arguments: [(1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (1000, 1024), (1024, 1024), (1025, 2048)])
    func `has a word for each object, rounded up`(_ objects: Int, _ words: Int) {
        #expect(FrequencySketch.words(for: objects) == words)
    }

    /// Never too little up to 15, and exact for nearly all objects.
    @Test func `estimates what was added`() {
        var sketch = FrequencySketch(objects: 1000, sampleSize: 1_000_000)
        for id in ObjectID(0)..<1000 {
            for _ in 0..<(Int(id) % 20) { sketch.add(id) }
        }
        var exact = 0
        for id in ObjectID(0)..<1000 {
            let count = min(15, Int(id) % 20)
            let estimate = sketch.estimate(id)
            #expect(estimate >= count)
            if estimate == count { exact += 1 }
        }
        #expect(exact > 900)
    }

    @Test func `halves after its sample`() {
        var sketch = FrequencySketch(objects: 16, sampleSize: 10)
        for _ in 0..<9 { sketch.add(3) }
        let estimated9 = sketch.estimate(3)
        #expect(estimated9 == 9)
        sketch.add(3)
        let estimated5 = sketch.estimate(3)
        #expect(estimated5 == 5)
        // The halved additions count: five more make the next ten.
        for _ in 0..<5 { sketch.add(3) }
        let again = sketch.estimate(3)
        #expect(again == 5)
    }

    @Test func `stops at fifteen and still counts towards the sample`() {
        var sketch = FrequencySketch(objects: 16, sampleSize: 17)
        for _ in 0..<16 { sketch.add(3) }
        let full = sketch.estimate(3)
        #expect(full == 15)
        sketch.add(3)
        let halved = sketch.estimate(3)
        #expect(halved == 7)
    }

    /// Few blocks, so that objects share counters, some of which are full.
    @Test(arguments: [1, 60, 300])
    func `counts as an array of counters does`(_ objects: Int) {
        var sketch = FrequencySketch(objects: objects, sampleSize: 10 * objects)
        var model = CounterArray(blocks: max(8, FrequencySketch.words(for: objects)) / 8, sample: 10 * objects)
        var generator = SeededGenerator(seed: UInt64(objects))
        for step in 0..<30_000 {
            let id = ObjectID(min(generator.next(below: 4 * objects), generator.next(below: 4 * objects)))
            sketch.add(id)
            model.add(id)
            let asked = ObjectID(generator.next(below: 4 * objects))
            let (estimate, expected) = (sketch.estimate(asked), model.estimate(asked))
            guard estimate == expected else {
                Issue.record("step \(step): \(estimate), not \(expected)")
                return
            }
        }
    }
}

/// A number for each counter, 32 a row and four rows a block.
private struct CounterArray {
    private var counters: [Int]
    private var additions = 0
    private let sample: Int

    init(blocks: Int, sample: Int) {
        counters = Array(repeating: 0, count: blocks * 128)
        self.sample = max(1, sample)
    }

    func estimate(_ id: ObjectID) -> Int { places(id).map { counters[$0] }.min() ?? 0 }

    mutating func add(_ id: ObjectID) {
        for place in places(id) { counters[place] = min(15, counters[place] + 1) }
        additions += 1
        guard additions == sample else { return }
        counters = counters.map { $0 / 2 }
        additions /= 2
    }

    private func places(_ id: ObjectID) -> [Int] {
        let hash = FrequencySketch.hash(id)
        let block = Int(hash >> 36) % (counters.count / 128)
        return (0..<4).map { row in block * 128 + row * 32 + Int(hash >> UInt64(16 + 5 * row)) % 32 }
    }
}
