import CacheCore

/// Drives a policy and checks after every call what every policy must keep to.
struct ContractChecker {
    private let policy: any SteppedPolicy
    private let capacity: Capacity
    private let objects: Int
    /// Whether a hit may push objects out, which the next insertion then reports.
    private let evictsOnHit: Bool
    /// Objects that entered and of which no departure was reported, with their weights.
    private var admitted: [ObjectID: Int] = [:]
    /// Objects that were offered and are not reported forgotten: residents, ghosts.
    private var held: Set<ObjectID> = []
    private let findings = Findings()
    /// What was broken, in words: the first few.
    var violations: [String] { findings.texts }
    private(set) var hits = 0
    private(set) var evictions = 0

    init(_ policy: any SteppedPolicy, _ capacity: Capacity, objects: Int, evictsOnHit: Bool = false) {
        self.policy = policy
        self.capacity = capacity
        self.objects = objects
        self.evictsOnHit = evictsOnHit
    }

    mutating func request(_ request: Request) {
        let before = residents()
        expect(before == residents(), "contains changes something")
        let hit = policy.touch(request)
        expect(hit == before.contains(request.id), "touch and contains disagree about \(request.id)")
        if hit {
            hits += 1
            expect(policy.contains(request.id), "a hit loses \(request.id)")
            if !evictsOnHit { expect(residents() == before, "a hit changes what is resident") }
        } else {
            expect(residents() == before, "a missed touch changes what is resident")
            insert(request)
        }
        checkState()
    }

    mutating func remove(_ id: ObjectID) {
        var expected = residents()
        expected.remove(id)
        policy.remove(id)
        admitted[id] = nil
        held.remove(id)
        expect(residents() == expected, "remove of \(id) touches others or leaves it")
        checkState()
    }

    private mutating func insert(_ request: Request) {
        let weight = capacity.unit == .objects ? 1 : request.size
        var victims = VictimList()
        let entered = policy.insert(request, evicting: &victims)
        expect(entered == policy.contains(request.id), "insert and contains disagree about \(request.id)")
        if weight > capacity.amount {
            expect(!entered, "\(request.id) is larger than the cache and enters")
            expect(victims.evicted.isEmpty, "\(request.id) is larger than the cache and evicts")
        }
        evictions += victims.evicted.count
        // The newcomer may be evicted as what it was before, if a hit had pushed it out, or as what it is now.
        for id in victims.evicted {
            let left = admitted.removeValue(forKey: id) != nil
            expect(left || id == request.id, "\(id) is evicted but was not resident")
            if id != request.id { expect(!policy.contains(id), "\(id) is evicted but still resident") }
        }
        held.insert(request.id)
        for id in victims.forgotten {
            expect(held.remove(id) != nil, "\(id) is forgotten but was not held")
            expect(!policy.contains(id), "\(id) is forgotten but still resident")
        }
        if entered { admitted[request.id] = weight }
        expect(entered == false || held.contains(request.id), "\(request.id) is resident but reported forgotten")
    }

    private func checkState() {
        let now = residents()
        let weight = now.reduce(0) { $0 + (admitted[$1] ?? 0) }
        expect(policy.residentWeight <= capacity.amount, "\(policy.residentWeight) is more than \(capacity)")
        expect(policy.residentWeight == weight, "weight \(policy.residentWeight) instead of \(weight)")
        expect(policy.residentCount == now.count, "count \(policy.residentCount) instead of \(now.count)")
        expect(now.isSubset(of: admitted.keys), "something is resident that did not enter")
        if !evictsOnHit { expect(now.count == admitted.count, "something left without a report") }
        expect(now.isSubset(of: held), "something is resident that is forgotten")
        if capacity.unit == .objects {
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
