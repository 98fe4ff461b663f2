import CacheCore

@testable import PolicySupport

/// LHD over an array of residents and dictionaries of what happened at each class and age.
final class NaiveLHD: NaiveModel {
    private struct Object {
        var id: ObjectID
        var weight: Int
        var time: Int
        /// The last two ages at a hit, nil for none.
        var ages: (last: Int, before: Int?) = (0, nil)
        var isExplorer = false
    }
    private struct Event: Hashable {
        var kind: Int
        var age: Int
    }
    private let capacity: Int
    private let parameters: ParameterValues
    private let ages: Int
    private var generator = WyrandGenerator(seed: 1)
    private var isUnit = true
    private var unitOfAge = 1
    private var objects: [Object] = []
    private var hits: [Event: Float] = [:]
    private var evictions: [Event: Float] = [:]
    private var densities: [Event: Float]?
    private var admitted: [ObjectID?]
    private var admissions = 0
    private var average: Float = 0
    private var now = 0
    private var hasEvicted = false

    required init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        self.parameters = parameters
        ages = parameters.integer("ages")
        admitted = Array(repeating: nil, count: parameters.integer("admissions"))
    }

    func setUnit(_ unit: Capacity.Unit, residentLimit: Int) {
        isUnit = unit == .objects
        unitOfAge = unitOfAge(for: residentLimit)
    }

    var residents: [ObjectID] { objects.map(\.id) }
    var ghosts: [ObjectID] { [] }
    private var budget: Int {
        Int(Double(capacity) * parameters.number("explorers"))
            - objects.filter(\.isExplorer).reduce(0) { $0 + $1.weight }
    }

    func remove(_ id: ObjectID) {
        guard let place = objects.firstIndex(where: { $0.id == id }) else { return }
        objects[place] = objects[objects.count - 1]
        objects.removeLast()
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        if let place = objects.firstIndex(where: { $0.id == request.id }) {
            let age = age(objects[place])
            hits[Event(kind: kind(objects[place]), age: age), default: 0] += 1
            objects[place].ages = (age, objects[place].ages.before == nil ? 0 : objects[place].ages.last)
            if objects[place].ages.before == nil { objects[place].ages.before = 0 }
            explore(place)
            passTime()
            return NaiveStep(hit: true)
        }
        var step = NaiveStep(hit: false)
        guard request.weight <= capacity else { return step }
        while objects.reduce(0, { $0 + $1.weight }) + request.weight > capacity { step.evicted.append(evict()) }
        objects.append(Object(id: request.id, weight: request.weight, time: now))
        explore(objects.count - 1)
        if !admitted.isEmpty, !objects.last!.isExplorer, rank(objects.last!) < average {
            admitted[admissions % admitted.count] = request.id
            admissions += 1
        }
        passTime()
        return step
    }

    private func unitOfAge(for count: Int) -> Int {
        var unit = 1
        while unit * ages < 100 * count { unit *= 2 }
        return unit
    }

    private func explore(_ place: Int) {
        objects[place].time = now
        objects[place].isExplorer = false
        if budget > 0 { objects[place].isExplorer = generator.next(below: 32) == 0 }
    }

    private func passTime() {
        now += 1
        if now.isMultiple(of: parameters.integer("interval")) { renew() }
    }

    private func age(_ object: Object) -> Int { min((now - object.time) / unitOfAge, ages - 1) }

    /// How often the sum of the last ages can be doubled before it is at least the number of ages.
    private func kind(_ object: Object) -> Int {
        guard let before = object.ages.before else { return 0 }
        var (sum, doublings) = (object.ages.last + before, 0)
        if sum == 0 { return 15 }
        while sum < ages {
            sum *= 2
            doublings += 1
        }
        return min(doublings, 15)
    }

    private func rank(_ object: Object) -> Float {
        let (age, kind) = (age(object), kind(object))
        if age == ages - 1 { return -1 }
        let initial = Float(kind + 1) / Float(age + 1)
        let density = densities == nil ? initial : densities![Event(kind: kind, age: age), default: 0]
        let bonus: Float = object.isExplorer ? 1 : 0
        return (isUnit ? density : object.weight == 0 ? .infinity : density / Float(object.weight)) + bonus
    }

    private func evict() -> ObjectID {
        if !hasEvicted, !isUnit { tune() }
        hasEvicted = true
        var places: [UInt32] = []
        while places.count < parameters.integer("associativity") {
            let (first, second) = generator.nextPair(below: UInt32(objects.count))
            places += [first, second]
        }
        var candidates = places.prefix(parameters.integer("associativity")).map { objects[Int($0)] }
        candidates += admitted.compactMap { id in objects.first { $0.id == id } }
        var victim = candidates[0]
        for candidate in candidates where rank(candidate) < rank(victim) { victim = candidate }
        if rank(victim) >= 0, rank(victim).isFinite { average = 0.9 * average + (1 - Float(0.9)) * rank(victim) }
        evictions[Event(kind: kind(victim), age: age(victim)), default: 0] += 1
        remove(victim.id)
        return victim.id
    }

    private func tune() {
        let unit = unitOfAge(for: objects.count)
        guard unit != unitOfAge else { return }
        func rescaled(_ age: Int) -> Int { age >= ages ? age : min(age * unitOfAge / unit, ages - 1) }
        for place in objects.indices {
            let known = objects[place].ages
            objects[place].ages = (rescaled(known.last), known.before.map(rescaled))
        }
        unitOfAge = unit
        hits = [:]
        evictions = [:]
    }

    private func renew() {
        for event in hits.keys { hits[event]! *= 0.9 }
        for event in evictions.keys { evictions[event]! *= 0.9 }
        densities = [:]
        for kind in 0..<16 where (hits.keys.contains { $0.kind == kind } || evictions.keys.contains { $0.kind == kind })
        {
            var (later, all, time) = (0.0, 0.0, 0.0)
            for age in (0..<ages).reversed() {
                let event = Event(kind: kind, age: age)
                later += Double(hits[event] ?? 0)
                all += Double(hits[event] ?? 0) + Double(evictions[event] ?? 0)
                time += all
                if all > 1e-5 { densities![event] = Float(later / time) }
            }
        }
    }
}
