import CacheCore
import Testing

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
}
