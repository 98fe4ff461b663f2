import CacheCore

@testable import PolicySupport

/// The window, the main cache as one list of queues, and the filter, from which each variant is made.
class NaiveWindowVariant {
    let capacity: Int
    let main: Int
    var windowLimit: Int
    let filter: NaiveTinyLFU
    let parameters: ParameterValues
    var window = NaiveQueue()
    /// The queues of the main cache, from the one that newcomers enter.
    var queues: [NaiveQueue]

    init(_ configuration: PolicyConfiguration, queues count: Int) {
        capacity = configuration.capacity.amount
        parameters = configuration.parameters
        main = Int(Double(capacity) * (1 - configuration.parameters.number("window")))
        windowLimit = max(1, capacity - main)
        filter = NaiveTinyLFU(configuration)
        queues = Array(repeating: NaiveQueue(), count: count)
    }

    var residents: [ObjectID] { window.ids + queues.flatMap(\.ids) }
    var ghosts: [ObjectID] { [] }

    func remove(_ id: ObjectID) {
        window.take(id)
        for index in queues.indices { queues[index].take(id) }
    }

    /// Lets the candidate into the first queue if it or the oldest there gives way.
    func challenge(_ candidate: ObjectID) -> [ObjectID] {
        queues[0].append(candidate, 1)
        guard residents.count > capacity else { return [] }
        let victim = queues[0].ids[0]
        let loser = filter.admits(candidate, victim) ? victim : candidate
        remove(loser)
        return [loser]
    }

    /// Moves an object up by one queue, and the oldest of that queue down if it is too long.
    func lift(_ id: ObjectID, limit: Int) {
        let index = queues.firstIndex { $0.contains(id) }!
        let higher = min(index + 1, queues.count - 1)
        queues[index].take(id)
        queues[higher].append(id, 1)
        for level in stride(from: higher, to: 0, by: -1) where queues[level].items.count > limit {
            queues[level - 1].append(queues[level].takeOldest().id, 1)
        }
    }
}

/// W-TinyLFU before S4LRU.
final class NaiveS4WTinyLFU: NaiveWindowVariant, NaiveConfiguredModel {
    init(_ configuration: PolicyConfiguration) {
        super.init(configuration, queues: configuration.parameters.integer("levels"))
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        filter.record(request.id)
        if window.contains(request.id) {
            window.refresh(request.id)
            return NaiveStep(hit: true)
        }
        if residents.contains(request.id) {
            lift(request.id, limit: main / queues.count)
            return NaiveStep(hit: true)
        }
        window.append(request.id, 1)
        guard window.items.count > windowLimit else { return NaiveStep(hit: false) }
        return NaiveStep(hit: false, evicted: challenge(window.takeOldest().id))
    }
}

/// W-TinyLFU with a segmented window: `window` holds its probation.
final class NaiveFullySegmentedWTinyLFU: NaiveWindowVariant, NaiveConfiguredModel {
    private var windowProtected = NaiveQueue()

    init(_ configuration: PolicyConfiguration) { super.init(configuration, queues: 2) }

    override var residents: [ObjectID] { super.residents + windowProtected.ids }

    override func remove(_ id: ObjectID) {
        super.remove(id)
        windowProtected.take(id)
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        let id = request.id
        filter.record(id)
        if window.take(id) != nil {
            windowProtected.append(id, 1)
            if windowProtected.items.count > Int(Double(windowLimit) * parameters.number("window-protected")) {
                window.append(windowProtected.takeOldest().id, 1)
            }
            return NaiveStep(hit: true)
        }
        if windowProtected.contains(id) {
            windowProtected.refresh(id)
            return NaiveStep(hit: true)
        }
        if residents.contains(id) {
            lift(id, limit: Int(Double(main) * parameters.number("protected")))
            return NaiveStep(hit: true)
        }
        window.append(id, 1)
        guard window.items.count + windowProtected.items.count > windowLimit else { return NaiveStep(hit: false) }
        return NaiveStep(hit: false, evicted: challenge(window.takeOldest().id))
    }
}

/// W-TinyLFU over two bags: the last of a bag fills the gap that a leaver leaves.
final class NaiveRandomWTinyLFU: NaiveConfiguredModel {
    private let capacity: Int
    private let windowLimit: Int
    private let filter: NaiveTinyLFU
    private let isCaffeine: Bool
    private var java = JavaRandom(seed: 1_033_096_058)
    private var generator = SeededGenerator(seed: 1)
    private var window: [ObjectID] = []
    private var main: [ObjectID] = []

    init(_ configuration: PolicyConfiguration) {
        capacity = configuration.capacity.amount
        windowLimit = max(1, capacity - Int(Double(capacity) * (1 - configuration.parameters.number("window"))))
        filter = NaiveTinyLFU(configuration)
        isCaffeine = configuration.parameters.text("dialect") == "caffeine"
    }

    var residents: [ObjectID] { window + main }
    var ghosts: [ObjectID] { [] }

    func remove(_ id: ObjectID) {
        window = without(id, window)
        main = without(id, main)
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        filter.record(request.id)
        if residents.contains(request.id) { return NaiveStep(hit: true) }
        window.append(request.id)
        guard window.count > windowLimit else { return NaiveStep(hit: false) }
        let candidate = window[draw(window.count)]
        window = without(candidate, window)
        main.append(candidate)
        guard residents.count > capacity else { return NaiveStep(hit: false) }
        let victim = main[draw(main.count)]
        let loser = filter.admits(candidate, victim) ? victim : candidate
        remove(loser)
        return NaiveStep(hit: false, evicted: [loser])
    }

    private func draw(_ bound: Int) -> Int {
        isCaffeine ? Int(java.nextInt(below: Int32(bound))) : generator.next(below: bound)
    }

    private func without(_ id: ObjectID, _ bag: [ObjectID]) -> [ObjectID] {
        guard let index = bag.firstIndex(of: id) else { return bag }
        var rest = bag
        rest[index] = rest[rest.count - 1]
        rest.removeLast()
        return rest
    }
}

/// Which period it is and who was refused in this half of it, in a set without mistakes.
struct NaiveFeedback {
    private let period: Int
    private var requests = 0
    private var refused: Set<ObjectID> = []
    var periods = 0
    var adjusted = 0

    init(_ configuration: PolicyConfiguration) {
        period = min(configuration.parameters.integer("period"), configuration.capacity.amount)
    }

    mutating func count() {
        if requests % max(1, period / 2) == 0 { refused = [] }
        if requests % period == 0 { periods += 1 }
        requests += 1
    }

    mutating func refuse(_ id: ObjectID) { refused.insert(id) }
    func wasRefused(_ id: ObjectID) -> Bool { refused.contains(id) }
}

/// An LRU behind TinyLFU with a gain for newcomers.
final class NaiveFeedbackTinyLFU: NaiveConfiguredModel {
    private let capacity: Int
    private let largestGain: Int
    private let filter: NaiveTinyLFU
    private var feedback: NaiveFeedback
    private var gain = 0
    private var queue = NaiveQueue()

    init(_ configuration: PolicyConfiguration) {
        capacity = configuration.capacity.amount
        largestGain = configuration.parameters.integer("gain")
        filter = NaiveTinyLFU(configuration)
        feedback = NaiveFeedback(configuration)
    }

    var residents: [ObjectID] { queue.ids }
    var ghosts: [ObjectID] { [] }
    func remove(_ id: ObjectID) { queue.take(id) }

    func access(_ request: NaiveRequest) -> NaiveStep {
        let id = request.id
        feedback.count()
        filter.record(id)
        if queue.contains(id) {
            queue.refresh(id)
            return NaiveStep(hit: true)
        }
        for _ in 0..<gain { filter.record(id) }
        queue.append(id, 1)
        guard queue.items.count > capacity else { return NaiveStep(hit: false) }
        if filter.admits(id, queue.ids[0]) || learns(id) {
            return NaiveStep(hit: false, evicted: [queue.takeOldest().id])
        }
        queue.take(id)
        feedback.refuse(id)
        return NaiveStep(hit: false, evicted: [id])
    }

    private func learns(_ id: ObjectID) -> Bool {
        guard feedback.adjusted != feedback.periods else { return false }
        let waited = feedback.periods - feedback.adjusted
        if feedback.wasRefused(id) {
            if waited >= gain, gain < largestGain {
                feedback.adjusted = feedback.periods
                gain += 1
            }
            return true
        }
        if waited > gain + 1, gain > 0 {
            feedback.adjusted = feedback.periods
            gain -= 1
        }
        return false
    }
}
