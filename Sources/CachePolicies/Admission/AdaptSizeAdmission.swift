public import CacheCore

/// Lets an object in with a probability that falls with its size, as steeply as the last requests say is best.
///
/// Berger, Sitaraman and Harchol-Balter, "AdaptSize: orchestrating the hot object memory cache in a content delivery
/// network", NSDI 2017. An object of `s` bytes enters with probability `e^(-s/c)`. Every `interval` requests the object
/// hit ratio is modelled as a function of `c`: with the object's smoothed request rate `r` and a characteristic time `T`
/// common to all, an object is resident with probability `x/(1+x)` for `x = (e^(rT) - 1) e^(-s/c)`, where `T` makes the
/// expected bytes equal the capacity. The `c` with the highest modelled ratio on a logarithmic grid, refined by golden
/// section, holds until the next time; where all fits everything enters. Capacities in objects give every object size 1,
/// which makes it a coin.
///
/// The model is of a cache at rest: it sees no difference between scales at which the same objects end up resident, and
/// may choose one at which that takes long. It looks at 4,096 of the objects at most, taken evenly, and at as large a part
/// of the capacity. O(1) a request, and about 500 looks at each of these objects every `interval` requests; 24 bytes an
/// object of the trace, and 4 for each that was asked for lately. In a live cache some 60 bytes for each of the latter.
public struct AdaptSizeAdmission: ~Copyable, AdmissionPolicy {
    private struct Statistics: BitwiseCopyable {
        var requests: Double = 0
        var size: Double = 0
        var isListed = false
    }

    /// An object that the model looks at.
    private struct Modelled: BitwiseCopyable {
        var requests: Double
        var size: Double
        /// The probability that it enters.
        var chance = 1.0
    }

    private static var mostModelled: Int { 4096 }

    /// By object, or by slot where ids are not always the same object's.
    private var statistics: [Statistics]
    private var slots = IdentitySlots()
    private let identities: ObjectKeys?
    private var listed: [UInt32] = []
    /// The objects that the model looks at, the rarest first, while it tunes.
    private var modelled: [Modelled] = []
    private var modelledCapacity = 0.0
    /// The characteristic time that was found last, in intervals: where the next search begins.
    private var time = 1.0
    private var generator: SeededGenerator
    private var untilTuning: Int
    private let interval: Int
    private let iterations: Int
    private let capacity: Double
    private let isUnit: Bool
    /// The size at which the probability is 1/e.
    private var scale: Double

    /// It looks at what comes alone.
    public static var needsVictim: Bool { false }

    /// The interval and the effort of tuning.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "adaptsize", family: "admission",
            summary: "Lets an object in with a probability that falls with its size, tuned by a model of the cache.",
            citation: "Berger et al., NSDI 2017",
            parameters: [
                ParameterSpecification(
                    "interval", .integer(default: 250_000, 100...Int.max), "Requests between two tunings."),
                ParameterSpecification(
                    "iterations", .integer(default: 15, 1...100), "Steps of the golden section at each tuning."),
            ], isDeterministic: false)
    }

    /// True: it counts every request.
    public static var needsRecord: Bool { true }

    /// A filter that lets everything in until it has seen an interval.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        identities = configuration.identities
        statistics = Array(repeating: Statistics(), count: identities == nil ? configuration.objects.count : 0)
        generator = SeededGenerator(seed: configuration.seed)
        interval = configuration.parameters.integer("interval")
        untilTuning = interval
        iterations = configuration.parameters.integer("iterations")
        capacity = Double(configuration.capacity.amount)
        isUnit = configuration.capacity.unit == .objects
        scale = .infinity
    }

    /// Counts the request, and tunes when the interval is over.
    public mutating func record(_ request: Request) {
        let slot = slot(of: request.id)
        statistics[Int(slot)].requests += 1
        statistics[Int(slot)].size = isUnit ? 1 : Double(request.size)
        if !statistics[Int(slot)].isListed {
            statistics[Int(slot)].isListed = true
            listed.append(slot)
        }
        untilTuning -= 1
        guard untilTuning == 0 else { return }
        untilTuning = interval
        tune()
        fade()
    }

    private mutating func slot(of id: ObjectID) -> UInt32 {
        guard let identities else { return id }
        let slot = slots.slot(of: identities[id])
        if slot == statistics.count { statistics.append(Statistics()) }
        return slot
    }

    /// Tosses the coin of the object's size.
    public mutating func admits(_ request: Request, over victim: ObjectID?) -> Bool {
        let size = isUnit ? 1 : Double(request.size)
        return scale == .infinity || generator.nextUnit() < PortableMath.exp(-size / scale)
    }

    /// Searches the scale with the highest modelled hit ratio: on a grid from 1 to the capacity, then around its best.
    private mutating func tune() {
        let step = 1 + listed.count / Self.mostModelled
        modelled = stride(from: 0, to: listed.count, by: step)
            .map { statistics[Int(listed[$0])] }
            .map { Modelled(requests: $0.requests, size: $0.size) }
            .sorted { $0.requests < $1.requests }
        modelledCapacity = capacity * Double(modelled.count) / Double(listed.count)
        // Where all fits there is nothing to choose: the model holds that everything enters sooner or later.
        guard modelled.reduce(0, { $0 + $1.size }) > modelledCapacity else {
            scale = .infinity
            return
        }
        let largest = PortableMath.log(max(2, capacity))
        var best = (logarithm: largest, hits: -1.0)
        for logarithm in stride(from: largest, through: 0, by: -largest / 16) {
            let hits = modelledHits(atLogarithm: logarithm)
            if hits > best.hits { best = (logarithm, hits) }
        }
        let (low, high) = (max(0, best.logarithm - largest / 16), min(largest, best.logarithm + largest / 16))
        scale = PortableMath.exp(bestLogarithm(from: low, to: high))
    }

    /// Golden section: each step drops the worse end of the range, and one of its two inner points is the next step's.
    private mutating func bestLogarithm(from start: Double, to end: Double) -> Double {
        let golden = (5.0.squareRoot() - 1) / 2
        var (low, high) = (start, end)
        var (left, right) = (high - golden * (high - low), low + golden * (high - low))
        var (leftHits, rightHits) = (modelledHits(atLogarithm: left), modelledHits(atLogarithm: right))
        for _ in 0..<iterations {
            if leftHits > rightHits {
                (high, right, rightHits) = (right, left, leftHits)
                left = high - golden * (high - low)
                leftHits = modelledHits(atLogarithm: left)
            } else {
                (low, left, leftHits) = (left, right, rightHits)
                right = low + golden * (high - low)
                rightHits = modelledHits(atLogarithm: right)
            }
        }
        return (low + high) / 2
    }

    /// Halves the counts, and forgets objects that have hardly any left.
    private mutating func fade() {
        var kept: [UInt32] = []
        for slot in listed {
            statistics[Int(slot)].requests /= 2
            if statistics[Int(slot)].requests >= 0.05 {
                kept.append(slot)
            } else {
                statistics[Int(slot)] = Statistics()
                if identities != nil { slots.release(slot) }
            }
        }
        listed = kept
    }

    /// The modelled rate of hits if objects enter with `e^(-size/scale)`, for the scale with that natural logarithm.
    private mutating func modelledHits(atLogarithm logarithm: Double) -> Double {
        let scale = PortableMath.exp(logarithm)
        for index in modelled.indices { modelled[index].chance = PortableMath.exp(-modelled[index].size / scale) }
        // Doubled or halved until the cache is just full, then bisected.
        while time < 1e9, expectation(time).bytes < modelledCapacity { time *= 2 }
        while time > 1e-9, expectation(time / 2).bytes >= modelledCapacity { time /= 2 }
        var (short, long) = (time / 2, time)
        for _ in 0..<12 {
            let middle = (short + long) / 2
            if expectation(middle).bytes < modelledCapacity { short = middle } else { long = middle }
        }
        return expectation(long).hits
    }

    /// The bytes in a cache with that characteristic time, and its rate of hits.
    private func expectation(_ time: Double) -> (bytes: Double, hits: Double) {
        var (bytes, hits) = (0.0, 0.0)
        var (requests, growth) = (0.0, 0.0)
        for object in modelled {
            // Most objects were asked for as often as the one before.
            if object.requests != requests {
                requests = object.requests
                let expected = min(500, requests * time)
                growth = expected * PortableMath.expRatio(expected)
            }
            let odds = growth * object.chance
            let share = odds / (1 + odds)
            bytes += object.size * share
            hits += requests * share
        }
        return (bytes, hits)
    }
}
