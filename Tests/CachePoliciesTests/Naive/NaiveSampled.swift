import CacheCore

@testable import PolicySupport

/// The policies that draw their victims: an array in which the newcomer stands last and the last takes a leaver's place.
class NaiveSampled: NaiveModel {
    struct Resident {
        var id: ObjectID
        var weight: Int
        var entered: Int
        var used: Int
        var count = 1
        var cost: Double
    }

    let capacity: Int
    let isCaffeine: Bool
    let samples: Int
    var array: [Resident] = []
    var now = 0
    private var generator = WyrandGenerator(seed: 1)
    private var java = JavaRandom(seed: 1_033_096_058)
    var residents: [ObjectID] { array.map(\.id) }
    var ghosts: [ObjectID] { [] }

    required init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        samples = Self.samples(parameters)
        isCaffeine = parameters.description.contains("dialect=caffeine")
    }

    class func samples(_ parameters: ParameterValues) -> Int { parameters.integer("samples") }
    /// The lowest leaves.
    func rank(_ resident: Resident) -> Double { 0 }
    /// Whether one draw decides, whatever was drawn.
    var drawsOne: Bool { false }
    /// Whether the newcomer may be drawn.
    var drawsNewcomer: Bool { false }

    func access(_ request: NaiveRequest) -> NaiveStep {
        now += 1
        if let index = array.firstIndex(where: { $0.id == request.id }) {
            array[index].used = now
            array[index].count += 1
            return NaiveStep(hit: true)
        }
        var step = NaiveStep(hit: false)
        guard request.weight <= capacity else { return step }
        array.append(
            Resident(id: request.id, weight: request.weight, entered: now, used: now, cost: request.cost))
        while array.reduce(0, { $0 + $1.weight }) > capacity {
            let drawn = draws(sparing: request.id)
            let lowest = drawn.map { rank(array[$0]) }.min()
            guard let victim = drawn.first(where: { rank(array[$0]) == lowest }) else { break }
            step.evicted.append(take(victim))
        }
        return step
    }

    func remove(_ id: ObjectID) {
        if let index = array.firstIndex(where: { $0.id == id }) { _ = take(index) }
    }

    /// One draw of ours counts all but the newcomer and calls the last place by the newcomer's number; several are made in
    /// pairs.
    private func draws(sparing newcomer: ObjectID) -> [Int] {
        guard !isCaffeine else { return (0..<samples).map { _ in drawAsCaffeine(sparing: newcomer) } }
        let others = array.count - 1
        var drawn = drawsOne ? [generator.next(below: others)] : []
        while drawn.count < samples {
            let pair = generator.nextPair(below: UInt32(others))
            drawn += [Int(pair.0), Int(pair.1)]
        }
        return drawn.prefix(samples).map { array[$0].id == newcomer ? others : $0 }
    }

    private func drawAsCaffeine(sparing newcomer: ObjectID) -> Int {
        while true {
            let index = Int(java.nextInt(below: Int32(array.count)))
            if drawsNewcomer || array[index].id != newcomer { return index }
        }
    }

    private func take(_ index: Int) -> ObjectID {
        array.swapAt(index, array.count - 1)
        return array.removeLast().id
    }
}

final class NaiveSampledLRU: NaiveSampled {
    override func rank(_ resident: Resident) -> Double { Double(resident.used) }
}

final class NaiveSampledMRU: NaiveSampled {
    override func rank(_ resident: Resident) -> Double { -Double(resident.used) }
}

final class NaiveSampledFIFO: NaiveSampled {
    override func rank(_ resident: Resident) -> Double { Double(resident.entered) }
}

final class NaiveSampledLFU: NaiveSampled {
    override func rank(_ resident: Resident) -> Double { Double(resident.count) }
}

final class NaiveSampledMFU: NaiveSampled {
    override func rank(_ resident: Resident) -> Double { -Double(resident.count) }
}

final class NaiveHyperbolic: NaiveSampled {
    override func rank(_ resident: Resident) -> Double {
        let worth = isCaffeine ? 1 : resident.cost / Double(max(1, resident.weight))
        return Double(resident.count) * worth / Double(now - resident.entered)
    }
}

/// One draw decides; by Caffeine's rules it may meet the newcomer.
final class NaiveRandom: NaiveSampled {
    override class func samples(_ parameters: ParameterValues) -> Int { 1 }
    override var drawsOne: Bool { true }
    override var drawsNewcomer: Bool { isCaffeine }
}
