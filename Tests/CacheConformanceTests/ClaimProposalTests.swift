import CacheCore
import CachePolicies
import Synchronization
import Testing

@testable import CacheConformance

/// A small cache that makes no claims.
private final class ProbedCache: CacheInstance {
    enum Kind: String, CaseIterable, Sendable {
        case dictionary
        /// Holds what it is opened with, or 100.
        case lru
        /// The same, with entries that are live at their deadline, as go-cache, ccache and node's lru-cache have them.
        case expiring
        /// Holds 100, whatever it is opened with.
        case fixed
        /// Forgets an entry now and then, as a cache of weak references does.
        case dropsAtRandom
        /// Lets nothing in, as a filter of admission may.
        case admitsNothing
    }

    struct Subject: CacheSubject {
        let kind: Kind
        var name: String { kind.rawValue }
        func claims() throws(StoreError) -> Claims { throw StoreError(.unsupported, "no claims are made") }
        func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance {
            ProbedCache(kind, kind == .fixed ? 100 : setup.capacity?.amount ?? 100)
        }
    }

    private struct State {
        var entries: [[UInt8]: (value: [UInt8], deadline: Int64, used: Int)] = [:]
        var (now, uses, isOpen) = (Int64(0), 0, true)
        var random = SeededGenerator(seed: 7)
    }

    private let kind: Kind
    private let limit: Int
    private let state = Mutex(State())

    init(_ kind: Kind, _ limit: Int) {
        self.kind = kind
        self.limit = [.lru, .expiring, .fixed].contains(kind) ? limit : .max
    }

    func perform(_ operation: CacheOperation) -> OperationResult { state.withLock { perform(operation, &$0) } }

    private func perform(_ operation: CacheOperation, _ state: inout State) -> OperationResult {
        guard state.isOpen || operation == .close else { return .failure(.closed) }
        if kind == .dropsAtRandom, state.random.next(below: 4) == 0,
            let key = state.entries.keys.min(by: { $0.count < $1.count })
        {
            state.entries[key] = nil
        }
        for (key, entry) in state.entries where entry.deadline < state.now { state.entries[key] = nil }
        state.uses += 1
        switch operation {
        case .put(let key, let payload, nil, let terms) where kind == .expiring || terms == .plain:
            guard terms.cost == 1, terms.tags == [] else { return .failure(.unsupported(operation)) }
            let end = state.now.addingReportingOverflow(terms.timeToLiveNanoseconds ?? .max)
            state.entries[key] = (payload.bytes(for: key), end.overflow ? .max : end.partialValue, state.uses)
            let isOver = terms.timeToLiveNanoseconds.map { $0 <= 0 } ?? false
            if kind == .admitsNothing || isOver || limit == 0 { state.entries[key] = nil }
            if state.entries.count > limit, let oldest = state.entries.min(by: { $0.value.used < $1.value.used }) {
                state.entries[oldest.key] = nil
            }
        case .get(let key):
            state.entries[key]?.used = state.uses
            return .entry(state.entries[key].map { StoredEntry($0.value) })
        case .contains(let key): return .flag(state.entries[key] != nil)
        case .remove(let key): return .flag(state.entries.removeValue(forKey: key) != nil)
        case .removeAll: state.entries = [:]
        case .count: return .number(state.entries.count)
        case .keys: return .keys(Array(state.entries.keys))
        case .advance(let time) where kind == .expiring: state.now += time
        case .moveWallClock where kind == .expiring: break
        case .flush, .maintain: break
        case .close: state.isOpen = false
        default: return .failure(.unsupported(operation))
        }
        return .done
    }
}

/// What `--suggest-claims` says is taken for what a cache promises: it proposes what holds, and no more.
@Suite("Claims that a probe proposes")
struct ClaimProposalTests {
    private static func proposal(_ kind: ProbedCache.Kind) throws -> ClaimProposal {
        let suite = ConformanceSuite.cache
        // Those that matter to every cache, and those about what is read often.
        let checks = suite.limited(to: .core).checks + (try suite.limited(to: ["POL-9", "POL-10"]).checks)
        return ClaimProposal(of: ProbedCache.Subject(kind: kind), policies: BuiltinPolicies.all, checks: checks)
    }

    @Test(arguments: ProbedCache.Kind.allCases) private func `what holds is proposed, and nothing else`(
        kind: ProbedCache.Kind
    ) throws {
        let proposal = try Self.proposal(kind)
        let claims = proposal.claims
        let words = "\(kind): \(claims) \(proposal.rejections.map { "\($0)" }.joined(separator: "\n"))"
        print(words)
        let isBounded = [.lru, .expiring, .fixed].contains(kind)
        #expect(claims.retains == ![.dropsAtRandom, .admitsNothing].contains(kind), "\(words)")
        #expect(claims.room?.capacity == (isBounded ? .objects(100) : nil), "\(words)")
    }
}
