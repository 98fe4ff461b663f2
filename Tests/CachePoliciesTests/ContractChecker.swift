import CacheCore

/// Drives a policy and checks after every call what every policy must keep to.
struct ContractChecker {
    private let policy: any SteppedPolicy
    private let capacity: Capacity
    private let objects: Int
    private let exceptions: ContractExceptions
    /// Objects that entered and of which no departure was reported, with their weights.
    private var admitted: [ObjectID: Int] = [:]
    /// Objects that were offered and are not reported forgotten: residents, ghosts.
    private var held: Set<ObjectID> = []
    private let findings = Findings()
    /// What was broken, in words: the first few.
    var violations: [String] { findings.texts }
    /// When objects expire; nothing does unless the policy honours it.
    private var deadlines: [ObjectID: Int64] = [:]
    /// What has expired since the last insertion, and is to be reported forgotten by the next.
    private var unreported: Set<ObjectID> = []
    private let honoursExpiry: Bool
    private(set) var hits = 0
    /// Objects that entered, those that were evicted at once among them.
    private(set) var entries = 0
    private(set) var expirations = 0
    private(set) var evictions = 0

    init(
        _ policy: any SteppedPolicy, _ capacity: Capacity, objects: Int, excepting exceptions: ContractExceptions = [],
        honoursExpiry: Bool = false
    ) {
        self.honoursExpiry = honoursExpiry
        self.policy = policy
        self.capacity = capacity
        self.objects = objects
        self.exceptions = exceptions
    }

    mutating func request(_ request: Request) {
        var before = residents()
        expect(before == residents(), "contains changes something")
        for (id, deadline) in deadlines where deadline <= request.timeNanoseconds && before.contains(id) {
            before.remove(id)
            expire(id)
        }
        let hit = policy.touch(request)
        expect(hit == before.contains(request.id), "touch and contains disagree about \(request.id)")
        if hit {
            hits += 1
            expect(policy.contains(request.id), "a hit loses \(request.id)")
            if !exceptions.contains(.evictsOnHit) { expect(residents() == before, "a hit changes what is resident") }
        } else {
            expect(residents() == before, "a missed touch changes what is resident")
            insert(request)
        }
        checkState()
    }

    private mutating func expire(_ id: ObjectID) {
        admitted[id] = nil
        deadlines[id] = nil
        unreported.insert(id)
        expirations += 1
    }

    mutating func remove(_ id: ObjectID) {
        var expected = residents()
        expected.remove(id)
        policy.remove(id)
        admitted[id] = nil
        deadlines[id] = nil
        held.remove(id)
        unreported.remove(id)
        expect(residents() == expected, "remove of \(id) touches others or leaves it")
        checkState()
    }

    private mutating func insert(_ request: Request) {
        let weight = capacity.unit == .objects ? 1 : request.size
        let before = residents()
        var victims = VictimList()
        let entered = policy.insert(request, evicting: &victims)
        expect(entered == policy.contains(request.id), "insert and contains disagree about \(request.id)")
        if exceptions.contains(.isUnbounded) {
            expect(entered && victims.evicted.isEmpty, "\(request.id) does not enter or evicts, whatever the capacity")
        } else if weight > capacity.amount {
            expect(!entered, "\(request.id) is larger than the cache and enters")
            // What a hit had pushed out may be reported all the same.
            expect(
                exceptions.contains(.passesOversize) || before.isDisjoint(with: victims.evicted),
                "\(request.id) is larger than the cache and evicts")
        }
        evictions += victims.evicted.count
        // The newcomer may be evicted as what it was before, if a hit had pushed it out, or as what it is now.
        for id in victims.evicted {
            let left = admitted.removeValue(forKey: id) != nil
            deadlines[id] = nil
            expect(left || id == request.id, "\(id) is evicted but was not resident")
            if !left { entries += 1 }
            if id != request.id { expect(!policy.contains(id), "\(id) is evicted but still resident") }
        }
        held.insert(request.id)
        for id in victims.forgotten {
            expect(held.remove(id) != nil, "\(id) is forgotten but was not held")
            expect(!policy.contains(id), "\(id) is forgotten but still resident")
        }
        if entered {
            admitted[request.id] = weight
            entries += 1
            let life = request.timeToLiveNanoseconds
            deadlines[request.id] = honoursExpiry && life > 0 ? request.timeNanoseconds + life : nil
        }
        unreported.remove(request.id)
        expect(unreported.isDisjoint(with: held), "what expired is not reported forgotten")
        unreported = []
        expect(entered == false || held.contains(request.id), "\(request.id) is resident but reported forgotten")
    }

    private func checkState() {
        let now = residents()
        let weight = now.reduce(0) { $0 + (admitted[$1] ?? 0) }
        let fits = exceptions.contains(.isUnbounded) || policy.residentWeight <= capacity.amount
        expect(fits, "\(policy.residentWeight) is more than \(capacity)")
        if !exceptions.contains(.servesUncounted) {
            expect(policy.residentWeight == weight, "weight \(policy.residentWeight) instead of \(weight)")
            expect(policy.residentCount == now.count, "count \(policy.residentCount) instead of \(now.count)")
        }
        expect(now.isSubset(of: admitted.keys), "something is resident that did not enter")
        if !exceptions.contains(.evictsOnHit) { expect(now.count == admitted.count, "something left without a report") }
        expect(now.isSubset(of: held), "something is resident that is forgotten")
        if capacity.unit == .objects, !exceptions.contains(.hasUnboundedGhosts) {
            expect(held.count <= now.count + 8 * capacity.amount + 8, "\(held.count) ids are held: ghosts leak")
        }
    }

    private func residents() -> Set<ObjectID> {
        var found: Set<ObjectID> = []
        for id in 0..<ObjectID(objects) where policy.contains(id) { found.insert(id) }
        return found
    }

    private func expect(_ holds: Bool, _ text: @autoclosure () -> String) {
        if !holds, findings.texts.count < 10 { findings.texts.append(text()) }
    }

    private final class Findings {
        var texts: [String] = []
    }
}

/// What a policy may do that the contract forbids to all others.
struct ContractExceptions: OptionSet {
    let rawValue: Int
    /// A hit may push objects out, which the next insertion then reports.
    static let evictsOnHit = ContractExceptions(rawValue: 1)
    /// It ignores the capacity, as only a bound may.
    static let isUnbounded = ContractExceptions(rawValue: 2)
    /// Its ghosts have no bound.
    static let hasUnboundedGhosts = ContractExceptions(rawValue: 4)
    /// It serves objects that it does not count.
    static let servesUncounted = ContractExceptions(rawValue: 8)
    /// An object larger than the cache may push others out before it leaves itself.
    static let passesOversize = ContractExceptions(rawValue: 16)
}
