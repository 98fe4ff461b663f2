import CacheConformance
import CacheCore
import CachePolicies
import Synchronization
import Testing

/// Caches in the order of `lfu` whose counts of reads are narrow: they stop (Redis's and TinyLFU's counters do, by design) or begin
/// anew, so that what is read most leaves first.
@Suite("Counts of reads that wear out")
struct WornCountTests {
    private struct Subject: CacheSubject {
        let name: String
        /// What a count is kept as.
        let kept: @Sendable (Int) -> Int
        let orderPolicy = BuiltinPolicies.all.first { $0.descriptor.name == "lfu" }

        func claims() -> Claims {
            Claims(room: CapacityClaim(.objects(1 << 20), units: [.objects]), order: "lfu")
        }

        func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance {
            Instance(room: setup.capacity?.amount ?? 1 << 20, kept)
        }
    }

    private final class Instance: CacheInstance {
        private struct Entry {
            let value: [UInt8]
            var reads = 0
            var moment: Int
        }

        private let room: Int
        private let kept: @Sendable (Int) -> Int
        private let entries = Mutex<[[UInt8]: Entry]>([:])
        private let moments = Atomic(0)

        init(room: Int, _ kept: @escaping @Sendable (Int) -> Int) { (self.room, self.kept) = (room, kept) }

        func perform(_ operation: CacheOperation) -> OperationResult {
            let moment = moments.add(1, ordering: .relaxed).newValue
            return entries.withLock { entries in
                switch operation {
                case .put(let key, _, _, _):
                    if entries[key] == nil, entries.count >= room, let least = leastRead(entries) {
                        entries[least] = nil
                    }
                    if room > 0 { entries[key] = Entry(value: operation.entry!.value, moment: moment) }
                case .get(let key):
                    guard var entry = entries.removeValue(forKey: key) else { return .entry(nil) }
                    (entry.reads, entry.moment) = (kept(entry.reads + 1), moment)
                    entries[key] = entry
                    return .entry(StoredEntry(entry.value))
                case .contains(let key): return .flag(entries[key] != nil)
                case .remove(let key): return .flag(entries.removeValue(forKey: key) != nil)
                case .removeAll: entries = [:]
                case .count: return .number(entries.count)
                case .flush, .maintain, .close, .pause: break
                default: return .failure(.unsupported(operation))
                }
                return .done
            }
        }

        private func leastRead(_ entries: [[UInt8]: Entry]) -> [UInt8]? {
            entries.min { ($0.value.reads, $0.value.moment) < ($1.value.reads, $1.value.moment) }?.key
        }
    }

    @Test(arguments: [16, 255]) func `a count that stops is noticed`(most: Int) throws {
        #expect(try outcome { min($0, most) }.name == "fail")
    }

    @Test func `a count of eight bits is noticed`() throws { #expect(try outcome { $0 & 255 }.name == "fail") }

    @Test func `a whole count passes`() throws { #expect(try outcome { $0 } == .pass) }

    private func outcome(_ kept: @escaping @Sendable (Int) -> Int) throws -> CheckOutcome {
        let check = try #require(ConformanceSuite.cache.check("POL-8"))
        return check.run(on: Subject(name: "counts", kept: kept), seed: 1).outcome
    }
}
