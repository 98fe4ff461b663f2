import Testing

@testable import AdaptivePolicies
@testable import CacheCore

@Suite("Two lists with their ghosts")
struct GhostedListsTests {
    /// Against four arrays, through many packings of both logs.
    @Test(arguments: [1, 2, 9, 60], [1, 4])
    func `keep the order of use`(_ capacity: Int, _ slotsPerResident: Int) throws {
        var generator = SeededGenerator(seed: UInt64(capacity))
        let objects = 4 * capacity + 2
        let lists = try Self.lists(capacity, objects, plannedResidents: slotsPerResident == 1 ? capacity : nil)
        var model = NaiveGhostedLists()
        for step in 0..<12_000 {
            let id = ObjectID(generator.next(below: objects))
            let list = UInt32(generator.next(below: 2))
            var victims = VictimList()
            switch generator.next(below: 10) {
            case 0:
                lists.remove(id)
                model.take(id)
            case 1, 2:
                guard !model.objects[Int(list)].isEmpty else { continue }
                let limit = 3 * generator.next(below: capacity + 1)
                let oldest = lists.oldest(of: list)
                lists.evict(from: list, leavingGhostsUpTo: limit, into: &victims)
                #expect(victims.evicted == [oldest])
                let forgotten = model.evict(Int(list), limit / 3)
                #expect(victims.forgotten == forgotten, "step \(step)")
            case 3:
                guard !model.ghosts[Int(list)].isEmpty else { continue }
                lists.dropGhost(of: list, into: &victims)
                #expect(victims.forgotten == [model.ghosts[Int(list)].removeFirst()], "step \(step)")
            default:
                if lists.touch(id) {
                    #expect(model.objects.contains { $0.contains(id) }, "step \(step)")
                    model.take(id)
                    model.objects[1].append(id)
                } else if model.objects.joined().count < capacity {
                    let isBounded = model.objects[0].count + model.ghosts[0].count < capacity
                    lists.remove(id)
                    model.take(id)
                    let target = isBounded ? list : 1
                    lists.add(id, weight: 3, to: target)
                    model.objects[Int(target)].append(id)
                }
                while model.ghosts.joined().count > capacity {
                    let full = UInt32(model.ghosts[1].isEmpty ? 0 : 1)
                    lists.dropGhost(of: full, into: &victims)
                    model.ghosts[Int(full)].removeFirst()
                }
            }
            guard Self.agree(lists, model, objects) else {
                Issue.record("step \(step)")
                return
            }
        }
    }

    private static func lists(
        _ capacity: Int, _ objects: Int, plannedResidents: Int?
    ) throws -> GhostedLists<ByteSizes> {
        let none = try ParameterValues(parsing: "", for: [], of: "lists")
        var configuration = PolicyConfiguration(
            capacity: .objects(capacity), objects: ObjectSpace(count: objects), parameters: none)
        configuration.plannedResidents = plannedResidents
        return GhostedLists(configuration, first: 2 * capacity + 1, second: 2 * capacity + 1)
    }

    private static func agree(
        _ lists: borrowing GhostedLists<ByteSizes>, _ model: NaiveGhostedLists, _ objects: Int
    ) -> Bool {
        for list in UInt32(0)..<2 {
            let (resident, ghosts) = (model.objects[Int(list)], model.ghosts[Int(list)])
            let fill = (lists.lists[list].objects, lists.lists[list].ghosts)
            guard fill.0.count == resident.count, fill.1.count == ghosts.count, fill.0.weight == 3 * resident.count,
                fill.1.weight == 3 * ghosts.count
            else { return false }
            for id in resident where !lists.contains(id) || lists.list(of: id) != list { return false }
            for id in ghosts where lists.contains(id) || !lists.isKnown(id) || lists.list(of: id) != list {
                return false
            }
        }
        let known = (0..<ObjectID(objects)).count { lists.isKnown($0) }
        return known == model.objects.joined().count + model.ghosts.joined().count
    }
}

/// Objects and ghosts of two lists, the oldest first.
private struct NaiveGhostedLists {
    var objects: [[ObjectID]] = [[], []]
    var ghosts: [[ObjectID]] = [[], []]

    mutating func take(_ id: ObjectID) {
        for list in 0...1 {
            objects[list].removeAll { $0 == id }
            ghosts[list].removeAll { $0 == id }
        }
    }

    /// Evicts the oldest and returns whom that makes forgotten.
    mutating func evict(_ list: Int, _ limit: Int) -> [ObjectID] {
        let id = objects[list].removeFirst()
        guard limit > 0 else { return [id] }
        var forgotten: [ObjectID] = []
        while ghosts[list].count >= limit { forgotten.append(ghosts[list].removeFirst()) }
        ghosts[list].append(id)
        return forgotten
    }
}
