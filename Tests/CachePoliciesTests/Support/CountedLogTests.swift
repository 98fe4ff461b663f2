import Testing

@testable import AdaptivePolicies
@testable import CacheCore

@Suite("The log that knows the oldest and the rarest")
struct CountedLogTests {
    /// Against an array that is searched, over many packings; `again` is how many of eight uses are of what is resident, so that
    /// with 7 there is mostly nothing that was asked for once.
    @Test(arguments: [1, 2, 5, 40, 300], [1, 4, 7])
    func `finds victims as an array that is searched`(_ residents: Int, _ again: Int) {
        var generator = SeededGenerator(seed: UInt64(residents))
        var log = CountedLog(objects: 3 * residents + 2, residents: residents, slotsPerResident: 2)
        var model = NaiveCountedLog()
        for step in 0..<20_000 {
            let id = ObjectID(generator.next(below: 3 * residents + 2))
            switch generator.next(below: 8) {
            case ..<again where !model.items.isEmpty:
                let known = model.items[generator.next(below: model.items.count)].id
                log.raise(known)
                model.use(known)
            case 7 where model.items.contains { $0.id == id }:
                log.vacate(log.place(of: id), log.count(of: id))
                log.setPlace(0, of: id)
                model.items.removeAll { $0.id == id }
            default:
                guard !model.items.contains(where: { $0.id == id }) else { continue }
                if model.items.count == residents { Self.evict(UInt32(step % 2), &log, &model) }
                // Now and then one returns with a count.
                let count = step % 5 == 0 ? 1 + generator.next(below: 6) : 1
                log.append(id, count: UInt32(count))
                model.items.append((id, count))
            }
            guard let victims = model.victims else { continue }
            let found = log.findVictims()
            let (oldest, rarest) = (log.log.ids[found.oldest], log.log.ids[found.rarest])
            let count = log.count
            guard oldest == victims.oldest, rarest == victims.rarest, count == model.items.count else {
                Issue.record("step \(step): \(oldest) and \(rarest) of \(count), not \(victims)")
                return
            }
        }
    }

    /// Runs of every length between single steps; each eviction falls to an expert that is drawn.
    @Test(arguments: [1, 2, 3, 20, 70, 300], [2, 5])
    func `serves runs as single steps`(_ capacity: Int, _ breadth: Int) {
        let objects = capacity * breadth + 2
        var generator = SeededGenerator(seed: 4)
        var log = CountedLog(objects: objects, residents: capacity, slotsPerResident: 2)
        var model = NaiveCountedLog()
        for step in 0..<4000 {
            let ids = (0..<1 + generator.next(below: ObjectBlock.limit)).map { _ in
                ObjectID(min(generator.next(below: objects), generator.next(below: objects)))
            }
            var run = CountedRun()
            if model.items.count == capacity {
                run = ids.withUnsafeBufferPointer {
                    log.serve(ObjectBlock(ids: $0.baseAddress!, count: ids.count, ahead: 0), from: 0, owed: 0)
                }
                let experts = (0..<ids.count).map { _ in UInt32(generator.next(below: 2)) }
                guard Self.agrees(ids, run, experts, &log, &model) else {
                    Issue.record("step \(step): \(run) of \(ids)")
                    return
                }
            }
            guard run.requests < ids.count else { continue }
            Self.step(ids[run.requests], UInt32(step % 2), capacity, &log, &model)
        }
    }

    /// Whether a run had the misses of single steps, and its victims are theirs.
    private static func agrees(
        _ ids: [ObjectID], _ run: CountedRun, _ experts: [UInt32], _ log: inout CountedLog,
        _ model: inout NaiveCountedLog
    ) -> Bool {
        guard run.requests > 0 else { return true }
        var pair = log.candidates()
        for index in 0..<run.requests {
            let misses = !model.items.contains { $0.id == ids[index] }
            guard misses == (run.misses >> UInt64(run.requests - 1 - index) & 1 == 1) else { return false }
            guard misses else {
                model.use(ids[index])
                continue
            }
            guard let victims = model.victims else { return false }
            let id = log.take(experts[index], &pair)
            guard id == (experts[index] == 0 ? victims.oldest : victims.rarest),
                pair.agree == (victims.oldest == victims.rarest)
            else { return false }
            log.setPlace(0, of: id)
            model.items.removeAll { $0.id == id }
            model.items.append((ids[index], 1))
        }
        log.keep(pair)
        return true
    }

    private static func step(
        _ id: ObjectID, _ expert: UInt32, _ capacity: Int, _ log: inout CountedLog, _ model: inout NaiveCountedLog
    ) {
        guard !model.items.contains(where: { $0.id == id }) else {
            log.raise(id)
            return model.use(id)
        }
        if model.items.count == capacity { evict(expert, &log, &model) }
        log.append(id, count: 1)
        model.items.append((id, 1))
    }

    private static func evict(_ expert: UInt32, _ log: inout CountedLog, _ model: inout NaiveCountedLog) {
        let found = log.findVictims()
        let slot = expert == 0 ? found.oldest : found.rarest
        let id = log.log.ids[slot]
        log.vacate(slot, log.count(of: id))
        log.setPlace(0, of: id)
        model.items.removeAll { $0.id == id }
    }
}

/// Residents with their counts, the oldest first.
private struct NaiveCountedLog {
    var items: [(id: ObjectID, count: Int)] = []

    var victims: (oldest: ObjectID, rarest: ObjectID)? {
        guard let oldest = items.first, let count = items.map(\.count).min() else { return nil }
        return (oldest.id, items.first { $0.count == count }?.id ?? oldest.id)
    }

    mutating func use(_ id: ObjectID) {
        guard let index = items.firstIndex(where: { $0.id == id }) else { return }
        let item = items.remove(at: index)
        items.append((id, item.count + 1))
    }
}
