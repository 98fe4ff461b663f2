package import CacheCore

/// A rule that every policy keeps to after every call; its raw value is the check that asks for it.
package enum PolicyRule: String, Sendable, CaseIterable {
    /// The residents weigh at most the capacity.
    case bound = "PLC-1"
    /// What is larger than the cache stays outside.
    case oversize = "PLC-2"
    /// What leaves for space is told once.
    case told = "PLC-3"
    /// A touch hits what is resident and changes nothing else.
    case touch = "PLC-4"
    /// An insertion says what is so.
    case entered = "PLC-5"
    /// `contains` has no effect.
    case silent = "PLC-6"
    /// `remove` takes one object away.
    case removal = "PLC-7"
    /// Count and weight are those of the residents.
    case counted = "PLC-8"
    /// What is told forgotten was held and is not resident.
    case forgotten = "PLC-9"
    /// Ghosts have a bound.
    case ghosts = "PLC-10"
}

/// Drives a policy and looks after every call whether it kept to the rules of all policies.
package struct PolicyAudit {
    /// A rule that was broken.
    package struct Finding: Sendable {
        /// The rule.
        package let rule: PolicyRule
        /// The step after which it showed.
        package let step: Int
        /// What was seen.
        package let text: String
    }

    private let policy: any SteppedPolicy
    private let capacity: Capacity
    private let objects: Int
    private let deviations: PolicyDeviations
    private let honoursExpiry: Bool
    /// Objects that entered and of which no departure was told, with their weights.
    private var admitted: [ObjectID: Int] = [:]
    /// Objects that were offered and are not told forgotten: residents, ghosts.
    private var held: Set<ObjectID> = []
    /// Those of them that were too large when they were offered last.
    private var refused: Set<ObjectID> = []
    /// When objects expire; nothing does unless the policy honours it.
    private var deadlines: [ObjectID: Int64] = [:]
    /// What has expired since the last insertion, and is to be told forgotten by the next.
    private var untold: Set<ObjectID> = []
    private let found = Findings()
    /// The first finding against each rule, in the order of the steps.
    package var findings: [Finding] { found.all }
    /// The number of the step that is audited.
    package var step = 0
    /// Requests that hit.
    package private(set) var hits = 0
    /// Objects that entered, those that were evicted at once among them.
    package private(set) var entries = 0
    /// Objects whose time was over.
    package private(set) var expirations = 0
    /// Objects that were told evicted.
    package private(set) var evictions = 0

    /// An audit of an empty policy over ids below `objects`.
    package init(
        _ policy: any SteppedPolicy, _ capacity: Capacity, objects: Int, excepting deviations: PolicyDeviations = [],
        honoursExpiry: Bool = false
    ) {
        self.policy = policy
        self.capacity = capacity
        self.objects = objects
        self.deviations = deviations
        self.honoursExpiry = honoursExpiry
    }

    /// Makes one request.
    package mutating func request(_ request: Request) {
        var before = residents()
        expect(before == residents(), .silent, "asked twice, contains gives two answers")
        for (id, deadline) in deadlines where deadline <= request.timeNanoseconds && before.contains(id) {
            before.remove(id)
            expire(id)
        }
        let hit = policy.touch(request)
        expect(
            hit == before.contains(request.id), .touch,
            "touch answered \(hit) for \(request.id), which is \(hit ? "not " : "")resident")
        let after = residents()
        if hit {
            hits += 1
            expect(after.contains(request.id), .touch, "a hit loses \(request.id)")
            if !deviations.contains(.evictsOnHit) { expect(after == before, .touch, "a hit changes what is resident") }
        } else {
            expect(after == before, .touch, "a touch that misses changes what is resident")
            insert(request, before: after)
        }
        checkState()
    }

    /// Removes an object.
    package mutating func remove(_ id: ObjectID) {
        var expected = residents()
        expected.remove(id)
        policy.remove(id)
        admitted[id] = nil
        deadlines[id] = nil
        held.remove(id)
        refused.remove(id)
        untold.remove(id)
        expect(residents() == expected, .removal, "remove of \(id) takes others away or leaves it")
        checkState()
    }

    private mutating func expire(_ id: ObjectID) {
        admitted[id] = nil
        deadlines[id] = nil
        untold.insert(id)
        expirations += 1
    }

    private mutating func insert(_ request: Request, before: Set<ObjectID>) {
        let weight = capacity.unit == .objects ? 1 : request.size
        var victims = VictimList()
        let entered = policy.insert(request, evicting: &victims)
        expect(
            entered == policy.contains(request.id), .entered,
            "insert answered \(entered) for \(request.id), which is \(entered ? "not " : "")resident")
        if deviations.contains(.isUnbounded) {
            expect(entered && victims.evicted.isEmpty, .entered, "\(request.id) does not enter or evicts, unbounded")
        } else if weight > capacity.amount {
            expect(!entered, .oversize, "\(request.id) weighs \(weight) and enters")
            // What a hit had pushed out may be told all the same.
            expect(
                deviations.contains(.passesOversize) || before.isDisjoint(with: victims.evicted), .oversize,
                "\(request.id) weighs \(weight) and evicts \(victims.evicted)")
        }
        noteEvicted(victims.evicted, newcomer: request.id)
        held.insert(request.id)
        if weight > capacity.amount { refused.insert(request.id) } else { refused.remove(request.id) }
        refused.subtract(victims.forgotten)
        for id in victims.forgotten {
            expect(held.remove(id) != nil, .forgotten, "\(id) is told forgotten and was not held")
            expect(!policy.contains(id), .forgotten, "\(id) is told forgotten and is resident")
        }
        if entered { enter(request, weight) }
        untold.remove(request.id)
        expect(untold.isDisjoint(with: held), .forgotten, "what expired is not told forgotten")
        untold = []
    }

    private mutating func enter(_ request: Request, _ weight: Int) {
        admitted[request.id] = weight
        entries += 1
        let life = request.timeToLiveNanoseconds
        deadlines[request.id] = honoursExpiry && life > 0 ? request.timeNanoseconds + life : nil
        expect(held.contains(request.id), .forgotten, "\(request.id) enters and is told forgotten")
    }

    /// The newcomer may be evicted as what it was before, if a hit had pushed it out, or as what it is now.
    private mutating func noteEvicted(_ evicted: [ObjectID], newcomer: ObjectID) {
        evictions += evicted.count
        for id in evicted {
            let left = admitted.removeValue(forKey: id) != nil
            deadlines[id] = nil
            expect(left || id == newcomer, .told, "\(id) is told evicted and was not resident")
            if !left { entries += 1 }
            if id != newcomer { expect(!policy.contains(id), .told, "\(id) is told evicted and is resident") }
        }
    }

    private func checkState() {
        if let failure = policy.failure {
            // It decides nothing any more: no rule can be asked further.
            for rule in PolicyRule.allCases { expect(false, rule, "the policy failed: \(failure.message)") }
        }
        let now = residents()
        let weight = now.reduce(0) { $0 + (admitted[$1] ?? 0) }
        // What a policy says of its weight is another rule's; without sizes that is all there is to go by.
        let heaviest =
            deviations.contains(.servesUncounted) ? policy.residentWeight : max(weight, policy.residentWeight)
        expect(
            deviations.contains(.isUnbounded) || heaviest <= capacity.amount, .bound,
            "the residents weigh \(heaviest) of \(capacity)")
        if !deviations.contains(.servesUncounted) {
            expect(
                policy.residentWeight == weight, .counted,
                "residentWeight is \(policy.residentWeight) and they weigh \(weight)")
            expect(
                policy.residentCount == now.count, .counted, "residentCount is \(policy.residentCount) of \(now.count)")
        }
        let stowaways = now.subtracting(admitted.keys)
        expect(stowaways.isEmpty, .told, "\(stowaways.sorted()) are resident and were told evicted or never entered")
        if !deviations.contains(.evictsOnHit) {
            let lost = Set(admitted.keys).subtracting(now)
            expect(lost.isEmpty, .told, "\(lost.sorted()) left without being told")
        }
        expect(now.isSubset(of: held), .forgotten, "something is resident that was told forgotten")
        if capacity.unit == .objects, !deviations.contains(.hasUnboundedGhosts) {
            expect(
                held.count <= now.count + 8 * capacity.amount + 8, .ghosts,
                "\(held.count - now.count) ids are held and not resident, at \(capacity)")
        }
        if !deviations.contains(.hasUnboundedGhosts), !deviations.contains(.isUnbounded) {
            expect(
                refused.count <= 8 * capacity.amount + 8, .ghosts,
                "\(refused.count) ids of objects that are too large are held, at \(capacity)")
        }
    }

    private func residents() -> Set<ObjectID> {
        var found: Set<ObjectID> = []
        for id in 0..<ObjectID(objects) where policy.contains(id) { found.insert(id) }
        return found
    }

    private func expect(_ holds: Bool, _ rule: PolicyRule, _ text: @autoclosure () -> String) {
        guard !holds, !found.all.contains(where: { $0.rule == rule }) else { return }
        found.all.append(Finding(rule: rule, step: step, text: text()))
    }

    private final class Findings {
        var all: [Finding] = []
    }
}
