import CacheCore

@testable import SketchPolicies

/// W-TinyLFU whose window takes room from protected: the first queue is probation, the second protected.
class NaiveAdaptiveWindow: NaiveWindowVariant {
    var protectedLimit: Int

    init(_ configuration: PolicyConfiguration) {
        protectedLimit = 0
        super.init(configuration, queues: 2)
        protectedLimit = Int(Double(main) * parameters.number("protected"))
    }

    /// Serves a hit; false for a miss.
    func hit(_ id: ObjectID) -> Bool {
        guard residents.contains(id) else { return false }
        if window.contains(id) {
            window.refresh(id)
        } else if queues[1].contains(id) {
            queues[1].refresh(id)
        } else {
            queues[0].take(id)
            queues[1].append(id, 1)
            demote()
        }
        return true
    }

    func demote() {
        if queues[1].items.count > protectedLimit { queues[0].append(queues[1].takeOldest().id, 1) }
    }

    /// The oldest outside the window, or else in it, until the cache is not too full.
    func trim() -> [ObjectID] {
        var evicted: [ObjectID] = []
        while residents.count > capacity {
            let oldest = queues[0].ids.first ?? queues[1].ids.first ?? window.ids[0]
            remove(oldest)
            evicted.append(oldest)
        }
        return evicted
    }
}

/// The window moves by the feedback of refused candidates.
final class NaiveFeedbackWTinyLFU: NaiveAdaptiveWindow, NaiveConfiguredModel {
    private var feedback: NaiveFeedback
    private var pivot = 0
    private let largestPivot: Int

    required override init(_ configuration: PolicyConfiguration) {
        feedback = NaiveFeedback(configuration)
        let limit = configuration.parameters.integer("limit")
        let main = Int(Double(configuration.capacity.amount) * (1 - configuration.parameters.number("window")))
        largestPivot = min(limit, Int(Double(main) * configuration.parameters.number("protected")))
        super.init(configuration)
        windowLimit = min(limit, windowLimit)
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        feedback.count()
        filter.record(request.id)
        if hit(request.id) { return NaiveStep(hit: true) }
        window.append(request.id, 1)
        var evicted: [ObjectID] = []
        if window.items.count > windowLimit {
            let candidate = window.takeOldest().id
            queues[0].append(candidate, 1)
            if residents.count > capacity {
                let victim = queues[0].ids[0]
                if filter.admits(candidate, victim) || learns(candidate) {
                    remove(victim)
                    evicted = [victim]
                } else {
                    feedback.refuse(candidate)
                    remove(candidate)
                    evicted = [candidate]
                }
            }
        }
        return NaiveStep(hit: false, evicted: evicted + trim())
    }

    private func learns(_ candidate: ObjectID) -> Bool {
        guard feedback.adjusted != feedback.periods else { return false }
        if feedback.wasRefused(candidate) {
            if pivot < largestPivot { feedback.adjusted = feedback.periods }
            grow(candidate)
            return true
        }
        if feedback.periods - feedback.adjusted > 1, pivot > 0 {
            feedback.adjusted = feedback.periods
            for _ in 0..<parameters.integer("decrement") where pivot > 0 && !window.isEmpty {
                pivot -= 1
                windowLimit -= 1
                protectedLimit += 1
                queues[0].items.insert((window.takeOldest().id, 1), at: 0)
            }
        }
        return false
    }

    private func grow(_ candidate: ObjectID) {
        var next: ObjectID? = candidate
        for _ in 0..<parameters.integer("increment") {
            guard let id = next, pivot < largestPivot else { return }
            pivot += 1
            windowLimit += 1
            protectedLimit -= 1
            demote()
            queues[0].take(id)
            window.append(id, 1)
            next = queues[0].ids.dropFirst().first
        }
    }
}

/// The window moves by a climber, which has its own tests.
final class NaiveHillClimberWTinyLFU: NaiveAdaptiveWindow, NaiveConfiguredModel {
    private var climber: any WindowClimber
    private var size = 0.0
    private var outcomes: [Bool] = []
    private var ratios: [Double] = []
    private var sizes: [Double] = []

    required override init(_ configuration: PolicyConfiguration) {
        let parameters = configuration.parameters
        climber = ClimberKind(rawValue: parameters.text("climber"))!.makeClimber(
            ClimberSettings(
                capacity: configuration.capacity.amount, pivot: parameters.number("pivot"),
                sample: parameters.number("period"), seed: configuration.seed))
        super.init(configuration)
    }

    override func remove(_ id: ObjectID) {
        if window.contains(id) { size -= 1 }
        super.remove(id)
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        let wasFull = residents.count >= capacity
        filter.record(request.id)
        var step = NaiveStep(hit: hit(request.id))
        if !step.hit {
            window.append(request.id, 1)
            size += 1
            if size > Double(windowLimit) {
                size -= 1
                step.evicted = challenge(window.takeOldest().id)
            }
            step.evicted += trim()
        }
        if wasFull { sample(step.hit) }
        return step
    }

    private func sample(_ hit: Bool) {
        outcomes.append(hit)
        guard outcomes.count >= climber.period else { return }
        let ratio = Double(outcomes.count { $0 }) / Double(outcomes.count)
        let step = climber.step(
            after: ClimbSample(
                hitRatio: ratio, previousHitRatio: ratios.last ?? 0, window: size, previousWindow: sizes.last ?? 0,
                isFirst: ratios.isEmpty))
        outcomes = []
        ratios.append(ratio)
        sizes.append(size)
        step > 0 ? grow(step) : shrink(-step)
    }

    private func grow(_ step: Double) {
        let before = size
        size += min(step, Double(protectedLimit))
        for _ in 0..<max(0, Int(size) - Int(before)) where protectedLimit > 0 {
            windowLimit += 1
            protectedLimit -= 1
            demote()
            if queues[0].isEmpty { size -= 1 } else { window.append(queues[0].takeOldest().id, 1) }
        }
    }

    private func shrink(_ step: Double) {
        let before = size
        size -= min(step, Double(windowLimit))
        for _ in 0..<max(0, Int(before) - Int(size)) where windowLimit > 0 {
            windowLimit -= 1
            protectedLimit += 1
            if window.isEmpty {
                size += 1
            } else {
                queues[0].items.insert((window.takeOldest().id, 1), at: 0)
            }
        }
    }
}
