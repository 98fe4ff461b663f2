import CacheCore
import CachePolicies
import Testing

@testable import CacheHarness

/// A policy with one choice of all parameters that are words or flags.
struct PolicyChoice: Sendable, CustomTestStringConvertible {
    let entry: PolicyEntry
    let parameters: ParameterValues

    var testDescription: String { selectionText(entry.descriptor.name, parameters) }

    /// Every cache among the built-in policies with every combination of such parameters.
    static let all: [PolicyChoice] = BuiltinPolicies.all.filter { !$0.isBound && !$0.descriptor.isUnbounded }
        .flatMap { entry in
            var choices = [ParameterValues(defaults: entry.descriptor.parameters)]
            for parameter in entry.descriptor.parameters {
                let words: [String]
                switch parameter.kind {
                case .choice(_, let all): words = all
                case .flag: words = ["false", "true"]
                case .integer, .number, .text: continue
                }
                choices = choices.flatMap { choice in
                    words.map { word in
                        var choice = choice
                        if word != parameter.defaultText { try! choice.set(parameter.name, word, of: "") }
                        return choice
                    }
                }
            }
            return choices.map { PolicyChoice(entry: entry, parameters: $0) }
        }

    var stackOrder: StackOrder? { PolicySelection(entry, parameters).stackOrder }

    /// The first request of a trace that hits in a smaller cache and misses in the next larger one.
    ///
    /// Over all traces of a length that tells as much as to look at all objects after each request.
    func firstBreak(_ columns: RequestColumns, capacities: ClosedRange<Int>) throws -> Int? {
        let caches = try capacities.map { capacity in
            try entry.open(
                PolicyConfiguration(capacity: .objects(capacity), objects: columns.objects, parameters: parameters))
        }
        for position in columns.ids.indices {
            var request = columns.request(at: position)
            // With one cost for all, or for all misses of an object, those that go by cost keep an order.
            request.cost = Double(mix64(UInt64(position)) % 3 + 1)
            for (smaller, larger) in zip(caches, caches.dropFirst())
            where smaller.contains(request.id) && !larger.contains(request.id) {
                return position
            }
            for cache in caches where !cache.touch(request) {
                var victims = VictimList()
                _ = cache.insert(request, evicting: &victims)
            }
        }
        return nil
    }
}

@Suite("Curve: the policies with a stack order keep inclusion")
struct InclusionTests {
    /// Short traces, all of them, and then longer ones over more objects.
    static let traces: [(trace: MemoryTrace, capacities: ClosedRange<Int>)] =
        ShortTraces.all(length: 7, objects: 4).map { (MemoryTrace(ids: $0), 1...4) } + [
            (.skewed(requests: 2000, objects: 24, seed: 1), 1...24),
            (.skewed(requests: 4000, objects: 300, seed: 2), 1...40),
            // More residents than any policy draws samples of.
            (.skewed(requests: 8000, objects: 1000, seed: 3), 200...203),
        ]

    @Test(arguments: PolicyChoice.all)
    func `a smaller cache holds nothing that a larger one lacks, if a stack order is stated`(
        _ choice: PolicyChoice
    ) throws {
        let breaks = try Self.traces.contains { trace, capacities in
            try choice.firstBreak(trace.columns, capacities: capacities) != nil
        }
        if breaks {
            #expect(choice.stackOrder == nil)
        } else if choice.stackOrder == nil {
            // Its curve takes a replay for each capacity, which is slower and as right.
            Issue.record(
                "\(choice) keeps inclusion. If its order is one of StackOrder, add to its descriptor: stackOrders: [\"\": .…]",
                severity: .warning)
        }
    }

    @Test func `every order belongs to a policy`() {
        let used = Set(PolicyChoice.all.compactMap(\.stackOrder))
        #expect(used == Set(StackOrder.allCases))
        let stated = BuiltinPolicies.all.reduce(0) { $0 + $1.descriptor.stackOrders.count }
        #expect(stated == PolicyChoice.all.count { $0.stackOrder != nil }, "an order for parameters that do not exist")
    }
}
