import CacheCore
import CachePolicies

@testable import CacheHarness

/// What an exhaustive search over policies and capacities says: obvious and slow.
struct BruteForce {
    /// One policy at one capacity.
    struct Cell: Equatable {
        var policy: Int
        var capacity: Int
        var value: Int
    }

    let order: AdviceOrder
    let trace: SweepTrace
    let totals: TraceTotals
    /// By policy, the hits or bytes hit at capacities from 1 on.
    let values: [[Int]]

    init(_ order: AdviceOrder, _ trace: SweepTrace) throws {
        self.order = order
        self.trace = trace
        totals = TraceTotals(trace.columns)
        let largest = order.capacityUnit == .objects ? trace.description.objects : trace.description.footprintBytes
        values = try order.policies.map { policy in
            try (1...largest).map { capacity in
                let counts = try policy.entry.simulate(
                    trace.columns,
                    PolicyConfiguration(
                        capacity: Capacity(capacity, order.capacityUnit), objects: trace.columns.objects,
                        parameters: policy.parameters, seed: order.seed))
                return order.metric == .hitRatio ? counts?.hits ?? 0 : counts?.bytesHit ?? 0
            }
        }
    }

    /// The least capacity of a policy with as many hits, up to a ceiling.
    func least(_ policy: Int, _ needed: Int, upTo ceiling: Int = .max) -> Cell? {
        values[policy].firstIndex { $0 >= needed }.map { $0 + 1 }.flatMap { capacity in
            capacity <= ceiling ? Cell(policy: policy, capacity: capacity, value: values[policy][capacity - 1]) : nil
        }
    }

    /// The answer: at the least capacity, with the most hits there, of the first policy.
    func choice(_ needed: Int, upTo ceiling: Int = .max) -> Cell? {
        values.indices.compactMap { least($0, needed, upTo: ceiling) }
            .min { ($0.capacity, -$0.value, $0.policy) < ($1.capacity, -$1.value, $1.policy) }
    }

    /// The answer to the order.
    var answer: Cell? {
        switch order.goal {
        case .target(let target):
            let needed = totals.needed(for: target, order.metric)
            return choice(needed) ?? choice(values.joined().max() ?? 0)
        case .budget(let request):
            let budget = request.resolved(
                footprintObjects: trace.description.objects, footprintBytes: trace.description.footprintBytes
            ).amount
            return choice(values.flatMap { $0.prefix(budget) }.max() ?? 0, upTo: budget)
        }
    }

    /// What is wrong with some advice; empty if it is the best there is.
    func problems(_ advice: Advice) -> [String] {
        guard let expected = answer, let choice = advice.choice else { return ["no choice"] }
        var problems: [String] = []
        let text = order.policies[expected.policy].text
        if choice.selection != text || choice.capacity != expected.capacity {
            problems.append(
                "advised \(choice.selection) at \(choice.capacity ?? 0), best is \(text) at \(expected.capacity)")
        }
        if choice.figures?.value(order.metric) != expected.value { problems.append("the hits are wrong") }
        return problems
    }
}

enum AdviceFixtures {
    static func selection(_ text: String) throws -> PolicySelection {
        let parts = text.split(separator: ":", maxSplits: 1)
        let entry = BuiltinPolicies.all.first { $0.descriptor.name == parts[0] }!
        return PolicySelection(
            entry,
            try ParameterValues(
                parsing: parts.count > 1 ? String(parts[1]) : "", for: entry.descriptor.parameters, of: text))
    }

    static let policies = ["lru", "fifo", "clock", "sieve", "s3fifo", "mru", "arc", "random"]

    static func order(
        _ goal: AdviceOrder.Goal, policies: [String] = policies, metric: AdviceQuestion.Metric = .hitRatio,
        unit: Capacity.Unit = .objects
    ) throws -> AdviceOrder {
        AdviceOrder(
            policies: try policies.map(selection), goal: goal, metric: metric, unit: unit,
            bounds: AdviceBounds(
                optimum: try selection("belady:bypass=true"), above: try selection("pfoo-l"),
                below: try selection("pfoo-u")), seed: 1)
    }

    /// A seeded trace that mixes skew, a loop and scans, so that different policies win; each object has one size.
    static func trace(_ seed: UInt64, requests: Int = 400, objects: Int = 24, hasSizes: Bool = false) -> MemoryTrace {
        var generator = SeededGenerator(seed: seed)
        let loop = 3 + generator.next(below: objects / 2)
        let ids = (0..<requests).map { position -> ObjectID in
            switch generator.next(below: 3) {
            case 0: ObjectID(Double(objects) * generator.nextUnit() * generator.nextUnit())
            case 1: ObjectID(position % loop)
            default: ObjectID(position / 3 % objects)
            }
        }
        let sizes = (0..<objects).map { _ in UInt32(1 + generator.next(below: 6)) }
        return MemoryTrace(ids: ids, sizes: hasSizes ? ids.map { sizes[Int($0)] } : [])
    }

    static func advise(_ order: AdviceOrder, _ trace: SweepTrace, workers: Int = 2) async throws -> Advice {
        try await AdviceRun(order, traces: [trace], workers: workers, monitor: ReplayMonitor()).run()[0]
    }
}
