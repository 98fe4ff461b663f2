import CacheCore

/// Requests and removals for a policy of some capacity, which can be made again on a new one.
struct PolicyTrial: Sendable, Hashable {
    /// One call.
    enum Step: Sendable, Hashable {
        /// A touch, and after a miss an insertion.
        case request(Request)
        /// A removal.
        case remove(ObjectID)
    }

    let capacity: Capacity
    /// The calls, whose requests carry their numbers and those of the next requests for their objects.
    private(set) var steps: [Step]

    /// A trial whose requests are numbered.
    init(_ capacity: Capacity, _ steps: [Step]) {
        self.capacity = capacity
        self.steps = Self.numbered(steps)
    }

    /// The ids are below this number.
    var objectCount: Int {
        steps.reduce(0) { most, step in
            switch step {
            case .request(let request): max(most, Int(request.id) + 1)
            case .remove(let id): max(most, Int(id) + 1)
            }
        }
    }

    var requests: [Request] {
        steps.compactMap { step in
            if case .request(let request) = step { request } else { nil }
        }
    }

    func configuration(_ parameters: ParameterValues, seed: UInt64) -> PolicyConfiguration {
        PolicyConfiguration(
            capacity: capacity,
            objects: ObjectSpace(count: max(1, objectCount), smallestSize: requests.map(\.size).min() ?? 1),
            parameters: parameters, seed: seed)
    }

    private static func numbered(_ steps: [Step]) -> [Step] {
        var steps = steps
        var index = steps.count { if case .request = $0 { true } else { false } }
        var next: [ObjectID: Int] = [:]
        for place in steps.indices.reversed() {
            guard case .request(var request) = steps[place] else { continue }
            index -= 1
            request.index = index
            request.nextIndex = next[request.id] ?? Request.never
            next[request.id] = index
            steps[place] = .request(request)
        }
        return steps
    }

    /// The calls in words, for a reproducer.
    var words: [String] {
        ["open it for \(capacity) and ids 0..<\(objectCount)"]
            + steps.map { step in
                switch step {
                case .request(let request) where capacity.unit == .objects: "request \(request.id)"
                case .request(let request): "request \(request.id), \(request.size) bytes"
                case .remove(let id): "remove \(id)"
                }
            }
    }

    /// The smallest trial that was found for which `fails` still says what went wrong.
    func shrunk<Failure>(_ failure: Failure, while fails: (PolicyTrial) -> Failure?) -> (PolicyTrial, Failure) {
        var best = (trial: self, failure: failure)
        var chunk = max(1, steps.count / 2)
        while true {
            var start = 0
            var hasDropped = false
            while start < best.trial.steps.count {
                var rest = best.trial.steps
                rest.removeSubrange(start..<min(start + chunk, rest.count))
                let candidate = PolicyTrial(capacity, rest)
                if let failure = fails(candidate) {
                    best = (candidate, failure)
                    hasDropped = true
                } else {
                    start += chunk
                }
            }
            if chunk == 1, !hasDropped { return best }
            chunk = max(1, chunk / 2)
        }
    }
}

extension PolicyTrial {
    /// Trials at the edges and between them: room for one, two and three, for some, and for all; with sizes that stay and sizes that
    /// change, of zero bytes and of gigabytes too, in some one object that is larger than the cache and in one all; half of them with removals.
    static func standard(for entry: PolicyEntry, seed: UInt64) -> [PolicyTrial] {
        var trials: [PolicyTrial] = []
        for (number, amount) in [1, 2, 3, 7, 16, 1_000].enumerated() {
            let mixed = mix64(seed &+ UInt64(number))
            trials.append(
                random(.objects(amount), seed: mixed, isUniform: number % 3 == 0, isRemoving: number % 2 == 1))
            guard entry.isApplicable(to: .bytes) else { continue }
            trials.append(
                random(.bytes(amount), seed: mixed ^ 1, smallestSize: number % 3, isRemoving: number % 2 == 0))
            trials.append(
                random(
                    .bytes(amount * 3), seed: mixed ^ 2, smallestSize: number % 2, isChanging: true,
                    isRemoving: number % 3 == 1))
        }
        if entry.isApplicable(to: .bytes) {
            // Residents that weigh more together than 32 bits say, which is what a size may have.
            let unit = 400_000_000
            trials.append(random(.bytes(20 * unit), seed: mix64(seed) ^ 9, isRemoving: true, unit: unit))
            // So many that are larger than the cache that ids without a bound show.
            let large = (0..<40).map { Step.request(Request(id: ObjectID($0), size: 10)) }
            trials.append(PolicyTrial(.bytes(1), large))
        }
        // So many more ids than room that ghosts without a bound show. The last, because what fails here alone takes long to show.
        trials.append(random(.objects(3), seed: mix64(seed) ^ 7, objects: 90, isUniform: true))
        return trials
    }

    /// Seeded requests for a few hot objects, many cold ones, and runs of new ones. Sizes are multiples of a unit.
    static func random(
        _ capacity: Capacity, seed: UInt64, requests: Int = 150, objects: Int = 26, smallestSize: Int = 1,
        isUniform: Bool = false, isChanging: Bool = false, isRemoving: Bool = false, unit: Int = 1
    ) -> PolicyTrial {
        var generator = SeededGenerator(seed: seed)
        var ids: [ObjectID] = []
        var scan = 0
        while ids.count < requests {
            switch generator.next(below: 8) {
            case 0: ids.append(ObjectID(generator.next(below: objects)))
            case 1:
                for _ in 0..<5 {
                    ids.append(ObjectID(scan % objects))
                    scan += 1
                }
            default: ids.append(ObjectID(generator.next(below: generator.next(below: objects / 4) + 1)))
            }
        }
        var sizes = (0..<objects).map { _ in smallestSize + generator.next(below: 9) }
        sizes[objects / 2] = 1_000_000
        var steps: [Step] = []
        for id in ids {
            let size = isUniform ? 1 : isChanging ? smallestSize + generator.next(below: 9) : sizes[Int(id)]
            let cost = [1, 0, 0.25, 3, 40, 70_000][generator.next(below: 6)]
            steps.append(.request(Request(id: id, size: min(size * unit, Int(UInt32.max)), cost: cost)))
            if isRemoving, generator.next(below: 10) == 0 {
                steps.append(.remove(ObjectID(generator.next(below: objects))))
            }
        }
        return PolicyTrial(capacity, steps)
    }

    /// The requests of ``long(seed:)``: more than a replay makes before it lets a policy exchange blocks.
    static let longCount = 66_000

    /// Requests of one size for many rounds at a capacity that is soon full.
    static func long(seed: UInt64) -> PolicyTrial {
        let round = random(.objects(9), seed: mix64(seed) ^ 13, requests: 600, isUniform: true).steps
        return PolicyTrial(.objects(9), (0..<(longCount / round.count + 1)).flatMap { _ in round })
    }
}
