import CacheCore
import Synchronization
import Testing

@testable import CacheConformance

@Suite("Writes that take effect later, rooms of memory, counters of other widths")
struct OwnWaysTests {
    /// What a cache has beside a dictionary, and how it is wrong.
    private struct Subject: CacheSubject {
        var name = "a cache with ways of its own"
        var made = Claims()
        /// Whether a put waits until `flush`, as in ristretto.
        var isLate = false
        /// Whether the second put of a new key is lost while the first one waits (ristretto).
        var losesSecond = false
        /// The most bytes of keys and values, each entry with 32 more; nil for no limit.
        var bytesMax: Int?
        /// Whether a clear leaves a full buffer full (allegro/bigcache#213).
        var staysFull = false
        /// Whether the room is that of values alone.
        var forgetsKeys = false
        /// The greatest number of a counter.
        var counterMax = Int.max

        func claims() -> Claims { made }
        func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance { Instance(self) }
    }

    private final class Instance: CacheInstance {
        private struct State {
            var entries: [[UInt8]: [UInt8]] = [:]
            var order: [[UInt8]] = []
            var bytes = 0
            var waiting: [(key: [UInt8], value: [UInt8]?)] = []
            var isOpen = true
            var isStuck = false
        }

        private let subject: Subject
        private let state = Mutex(State())

        init(_ subject: Subject) { self.subject = subject }

        private func weight(_ key: [UInt8], _ value: [UInt8]) -> Int {
            (subject.forgetsKeys ? 0 : key.count + 32) + value.count
        }

        private func remove(_ key: [UInt8], _ state: inout State) -> Bool {
            guard let old = state.entries.removeValue(forKey: key) else { return false }
            state.bytes -= weight(key, old)
            state.order.removeAll { $0 == key }
            return true
        }

        private func store(_ key: [UInt8], _ value: [UInt8]?, _ state: inout State) {
            _ = remove(key, &state)
            guard let value else { return }
            state.entries[key] = value
            state.order.append(key)
            state.bytes += weight(key, value)
            while let most = subject.bytesMax, state.bytes > most {
                if subject.staysFull { state.isStuck = true }
                _ = remove(state.order[0], &state)
            }
        }

        func perform(_ operation: CacheOperation) -> OperationResult {
            state.withLock { state in
                if operation == .close { state.isOpen = false }
                guard state.isOpen else { return operation == .close ? .done : .failure(.closed) }
                switch operation {
                case .put(let key, let payload, _, .plain):
                    let value = payload.bytes(for: key)
                    if subject.bytesMax.map({ weight(key, value) > $0 }) == true
                        || state.isStuck && state.entries.isEmpty
                    {
                        return .failure(StoreError(.valueRefused, "there is no room"))
                    }
                    guard subject.isLate else {
                        store(key, value, &state)
                        return .done
                    }
                    let isNew = state.entries[key] == nil && state.waiting.contains { $0.key == key && $0.value != nil }
                    if !isNew || !subject.losesSecond { state.waiting.append((key, value)) }
                case .get(let key): return .entry(state.entries[key].map { StoredEntry($0) })
                case .contains(let key): return .flag(state.entries[key] != nil)
                case .remove(let key) where subject.isLate: state.waiting.append((key, nil))
                case .remove(let key): return .flag(remove(key, &state))
                case .removeAll:
                    (state.entries, state.order, state.bytes, state.waiting) = ([:], [], 0, [])
                case .flush:
                    for (key, value) in state.waiting { store(key, value, &state) }
                    state.waiting = []
                case .count: return .number(state.entries.count)
                case .keys: return .keys(state.order)
                case .increment(let key, let step):
                    guard let old = state.entries[key].map({ DecimalText.number($0) }) ?? 0 else {
                        return .failure(StoreError(.valueRefused, "no number"))
                    }
                    let most = subject.counterMax
                    let (sum, overflows) = old.addingReportingOverflow(step)
                    let kept = overflows || !(-most - 1...most).contains(sum) ? most : sum
                    store(key, DecimalText.bytes(kept), &state)
                    return .number(kept)
                case .maintain: break
                default: return .failure(.unsupported(operation))
                }
                return .done
            }
        }
    }

    private static func run(_ id: String, _ subject: Subject) throws -> CheckOutcome {
        try #require(ConformanceSuite.cache.check(id)).run(on: subject).outcome
    }

    private static func late(_ deviations: Set<Deviation> = [.writesTakeEffectLater, .removeTellsNothing]) -> Subject {
        var subject = Subject(isLate: true)
        subject.made.isConcurrent = true
        subject.made.deviations = deviations.union([.limitsAreNotEnforced])
        return subject
    }

    @Test(arguments: ["BAS-2", "BAS-3", "BAS-4", "BAS-11", "BAS-13", "CLR-3", "ITR-1", "LIN-1", "LIN-3", "LIN-6"])
    func `writes that take effect later are waited for`(id: String) throws {
        let outcome = try Self.run(id, Self.late())
        #expect(outcome == .pass, "\(outcome.detail ?? "")")
    }

    /// ristretto loses the second write of a new key while the first one waits in its buffer: the suite waited for each.
    @Test func `a write that is lost while another one waits is noticed`() throws {
        var subject = Self.late()
        subject.losesSecond = true
        #expect(try Self.run("BAS-13", subject).isNegative)
        #expect(try Self.run("BAS-2", Self.late([.removeTellsNothing])).isNegative)
        let proposal = ClaimProposal(
            of: Self.late([]),
            checks: try ConformanceSuite.cache.limited(to: ["BAS-2", "BAS-3", "BAS-4", "BAS-5"]).checks)
        #expect(proposal.claims.deviations.contains(.writesTakeEffectLater))
    }

    private static func memory(_ change: (inout Subject) -> Void = { _ in }) -> Subject {
        var subject = Subject(bytesMax: 1 << 16)
        subject.made.retains = true
        subject.made.room = CapacityClaim(Capacity(1 << 16, .bytes), isAdjustable: false, isStrict: true)
        subject.made.deviations = [.weighsBytes, .limitsAreNotEnforced, .dropsOversized]
        subject.made.valueBytesMax = 1 << 12
        change(&subject)
        return subject
    }

    /// allegro/bigcache#213: what was full to the last byte and is reset takes nothing any more.
    @Test func `a room of memory is held to its bytes, and filled again after a clear`() throws {
        for id in ["CAP-26", "BAS-2", "BAS-11", "VAL-2"] {
            let outcome = try Self.run(id, Self.memory())
            #expect(outcome == .pass, "\(id): \(outcome.detail ?? "")")
        }
        #expect(try Self.run("CAP-26", Self.memory { $0.staysFull = true }).isNegative)
        #expect(try Self.run("CAP-26", Self.memory { $0.forgetsKeys = true }).isNegative)
        #expect(try Self.run("CAP-26", Self.memory { $0.made.deviations.remove(.weighsBytes) }).name == "not claimed")
    }

    /// cache3 and lru-ttl count in seconds, of which -1 ns is none.
    @Test func `lives below nothing are steps of the clock, and a touch goes with lives`() {
        var claims = Claims(features: [.timeToLive, .touch])
        claims.limits.clockStepNanoseconds = 1_000_000_000
        var adapter = ProgramAdapter(claims)
        let key: [UInt8] = [1]
        for (life, given) in [(-1, -1_000_000_000), (0, 0), (2, 2_000_000_000)] as [(Int64, Int64)] {
            let touch = adapter.operation(.touch(key, timeToLiveNanoseconds: life))
            #expect(touch == .touch(key, timeToLiveNanoseconds: given))
        }
        #expect(claims.claims(.touch))
        claims.features = [.touch]
        #expect(!claims.claims(.touch))
    }

    /// A cache that fills memory for all its entries when it is opened, which takes time, up to as many as can be said.
    private struct Preallocating: CacheSubject {
        final class Opened: Sendable { let greatest = Mutex(0) }

        let name = "preallocating"
        var made = Claims()
        let opened = Opened()

        func claims() -> Claims { made }
        func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance {
            let amount = setup.capacity?.amount ?? 8
            opened.greatest.withLock { $0 = max($0, amount) }
            sleepUninterrupted(.nanoseconds(min(amount, 1 << 28) * 40))
            return SmallCache(amount)
        }
    }

    /// A Java cache with an array for its capacity took all memory at 2^31, for which CAP-5 asked.
    @Test func `a cache that sets memory aside is asked for no more than it opens with at once`() throws {
        var subject = Preallocating()
        (subject.made.retains, subject.made.iterates) = (true, true)
        subject.made.room = CapacityClaim(.objects(8), isStrict: true)
        let check = try #require(ConformanceSuite.cache.check("CAP-5"))
        #expect(check.run(on: subject).outcome == .pass)
        #expect(subject.opened.greatest.withLock { $0 } <= 1 << 24)
        subject.made.limits.capacityMax = 1 << 10
        let limited = Preallocating(made: subject.made)
        #expect(check.run(on: limited).outcome == .pass)
        #expect(limited.opened.greatest.withLock { $0 } == 1 << 10)
    }

    /// go-cache counts in every width that Go has.
    @Test func `a counter of 32 bits is not asked for more`() throws {
        var subject = Subject(counterMax: Int(Int32.max))
        subject.made.features = [.counter]
        subject.made.deviations = [.limitsAreNotEnforced]
        subject.made.limits.counterMax = subject.counterMax
        #expect(try Self.run("CON-15", subject) == .pass)
        subject.counterMax = 3
        #expect(try Self.run("CON-15", subject).isNegative)
        (subject.counterMax, subject.made.limits.counterMax) = (Int(Int32.max), nil)
        #expect(try Self.run("CON-15", subject).isNegative)
    }

    @Test func `a deviation that no answer shows is told`() throws {
        let suite = try ConformanceSuite.cache.limited(to: ["BAS-4", "BAS-5", "BAS-11"])
        var subject = Self.late()
        #expect(suite.run(on: subject).deviationsNotSeen == [])
        subject.isLate = false
        let report = suite.run(on: subject)
        #expect(report.failures.isEmpty)
        #expect(report.deviationsNotSeen == ["removeTellsNothing"])
        subject.made.deviations = []
        #expect(suite.run(on: subject).deviationsSeen == nil)
    }
}
