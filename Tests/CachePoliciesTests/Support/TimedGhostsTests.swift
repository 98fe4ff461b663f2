import Testing

@testable import AdaptivePolicies
@testable import CacheCore

@Suite("The ghosts of two experts")
struct TimedGhostsTests {
    /// Against two arrays, the oldest first, through gaps, laps and packings.
    @Test(arguments: [1, 2, 7, 60])
    func `keep their order`(_ limit: Int) {
        var generator = SeededGenerator(seed: 7)
        let ghosts = TimedGhosts(limit: limit)
        var models: [[(id: ObjectID, time: UInt32)]] = [[], []]
        var places: [ObjectID: UInt32] = [:]
        for time in 0..<UInt32(10_000) {
            let expert = UInt32(generator.next(below: 2))
            let held = models[Int(expert)]
            if generator.next(below: 4) == 0, !held.isEmpty {
                let ghost = held[generator.next(below: held.count)]
                let place = places[ghost.id]!
                #expect(ghosts.expert(at: place) == expert && ghosts.time(at: place) == ghost.time)
                ghosts.take(place, weight: 3)
                models[Int(expert)].removeAll { $0.id == ghost.id }
                continue
            }
            if held.count == limit {
                let oldest = ghosts.dropOldest(of: expert)
                ghosts.lose(3, of: expert)
                #expect(oldest == models[Int(expert)].removeFirst().id)
            }
            if ghosts.isFull(expert) { ghosts.pack(expert) { places[$0] = $1 } }
            places[time] = ghosts.append(time, weight: 3, at: time &* 5, to: expert)
            models[Int(expert)].append((time, time &* 5))
            #expect(ghosts.weight(of: expert) == 3 * models[Int(expert)].count)
        }
    }
}
