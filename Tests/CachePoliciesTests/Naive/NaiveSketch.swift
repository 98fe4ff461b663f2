import CacheCore

@testable import PolicySupport

/// TinyLFU's filter: the paper counts in the sketch that has its own tests, Caffeine in one counter after the other.
final class NaiveTinyLFU {
    private final class Paper {
        var sketch: FrequencySketch
        init(_ sketch: consuming FrequencySketch) { self.sketch = sketch }
    }
    private let paper: Paper
    private var counters: [[Int]] = []
    private var additions = 0
    private let sample: Int
    private let isCaffeine: Bool
    private var random = JavaRandom(seed: 1_033_096_058)

    /// The counters of a table that starts empty come with the first `grow`.
    init(_ configuration: PolicyConfiguration, startsEmpty: Bool = false) {
        isCaffeine = configuration.parameters.text("dialect") == "caffeine"
        sample = configuration.parameters.integer("sample")
        let limit = configuration.residentLimit
        paper = Paper(FrequencySketch(objects: limit, sampleSize: limit * sample))
        if !startsEmpty { grow(limit) }
    }

    func grow(_ objects: Int) {
        var length = 1
        while length < objects { length *= 2 }
        if length > counters.count { counters = Array(repeating: Array(repeating: 0, count: 16), count: length) }
    }

    func record(_ id: ObjectID) {
        guard isCaffeine else { return paper.sketch.add(id) }
        let free = places(id).filter { counters[$0.word][$0.counter] < 15 }
        for place in free { counters[place.word][place.counter] += 1 }
        if !free.isEmpty { additions += 1 }
        guard !free.isEmpty, additions == sample * counters.count else { return }
        let odd = counters.joined().count { $0 % 2 == 1 }
        counters = counters.map { $0.map { $0 / 2 } }
        additions = (additions - odd / 4) / 2
    }

    func frequency(_ id: ObjectID) -> Int {
        isCaffeine ? places(id).map { counters[$0.word][$0.counter] }.min() ?? 0 : paper.sketch.estimate(id)
    }

    func admits(_ candidate: ObjectID, _ victim: ObjectID) -> Bool {
        let (first, second) = (frequency(candidate), frequency(victim))
        return first > second || isCaffeine && first >= 6 && random.nextDoubleOfFloat() < 0.0078125
    }

    /// The four counters of an object whose key is its id.
    private func places(_ id: ObjectID) -> [(word: Int, counter: Int)] {
        guard !counters.isEmpty else { return [] }
        var item = Int(id)
        for _ in 0..<2 { item = ((item >> 16) ^ item) * 0x45D9F3B & 0xFFFF_FFFF }
        item = (item >> 16) ^ item
        let seeds: [UInt64] = [
            0xC3A5_C85C_97CB_3127, 0xB492_B66F_BE98_F273, 0x9AE1_6A3B_2F90_404F, 0xCBF2_9CE4_8422_2325,
        ]
        let signed = item < 1 << 31 ? item : item - 1 << 32
        return seeds.enumerated().map { row, seed in
            let product = (UInt64(bitPattern: Int64(signed)) &+ seed) &* seed
            return (Int((product &+ product >> 32) % UInt64(counters.count)), item % 4 * 4 + row)
        }
    }
}

extension JavaRandom {
    fileprivate mutating func nextDoubleOfFloat() -> Double { Double(next(bits: 24)) / 16_777_216 }
}

/// W-TinyLFU over three queues.
final class NaiveWTinyLFU: NaiveConfiguredModel {
    private let capacity: Int
    private let inBytes: Bool
    private let windowLimit: Int
    private let protectedLimit: Int
    private let filter: NaiveTinyLFU
    private let isCaffeine: Bool
    private var window = NaiveQueue()
    private var probation = NaiveQueue()
    private var protected = NaiveQueue()

    init(_ configuration: PolicyConfiguration) {
        let parameters = configuration.parameters
        capacity = configuration.capacity.amount
        inBytes = configuration.capacity.unit == .bytes
        let main = Int(Double(capacity) * (1 - parameters.number("window")))
        windowLimit = max(1, capacity - main)
        protectedLimit = Int(Double(main) * parameters.number("protected"))
        isCaffeine = parameters.text("dialect") == "caffeine"
        filter = NaiveTinyLFU(configuration, startsEmpty: inBytes)
    }

    var residents: [ObjectID] { window.ids + probation.ids + protected.ids }
    var ghosts: [ObjectID] { [] }
    private var weight: Int { window.weight + probation.weight + protected.weight }

    func remove(_ id: ObjectID) {
        window.take(id)
        probation.take(id)
        protected.take(id)
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        filter.record(request.id)
        if hit(request.id) { return NaiveStep(hit: true) }
        var step = NaiveStep(hit: false)
        if isCaffeine {
            step.evicted = admitAsCaffeine(request)
            return step
        }
        guard request.weight <= capacity else { return step }
        window.append(request.id, request.weight)
        while window.weight > windowLimit {
            let candidate = window.takeOldest()
            var isIn = true
            while isIn, weight + candidate.weight > capacity {
                let victim = probation.items.first ?? protected.items.first
                if let victim, filter.admits(candidate.id, victim.id) {
                    step.evicted.append(victim.id)
                    remove(victim.id)
                } else {
                    step.evicted.append(candidate.id)
                    isIn = false
                }
            }
            if isIn { probation.append(candidate.id, candidate.weight) }
        }
        while weight > capacity {
            step.evicted.append(probation.isEmpty ? protected.takeOldest().id : probation.takeOldest().id)
        }
        return step
    }

    /// Candidates and victims are two walks over lists that were written down before anything left.
    private func admitAsCaffeine(_ request: NaiveRequest) -> [ObjectID] {
        window.append(request.id, request.weight)
        if inBytes, weight >= capacity / 2 { filter.grow(residents.count) }
        var candidates: [ObjectID] = []
        while window.weight > windowLimit {
            let oldest = window.takeOldest()
            probation.append(oldest.id, oldest.weight)
            candidates.append(oldest.id)
        }
        candidates += window.ids
        var victims = probation.ids + protected.ids + window.ids
        var evicted: [ObjectID] = []
        func evict(_ id: ObjectID) {
            evicted.append(id)
            remove(id)
            candidates.removeAll { $0 == id }
            victims.removeAll { $0 == id }
        }
        let weights = Dictionary(
            uniqueKeysWithValues: (window.items + probation.items + protected.items).map { ($0.id, $0.weight) })
        while weight > capacity {
            let challenged = victims.first.flatMap { probation.contains($0) ? $0 : nil }
            if candidates.isEmpty {
                evict(victims[0])
            } else if let challenged, challenged != candidates[0] {
                let candidate = candidates.removeFirst()
                if weights[candidate]! > capacity || !filter.admits(candidate, challenged) {
                    evict(candidate)
                } else {
                    evict(challenged)
                }
            } else {
                // A candidate that is its own victim ends the walk over what left the window.
                let same = challenged != nil
                evict(candidates[0])
                if same { candidates = candidates.filter(window.contains) }
            }
        }
        return evicted
    }

    private func hit(_ id: ObjectID) -> Bool {
        if window.contains(id) {
            window.refresh(id)
        } else if protected.contains(id) {
            protected.refresh(id)
        } else if let object = probation.items.first(where: { $0.id == id }) {
            guard object.weight <= protectedLimit else {
                probation.refresh(id)
                return true
            }
            probation.take(id)
            protected.append(id, object.weight)
            while protected.weight > protectedLimit {
                let demoted = protected.takeOldest()
                probation.append(demoted.id, demoted.weight)
            }
        } else {
            return false
        }
        return true
    }
}
