import CacheConformance
import CacheCore
import Synchronization
import Testing

import class Foundation.Thread

/// Caches whose map and another table of the same entries have a lock each, and which wait between the two.
@Suite("Tables that differ from their maps")
struct LooseIndexTests {
    enum Table: String, CaseIterable {
        /// None: one lock is held around both.
        case none
        /// The keys of each tag.
        case tags
        /// The keys by when they end.
        case ends
        /// The number of entries.
        case count
    }

    /// A cache without a bound, with tags and times to live.
    private final class Instance: CacheInstance {
        private struct Entry {
            var value: [UInt8]
            var end: Int64
        }

        private let map = Mutex<[[UInt8]: Entry]>([:])
        private let tags = Mutex<[String: Set<[UInt8]>]>([:])
        private let ends = Mutex<[[UInt8]: Int64]>([:])
        private let count = Mutex(0)
        private let now = Mutex<Int64>(0)
        private let whole = Mutex(())
        private let loose: Table

        init(_ loose: Table) { self.loose = loose }

        func perform(_ operation: CacheOperation) -> OperationResult {
            switch operation {
            case .put(let key, _, _, let terms): return held { put(operation.entry!.value, key, terms) }
            case .get(let key): return .entry(find(key).map { StoredEntry($0.value) })
            case .contains(let key): return .flag(find(key) != nil)
            case .remove(let key): return held { .flag(remove(key)) }
            case .removeTagged(let tag):
                held { for key in tags.withLock({ $0[tag] ?? [] }) { _ = remove(key) } }
            case .removeAll: held { for key in map.withLock({ Array($0.keys) }) { _ = remove(key) } }
            case .count: return .number(count.withLock { $0 })
            case .keys: return .keys(map.withLock { Array($0.keys) })
            case .advance(let step): now.withLock { $0 += step }
            case .maintain:
                let now = now.withLock { $0 }
                held { for (key, end) in ends.withLock({ $0 }) where end <= now { _ = remove(key) } }
            case .flush, .close, .pause: break
            default: return .failure(.unsupported(operation))
            }
            return .done
        }

        private func held<Result>(body: () -> Result) -> Result {
            loose == .none ? whole.withLock { _ in body() } : body()
        }

        /// Others go on meanwhile, on a busy machine too.
        private func linger() { if loose != .none { Thread.sleep(forTimeInterval: 20e-6) } }

        private func find(_ key: [UInt8]) -> Entry? {
            let now = now.withLock { $0 }
            return map.withLock { $0[key] }.flatMap { $0.end > now ? $0 : nil }
        }

        private func put(_ value: [UInt8], _ key: [UInt8], _ terms: PutTerms) -> OperationResult {
            let end = terms.timeToLiveNanoseconds.map { time in now.withLock { $0 } + time } ?? .max
            let isNew = map.withLock { map in
                let isNew = map.updateValue(Entry(value: value, end: end), forKey: key) == nil
                if loose != .tags { note(terms.tags, key) }
                if loose != .ends { ends.withLock { $0[key] = end } }
                if loose != .count, isNew { count.withLock { $0 += 1 } }
                return isNew
            }
            linger()
            if loose == .tags { note(terms.tags, key) }
            if loose == .ends { ends.withLock { $0[key] = end } }
            if loose == .count, isNew { add(1) }
            return .done
        }

        private func remove(_ key: [UInt8]) -> Bool {
            let entry = map.withLock { map in
                let entry = map.removeValue(forKey: key)
                if loose != .tags { forget(key) }
                if loose != .ends { ends.withLock { $0[key] = nil } }
                if loose != .count, entry != nil { count.withLock { $0 -= 1 } }
                return entry
            }
            linger()
            if loose == .tags { forget(key) }
            if loose == .ends { ends.withLock { $0[key] = nil } }
            if loose == .count, entry != nil { add(-1) }
            return entry.map { entry in entry.end > now.withLock { $0 } } ?? false
        }

        /// Reads under one lock and writes under another.
        private func add(_ step: Int) {
            let old = count.withLock { $0 }
            linger()
            count.withLock { $0 = old + step }
        }

        private func note(_ names: [String], _ key: [UInt8]) {
            tags.withLock { tags in for name in names { tags[name, default: []].insert(key) } }
        }

        private func forget(_ key: [UInt8]) {
            tags.withLock { tags in for name in tags.keys { tags[name]!.remove(key) } }
        }
    }

    private struct Subject: CacheSubject {
        let loose: Table
        var name: String { "table:\(loose.rawValue)" }

        func claims() -> Claims {
            var claims = Claims(
                StorageClaims(keyBytesMax: 500, valueBytesMax: 1 << 17), features: [.tags, .timeToLive])
            claims.iterates = true
            return claims
        }

        func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
            Instance(loose)
        }
    }

    @Test(arguments: Table.allCases) func `are found when nobody writes any more`(loose: Table) throws {
        let check = try #require(ConformanceSuite.cache.check("LIN-16"))
        let isFound = (0..<3).contains {
            check.run(on: Subject(loose: loose), seed: UInt64($0)).outcome.name == "fail"
        }
        #expect(isFound == (loose != .none))
    }
}
