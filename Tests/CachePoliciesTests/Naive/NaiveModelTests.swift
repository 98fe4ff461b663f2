import CacheCore
import CachePolicies
import Foundation
import Testing
import _CacheTestSupport

/// Each policy against its naive model, request by request: hit or miss, victims, residents and ghosts.
@Suite("Policies against their naive models")
struct NaiveModelTests {
    static let traces = RandomTraces.all(length: 7, objects: 4)
    static let capacities: [Capacity] = [.objects(4), .objects(20), .bytes(7), .bytes(40), .bytes(150)]

    @Test(arguments: modelled)
    func `agrees on every short trace`(_ text: String) throws {
        let call = try PolicyCall(text)
        #expect(Self.traces.count == 715)
        for capacity in Thoroughness.share(of: 1...5, every: 2) {
            for ids in Thoroughness.share(of: Self.traces, every: 11) {
                let trace = TestTrace(ids: ids, costs: ids.map { Double($0 % 3) })
                let difference = try Self.difference(call, .objects(capacity), trace, removing: false)
                if let difference {
                    Issue.record("\(text) @ \(capacity) on \(ids): \(difference)")
                    return
                }
            }
        }
    }

    @Test(arguments: modelled)
    func `agrees on random traces with removals`(_ text: String) throws {
        let call = try PolicyCall(text)
        for seed in Thoroughness.share(of: 0..<10, every: 7) {
            for capacity in Self.capacities where call.entry.isApplicable(to: capacity.unit) {
                let trace = RandomTraces.trace(seed: UInt64(seed), requests: 300, objects: 50)
                let difference = try Self.difference(call, capacity, trace, removing: seed % 2 == 1)
                if let difference {
                    Issue.record("\(text) @ \(capacity), seed \(seed): \(difference)")
                    return
                }
            }
        }
    }

    @Test(arguments: modelled)
    func `agrees when sizes change between requests`(_ text: String) throws {
        let call = try PolicyCall(text)
        guard call.entry.isApplicable(to: .bytes) else { return }
        for seed in Thoroughness.share(of: 0..<6, every: 5) {
            let trace = RandomTraces.trace(
                seed: UInt64(seed), requests: 250, objects: 40, smallestSize: seed % 4, changing: true)
            for capacity in Thoroughness.share(of: [1, 2, 3, 7, 13, 29, 64], every: 2) {
                let difference = try Self.difference(call, .bytes(capacity), trace, removing: seed % 2 == 1)
                if let difference {
                    Issue.record("\(text) @ \(capacity) bytes, seed \(seed): \(difference)")
                    return
                }
            }
        }
    }

    /// The calls of policies that have a model.
    private static let modelled = PolicyCall.all.filter { text in
        (try? PolicyCall(text)).map { models[modelName($0.entry)] != nil } ?? true
    }

    private static func modelName(_ entry: PolicyEntry) -> String { entry.presetOf ?? entry.descriptor.name }

    /// A model that is not in the list below would compare nothing. A policy may do without one, and is named.
    @Test func `each model has its line, and each line a policy`() throws {
        let folder = SharedFolder.packageRoot.appending(path: "Tests/CachePoliciesTests/Naive").path
        let texts = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }.map {
            try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
        }
        let declared = texts.joined().matches(of: /final class (Naive\w+): Naive/).map { String($0.1) }
        let used = Set(Self.models.values.map { "\($0)" })
        #expect(declared.count > 50)
        #expect(declared.filter { !used.contains($0) && $0 != "NaiveReferenceWTinyLFU" } == [])
        let policies = Set(BuiltinPolicies.all.map(\.descriptor.name))
        #expect(Self.models.keys.filter { !policies.contains($0) } == [])
        for entry in BuiltinPolicies.all where !entry.isBound && Self.models[Self.modelName(entry)] == nil {
            let name = entry.descriptor.name
            Issue.record(
                "\(name) has no naive model to be compared with. Write one in Naive/ and add to models: \"\(name)\": Naive….self,",
                severity: .warning)
        }
    }

    /// The comparison must see a policy that is not the model's.
    @Test func `tells LRU from FIFO`() throws {
        let lru = try PolicyCall("lru")
        let trace = TestTrace(ids: [0, 1, 0, 2, 0])
        let objects = ObjectSpace(count: 3)
        let model = NaiveFIFO(capacity: 2, parameters: lru.parameters)
        #expect(try Self.difference(lru.open(.objects(2), objects), model, .objects(2), trace, removing: false) != nil)
    }

    /// What differs first, nil if nothing does.
    static func difference(
        _ call: PolicyCall, _ capacity: Capacity, _ trace: TestTrace, removing: Bool
    ) throws -> String? {
        let objects = ObjectSpace(count: trace.objectCount, smallestSize: trace.smallestSize)
        let policy = try call.open(capacity, objects)
        let model = try naiveModel(call, call.configuration(capacity, objects))
        // Which of several objects without a future leaves is free, so victims are not compared one to one.
        if call.entry.descriptor.name == "belady" {
            let second = try call.open(capacity, objects)
            return victimDifference(policy, capacity, trace)
                ?? (capacity.unit == .objects ? hitDifference(second, model, trace) : nil)
        }
        return difference(policy, model, capacity, trace, removing: removing)
    }

    /// Whether each victim was among those with the farthest next use, and none left that need not.
    private static func victimDifference(
        _ policy: any SteppedPolicy, _ capacity: Capacity, _ trace: TestTrace
    ) -> String? {
        var residents: [ObjectID: (weight: Int, next: Int)] = [:]
        for request in trace.requests {
            let weight = capacity.unit == .objects ? 1 : request.size
            if policy.touch(request) {
                residents[request.id]?.next = request.nextIndex
                continue
            }
            var victims = VictimList()
            let entered = policy.insert(request, evicting: &victims)
            for victim in victims.evicted {
                let held = residents.values.reduce(0) { $0 + $1.weight }
                if held + weight <= capacity.amount { return "request \(request.index): \(victim) left without need" }
                let farthest = residents.values.map(\.next).max()
                if residents.removeValue(forKey: victim)?.next != farthest {
                    return "request \(request.index): \(victim) is not the farthest"
                }
            }
            if entered { residents[request.id] = (weight, request.nextIndex) }
        }
        return nil
    }

    private static func hitDifference(
        _ policy: any SteppedPolicy, _ model: any NaiveModel, _ trace: TestTrace
    ) -> String? {
        var victims = VictimList()
        for request in trace.requests {
            let hit = policy.touch(request)
            if !hit { _ = policy.insert(request, evicting: &victims) }
            let step = model.access(NaiveRequest(id: request.id, weight: 1, next: request.nextIndex))
            if step.hit != hit { return "request \(request.index): hit \(hit) instead of \(step.hit)" }
        }
        return nil
    }

    private static func difference(
        _ policy: any SteppedPolicy, _ model: any NaiveModel, _ capacity: Capacity, _ trace: TestTrace, removing: Bool
    ) -> String? {
        var generator = SeededGenerator(seed: 5)
        let objects = SmallSet(0..<ObjectID(trace.objectCount))
        var held = SmallSet()
        for request in trace.requests {
            var victims = VictimList()
            let hit = policy.touch(request)
            if !hit { _ = policy.insert(request, evicting: &victims) }
            held.formUnion([request.id])
            held.subtract(SmallSet(victims.forgotten))
            let weight = capacity.unit == .objects ? 1 : request.size
            let step = model.access(
                NaiveRequest(id: request.id, weight: weight, next: request.nextIndex, cost: request.cost))
            let ours = NaiveStep(hit: hit, evicted: victims.evicted)
            if ours != step { return "request \(request.index) of \(request.id): \(ours) instead of \(step)" }
            if removing, generator.next(below: 8) == 0 {
                let id = ObjectID(generator.next(below: trace.objectCount))
                policy.remove(id)
                model.remove(id)
                held.subtract([id])
            }
            let residents = objects.filter(policy.contains)
            let expected = SmallSet(model.residents)
            if residents != expected {
                return "after request \(request.index): \(residents) resident instead of \(expected)"
            }
            if held != expected.union(SmallSet(model.ghosts)) {
                return "after request \(request.index): \(held) held, ghosts are \(model.ghosts)"
            }
        }
        return nil
    }

    private static func naiveModel(_ call: PolicyCall, _ configuration: PolicyConfiguration) throws -> any NaiveModel {
        let name = modelName(call.entry)
        let capacity = configuration.capacity.amount
        if name == "w-tinylfu", call.parameters.text("dialect") == "libcachesim" {
            return NaiveReferenceWTinyLFU(configuration)
        }
        let model = try #require(models[name], "\(name) has no naive model: write one in Naive/")
        if let model = model as? any NaiveConfiguredModel.Type { return model.init(configuration) }
        let made = model.init(capacity: capacity, parameters: call.parameters)
        (made as? NaiveLeCaR)?.setUnit(configuration.capacity.unit)
        (made as? NaiveLHD)?.setUnit(configuration.capacity.unit, residentLimit: configuration.residentLimit)
        return made
    }

    private static var models: [String: any NaiveModel.Type] {
        [
            "fifo": NaiveFIFO.self, "lru": NaiveLRU.self, "mru": NaiveMRU.self,
            "lfu": NaiveLFU.self, "mfu": NaiveMFU.self, "lru-k": NaiveLRUK.self,
            "camp": NaiveCAMP.self, "gd-wheel": NaiveGDWheel.self, "gdsf": NaiveGDSF.self, "lfuda": NaiveLFUDA.self,
            "sieve": NaiveSIEVE.self, "clock": NaiveClock.self, "random": NaiveRandom.self, "slru": NaiveSLRU.self,
            "2q": NaiveTwoQ.self, "s3fifo": NaiveS3FIFO.self, "arc": NaiveARC.self, "belady": NaiveBelady.self,
            "lifo": NaiveLIFO.self, "lru-prob": NaiveLRUProb.self, "infinite": NaiveInfinite.self,
            "size": NaiveSize.self, "cheapest-first": NaiveCheapestFirst.self,
            "larc": NaiveLARC.self, "lrfu": NaiveLRFU.self, "s3lru": NaiveS3LRU.self, "nop": NaiveNOP.self,
            "tiny-cache": NaiveTinyCache.self,
            "sampled-lru": NaiveSampledLRU.self,
            "sampled-mru": NaiveSampledMRU.self, "sampled-fifo": NaiveSampledFIFO.self,
            "sampled-lfu": NaiveSampledLFU.self, "sampled-mfu": NaiveSampledMFU.self,
            "hyperbolic": NaiveHyperbolic.self,
            "car": NaiveCAR.self, "cart": NaiveCART.self, "clock-pro": NaiveClockPro.self,
            "clock-pro-plus": NaiveClockProPlus.self,
            "clock-pro-simple": NaiveClockProSimple.self,
            "cacheus": NaiveCacheus.self,
            "lecar": NaiveLeCaR.self,
            "lhd": NaiveLHD.self,
            "lirs": NaiveLIRS.self, "lirs2": NaiveLIRS2.self,
            "frd": NaiveFRD.self, "dclock": NaiveDClock.self,
            "mq": NaiveMQ.self, "tuqueue": NaiveTuQueue.self, "qdlp": NaiveQDLP.self,
            "clock2q-plus": NaiveClock2QPlus.self, "s3fifo-d": NaiveS3FIFOD.self,
            "fifo-merge": NaiveFIFOMerge.self, "belady-size": NaiveBeladySize.self,
            "w-tinylfu": NaiveWTinyLFU.self, "s4-w-tinylfu": NaiveS4WTinyLFU.self,
            "fully-segmented-w-tinylfu": NaiveFullySegmentedWTinyLFU.self,
            "random-w-tinylfu": NaiveRandomWTinyLFU.self, "feedback-tinylfu": NaiveFeedbackTinyLFU.self,
            "feedback-w-tinylfu": NaiveFeedbackWTinyLFU.self,
            "hill-climber-w-tinylfu": NaiveHillClimberWTinyLFU.self,
        ]
    }
}
