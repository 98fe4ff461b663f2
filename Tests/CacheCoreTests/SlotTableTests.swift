import CacheCore
import Testing

@Suite("SlotTable: ids find slots, lists keep their order")
struct SlotTableTests {
    /// The ids of a list from head to tail.
    private func order(_ table: borrowing SlotTable<UnitSizes>, _ list: UInt32) -> [ObjectID] {
        var ids: [ObjectID] = []
        var slot = table.head(of: list)
        while slot != SlotTable<UnitSizes>.none {
            ids.append(table.id(at: slot))
            slot = table.next(of: slot)
        }
        return ids
    }

    @Test func `random operations agree with plain arrays`() {
        var table = SlotTable<UnitSizes>(objects: 20, slots: 8, lists: 2)
        var model: [[ObjectID]] = [[], []]
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<5000 {
            let id = ObjectID(generator.next(below: 20))
            let list = generator.next(below: 2)
            let slot = table.slot(of: id)
            if slot == SlotTable<UnitSizes>.none {
                #expect(!model[0].contains(id) && !model[1].contains(id))
                guard model[0].count + model[1].count < 8 else { continue }
                _ = table.add(id, weight: 1, toHeadOf: UInt32(list))
                model[list].insert(id, at: 0)
            } else if generator.next(below: 3) == 0 {
                table.release(slot)
                for index in 0..<2 { model[index].removeAll { $0 == id } }
            } else {
                table.move(slot, toHeadOf: UInt32(list))
                for index in 0..<2 { model[index].removeAll { $0 == id } }
                model[list].insert(id, at: 0)
            }
            #expect(order(table, 0) == model[0])
            #expect(order(table, 1) == model[1])
        }
    }

    @Test func `ends of lists are none`() {
        var table = SlotTable<UnitSizes>(objects: 4, slots: 4, lists: 2)
        #expect(table.head(of: 0) == SlotTable<UnitSizes>.none)
        #expect(table.tail(of: 1) == SlotTable<UnitSizes>.none)
        let slot = table.add(2, weight: 1, toHeadOf: 1)
        #expect(table.head(of: 1) == slot && table.tail(of: 1) == slot)
        #expect(table.previous(of: slot) == SlotTable<UnitSizes>.none)
        #expect(table.next(of: slot) == SlotTable<UnitSizes>.none)
    }

    @Test func `weights and states stay with their slot`() {
        var table = SlotTable<ByteSizes>(objects: 4, slots: 4)
        let first = table.add(0, weight: 10, state: 1, toHeadOf: 0)
        let second = table.add(1, weight: 20, toHeadOf: 0)
        table.setState(7, at: second)
        table.move(first, toHeadOf: 0)
        #expect(table.weight(at: first) == 10 && table.state(at: first) == 1)
        #expect(table.weight(at: second) == 20 && table.state(at: second) == 7)
    }
}
