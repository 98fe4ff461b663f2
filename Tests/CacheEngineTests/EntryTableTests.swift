import CacheCore
import Testing

@testable import CacheEngine

@Suite("The table of keys and ids agrees with a dictionary")
struct EntryTableTests {
    /// A key of which many have the same hash.
    struct Colliding: Hashable {
        let number: Int
        func hash(into hasher: inout Hasher) { hasher.combine(number / 8) }
    }

    static func hash(_ key: Colliding) -> UInt32 { UInt32(truncatingIfNeeded: key.hashValue) }

    @Test(arguments: [1, 7, 8, 9, 100, 5000])
    func `random programs`(_ limit: Int) {
        var generator = SeededGenerator(seed: UInt64(limit))
        var table = EntryTable<Colliding, Int>(limit: limit)
        var model: [Colliding: ObjectID] = [:]
        for _ in 0..<20_000 {
            let key = Colliding(number: generator.next(below: 2 * limit))
            let id = table.find(key, hash: Self.hash(key))
            #expect(id == model[key] ?? .max)
            if id != .max, generator.next(below: 2) == 0 {
                table.free(id)
                model[key] = nil
            } else if id == .max {
                let new = table.add(key, hash: Self.hash(key))
                #expect((new == .max) == (model.count == limit))
                if new != .max {
                    #expect(!model.values.contains(new) || limit > 200)
                    model[key] = new
                }
            }
            #expect(table.count == model.count)
        }
        #expect(Set(model.values).count == model.count)
        table.raise(limit: 2 * limit)
        for (key, id) in model { #expect(table.find(key, hash: Self.hash(key)) == id) }
    }

    @Test func `values end with the table`() {
        final class Value {}
        weak var value: Value?
        do {
            var table = EntryTable<Int, Value>(limit: 3)
            let id = table.add(1, hash: 5)
            let first = Value()
            value = first
            (table.values + Int(id)).initialize(to: first)
            table.states[Int(id)] = .resident
            #expect(value != nil)
        }
        #expect(value == nil)
    }
}
