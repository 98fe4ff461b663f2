import CacheCore

/// libCacheSim's W-TinyLFU over queues, with its filter as one long array of counters.
final class NaiveReferenceWTinyLFU: NaiveConfiguredModel {
    private let capacity: Int
    private let mainLimit: Int
    private let limits: [Int]
    private let keys: ObjectKeys?
    private var counters: [Int]
    private var mainHits = 0
    private var window = NaiveQueue()
    /// Probation and, if there is one, protected.
    private var segments: [NaiveQueue]
    private var departed: [ObjectID] = []

    init(_ configuration: PolicyConfiguration) {
        let share = configuration.parameters.number("protected")
        capacity = configuration.capacity.amount
        keys = configuration.keys
        mainLimit = capacity - Int(Double(capacity) * configuration.parameters.number("window"))
        let upper = Int(Double(mainLimit) * share)
        // Shares of tenths, so that rounding is no question here.
        let tenths = Int((share * 10).rounded())
        limits = upper == 0 ? [mainLimit] : [mainLimit * (10 - tenths) / 10, upper]
        segments = limits.map { _ in NaiveQueue() }
        counters = Array(repeating: 0, count: max(20, Int((14.377587566 * Double(mainLimit)).rounded(.up))))
    }

    var residents: [ObjectID] { window.ids + segments.flatMap(\.ids) }
    var ghosts: [ObjectID] { departed }
    private var mainWeight: Int { segments.reduce(0) { $0 + $1.weight } }

    func remove(_ id: ObjectID) {
        window.take(id)
        for index in segments.indices { segments[index].take(id) }
        departed.removeAll { $0 == id }
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        if window.contains(request.id) {
            window.refresh(request.id)
            return NaiveStep(hit: true)
        }
        if let index = segments.firstIndex(where: { $0.contains(request.id) }) {
            hit(request.id, in: index)
            return NaiveStep(hit: true)
        }
        var step = NaiveStep(hit: false, evicted: departed)
        departed = []
        let windowLimit = capacity - mainLimit
        guard request.weight <= windowLimit, request.weight <= limits[0] else { return step }
        while window.weight + mainWeight + request.weight > capacity { makeRoom(&step) }
        window.append(request.id, request.weight)
        count(request.id)
        return step
    }

    private func hit(_ id: ObjectID, in index: Int) {
        let weight = segments[index].take(id)!
        let above = min(index + 1, segments.count - 1)
        segments[above].append(id, weight)
        if above != index, segments[above].weight > limits[above] {
            for segment in stride(from: above, through: 0, by: -1) {
                while segments[segment].weight > limits[segment] {
                    let fallen = segments[segment].takeOldest()
                    if segment == 0 {
                        departed.append(fallen.id)
                    } else {
                        segments[segment - 1].append(fallen.id, fallen.weight)
                    }
                }
            }
        }
        count(id)
        mainHits += 1
        if mainHits == 32 * mainLimit {
            mainHits = 0
            counters = counters.map { $0 / 2 }
        }
    }

    private func makeRoom(_ step: inout NaiveStep) {
        while window.weight > 0 {
            let candidate = window.takeOldest()
            if mainWeight + candidate.weight <= mainLimit {
                enterMain(candidate, &step)
                count(candidate.id)
                continue
            }
            let victim = segments.first { !$0.isEmpty }?.items.first
            if let victim, estimate(candidate.id) > estimate(victim.id) {
                evictFromMain(&step)
                enterMain(candidate, &step)
            } else {
                step.evicted.append(candidate.id)
            }
            count(candidate.id)
            return
        }
        evictFromMain(&step)
    }

    private func evictFromMain(_ step: inout NaiveStep) {
        let index = segments.firstIndex { !$0.isEmpty }!
        step.evicted.append(segments[index].takeOldest().id)
    }

    private func enterMain(_ object: (id: ObjectID, weight: Int), _ step: inout NaiveStep) {
        var index = segments.indices.first { segments[$0].weight + object.weight <= limits[$0] }
        if index == nil, segments.count > 1 {
            while mainWeight + object.weight > mainLimit { evictFromMain(&step) }
        }
        if segments.count == 1 { index = 0 }
        segments[index ?? 0].append(object.id, object.weight)
    }

    private func places(_ id: ObjectID) -> [Int] {
        let key = keys?[id] ?? UInt64(id)
        let (first, step) = (Self.xxh64(key, 0x1234_5678) & 0xFFFF_FFFF, Self.xxh64(key, 0x1234_4321) & 0xFFFF_FFFF)
        return (0..<10).map { Int((first &+ $0 &* step) & 0xFFFF_FFFF) % counters.count }
    }

    private func count(_ id: ObjectID) { for place in places(id) { counters[place] += 1 } }
    private func estimate(_ id: ObjectID) -> Int { places(id).map { counters[$0] }.min()! }

    /// XXH64 of eight bytes, step by step as in its specification.
    private static func xxh64(_ key: UInt64, _ seed: UInt64) -> UInt64 {
        func turn(_ value: UInt64, _ bits: Int) -> UInt64 { (value << UInt64(bits)) | (value >> UInt64(64 - bits)) }
        let prime1: UInt64 = 11_400_714_785_074_694_791
        let prime2: UInt64 = 14_029_467_366_897_019_727
        let prime3: UInt64 = 1_609_587_929_392_839_161
        let prime4: UInt64 = 9_650_029_242_287_828_579
        let prime5: UInt64 = 2_870_177_450_012_600_261
        var accumulator = seed &+ prime5
        accumulator = accumulator &+ 8
        accumulator ^= turn(key &* prime2, 31) &* prime1
        accumulator = turn(accumulator, 27) &* prime1 &+ prime4
        accumulator ^= accumulator >> 33
        accumulator = accumulator &* prime2
        accumulator ^= accumulator >> 29
        accumulator = accumulator &* prime3
        return accumulator ^ (accumulator >> 32)
    }
}
