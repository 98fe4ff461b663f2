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
        /// The same, and refuses what is new when it is full, as node-cache and Redis' noeviction do.
        case refusing
        /// Holds 100, whatever it is opened with.
        case fixed
        /// Forgets an entry now and then, as a cache of weak references does.
        case dropsAtRandom
        /// Lets nothing in, as a filter of admission may.
        case admitsNothing
        /// Has lives too, and makes room for what is over when it comes, as repoze.lru does.
        case makesRoomFirst
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
    private var expires: Bool { kind == .expiring || kind == .makesRoomFirst }
    private let limit: Int
    private let state = Mutex(State())

    init(_ kind: Kind, _ limit: Int) {
        self.kind = kind
        self.limit = [.lru, .expiring, .refusing, .fixed, .makesRoomFirst].contains(kind) ? limit : .max
    }

    func perform(_ operation: CacheOperation) -> OperationResult { state.withLock { perform(operation, &$0) } }

    private func perform(_ operation: CacheOperation, _ state: inout State) -> OperationResult {
        guard state.isOpen || operation == .close else { return .failure(.closed) }
        if kind == .dropsAtRandom, state.random.next(below: 4) == 0,
            let key = state.entries.keys.min(by: { $0.count < $1.count })
        {
            state.entries[key] = nil
        }
        let last = kind == .makesRoomFirst ? state.now : state.now - 1
        for (key, entry) in state.entries where entry.deadline <= last { state.entries[key] = nil }
        state.uses += 1
        switch operation {
        case .put(let key, let payload, _, let terms) where expires || terms == .plain:
            guard terms.cost == 1, terms.tags == [] else { return .failure(.unsupported(operation)) }
            if kind == .refusing, state.entries[key] == nil, state.entries.count >= limit {
                return .failure(StoreError(.full, "no room"))
            }
            let end = state.now.addingReportingOverflow(terms.timeToLiveNanoseconds ?? .max)
            state.entries[key] = (payload.bytes(for: key), end.overflow ? .max : end.partialValue, state.uses)
            let isOver = terms.timeToLiveNanoseconds.map { $0 <= 0 } ?? false
            if kind == .admitsNothing || isOver && kind == .expiring || limit == 0 { state.entries[key] = nil }
            if state.entries.count > limit, let oldest = state.entries.min(by: { $0.value.used < $1.value.used }) {
                state.entries[oldest.key] = nil
            }
            if isOver { state.entries[key] = nil }
        case .get(let key):
            state.entries[key]?.used = state.uses
            return .entry(state.entries[key].map { StoredEntry($0.value) })
        case .contains(let key): return .flag(state.entries[key] != nil)
        case .remove(let key): return .flag(state.entries.removeValue(forKey: key) != nil)
        case .removeAll: state.entries = [:]
        case .count: return .number(state.entries.count)
        case .keys: return .keys(Array(state.entries.keys))
        case .advance(let time) where expires: state.now += time
        case .moveWallClock where expires: break
        case .flush, .maintain: break
        case .close: state.isOpen = false
        default: return .failure(.unsupported(operation))
        }
        return .done
    }
}

/// A cache whose clears tell nothing, as go-cache's Flush, and which documents two things.
private func untoldClears() -> ScriptedSubject {
    var claims = Claims(features: [.events, .statistics])
    claims.deviations = [.containsIsGet, .clearResetsCounters]
    claims.limits.costMax = 7
    return ScriptedSubject(made: claims) {
        let cache = MyCache.Instance()
        let before = Mutex<[CacheEvent]>([])
        return { operation in
            guard operation == .removeAll || operation == .events, case .events(let events) = cache.perform(.events)
            else { return cache.perform(operation) }
            let all = before.withLock { (before) -> [CacheEvent] in
                defer { before = operation == .events ? [] : before + events }
                return before + events
            }
            guard operation == .removeAll else { return .events(all) }
            defer { _ = cache.perform(.events) }
            return cache.perform(.removeAll)
        }
    }
}

/// What `--suggest-claims` says is taken for what a cache promises: it proposes what holds, and no more.
@Suite("Claims that a probe proposes")
struct ClaimProposalTests {
    /// Some of each kind, so that the test is quick: what every cache must keep, rooms, lives, orders, and what is read often.
    private static let asked = [
        "BAS-1", "BAS-2", "BAS-5", "BAS-11", "KEY-2", "ITR-1", "ITR-2", "TTL-1", "TTL-2", "TTL-3", "CAP-1", "CAP-2",
        "CAP-5", "POL-1",
        "POL-2", "POL-9", "POL-10",
    ]

    @Test(arguments: ProbedCache.Kind.allCases.filter { $0 != .makesRoomFirst })
    private func `what holds is proposed, and nothing else`(
        kind: ProbedCache.Kind
    ) throws {
        let proposal = ClaimProposal(
            of: ProbedCache.Subject(kind: kind), policies: BuiltinPolicies.all,
            checks: try ConformanceSuite.cache.limited(to: Self.asked).checks)
        let claims = proposal.claims
        let words = "\(kind): \(claims)\n" + proposal.rejections.map { "\($0)" }.joined(separator: "\n")
        let isBounded = [.lru, .expiring, .refusing, .fixed].contains(kind)
        let room = CapacityClaim(.objects(100), isAdjustable: kind != .fixed)
        #expect(claims.room == (isBounded ? room : nil), "\(words)")
        // Orders are asked of caches for four: of one that holds 100 none is known.
        #expect(claims.order == ([.lru, .expiring].contains(kind) ? "lru" : nil), "\(words)")
        #expect(claims.retains == (isBounded || kind == .dictionary), "\(words)")
        #expect(claims.iterates == (kind != .admitsNothing), "\(words)")
        #expect(claims.features == (kind == .expiring ? [.timeToLive] : []), "\(words)")
        // They take keys of any length; where nothing is ever found, nothing shows that they do.
        var deviations: Set<Deviation> = kind == .admitsNothing ? [] : [.limitsAreNotEnforced]
        if kind == .expiring { deviations.insert(.liveAtDeadline) }
        if kind == .refusing { deviations.insert(.refusesWhenFull) }
        #expect(claims.deviations == deviations, "\(words)")
    }

    /// A bound of repoze.lru's was proposed as strict: its lives were claimed later, and a run with both denied it.
    @Test private func `what does not hold beside the rest is taken back at the end, with the check that denied it`()
        throws
    {
        let proposal = ClaimProposal(
            of: ProbedCache.Subject(kind: .makesRoomFirst),
            checks: try ConformanceSuite.cache.limited(to: ["BAS-2", "CAP-11", "CAP-20", "TTL-1", "TTL-2"]).checks)
        let words = "\(proposal.claims)\n\(proposal.rejections)"
        #expect(proposal.claims.room == CapacityClaim(.objects(100), isStrict: false), "\(words)")
        #expect(proposal.claims.retains && proposal.claims.features == [.timeToLive], "\(words)")
        #expect(proposal.rejections.contains { $0.claim == "strict" && $0.check == "CAP-20" }, "\(words)")
    }

    /// go-cache tells of removals and not of clears, and was proposed to tell of neither; what it documents was left out.
    @Test private func `what is stated is kept, and the narrowest deviation explains what is seen`() throws {
        let proposal = ClaimProposal(
            of: untoldClears(), checks: try ConformanceSuite.cache.limited(to: ["EVT-1", "EVT-3", "EVT-4"]).checks)
        let words = "\(proposal.claims)\n\(proposal.rejections)"
        #expect(proposal.claims.features == [.events], "\(words)")
        #expect(proposal.claims.deviations == [.containsIsGet, .clearsAreNotTold], "\(words)")
        #expect(proposal.claims.limits.costMax == 7, "\(words)")
        // Statistics are not there, and a deviation of what is not claimed is refused by who reads the claims.
        #expect(proposal.rejections.contains { $0.claim == "deviation clearResetsCounters" }, "\(words)")
    }

    @Test private func `what a plain LRU does is no knowledge of what is read often, and the rejection says so`() throws
    {
        let proposal = ClaimProposal(
            of: ProbedCache.Subject(kind: .lru),
            checks: try ConformanceSuite.cache.limited(to: ["CAP-1", "POL-9"]).checks)
        let reason = proposal.rejections.first { $0.claim == "frequencyAware" }?.reason
        #expect(reason?.contains("as in any LRU") == true, "\(proposal.rejections)")
    }

    /// A subject that answers slowly is not probed for ever, and what the time did not decide is no finding.
    @Test(arguments: [0, 1, 40]) private func `what is not decided in time is not proposed`(calls: Int) throws {
        let left = Mutex(calls)
        let proposal = ClaimProposal(
            of: ProbedCache.Subject(kind: .expiring), policies: BuiltinPolicies.all,
            checks: try ConformanceSuite.cache.limited(to: Self.asked).checks,
            isOver: {
                left.withLock { left in
                    left = max(0, left - 1)
                    return left == 0
                }
            })
        let late = proposal.rejections.filter { $0.reason == "the time limit came before it was decided" }
        #expect(late.contains { $0.claim == "capacity in bytes" || $0.claim == "listener" }, "\(proposal.rejections)")
        #expect(late.allSatisfy { $0.check == nil })
        if calls < 2 {
            #expect(late.contains { $0.claim == "core" })
            #expect(proposal.rejections.filter { !late.contains($0) }.map(\.claim) == ["isConcurrent"])
            #expect(proposal.claims.features.isEmpty && proposal.claims.room == nil && !proposal.claims.retains)
        }
    }
}
