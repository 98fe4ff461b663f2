import CacheConformance
import CacheCore
import Synchronization
import Testing

import class Foundation.Thread

/// Caches whose map and number of entries have a lock each, and which wait between the two.
@Suite("A count that differs from its map")
struct LooseIndexTests {
    private final class Instance: CacheInstance {
        private let map = Mutex<[[UInt8]: [UInt8]]>([:])
        private let count = Mutex(0)
        private let whole = Mutex(())
        private let isLoose: Bool

        init(isLoose: Bool) { self.isLoose = isLoose }

        func perform(_ operation: CacheOperation) -> OperationResult {
            switch operation {
            case .put(let key, _, _, _):
                held { if map.withLock({ $0.updateValue(operation.entry!.value, forKey: key) }) == nil { add(1) } }
            case .get(let key): return .entry(map.withLock { $0[key] }.map { StoredEntry($0) })
            case .contains(let key): return .flag(map.withLock { $0[key] } != nil)
            case .remove(let key): return held { .flag(remove(key)) }
            case .removeAll: held { for key in map.withLock({ Array($0.keys) }) { _ = remove(key) } }
            case .count: return .number(count.withLock { $0 })
            case .keys: return .keys(map.withLock { Array($0.keys) })
            case .flush, .maintain, .close, .pause: break
            default: return .failure(.unsupported(operation))
            }
            return .done
        }

        private func held<Result>(body: () -> Result) -> Result { isLoose ? body() : whole.withLock { _ in body() } }

        private func remove(_ key: [UInt8]) -> Bool {
            let isGone = map.withLock { $0.removeValue(forKey: key) } != nil
            if isGone { add(-1) }
            return isGone
        }

        /// Reads under one lock and writes under another.
        private func add(_ step: Int) {
            let old = count.withLock { $0 }
            if isLoose { Thread.sleep(forTimeInterval: 0.000_02) }
            count.withLock { $0 = old + step }
        }
    }

    private struct Subject: CacheSubject {
        let isLoose: Bool
        var name: String { isLoose ? "loose" : "sound" }

        func claims() -> Claims {
            var claims = Claims(StorageClaims(keyBytesMax: 500, valueBytesMax: 1 << 17))
            claims.iterates = true
            return claims
        }

        func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
            Instance(isLoose: isLoose)
        }
    }

    @Test(arguments: [false, true]) func `is found when nobody writes any more`(isLoose: Bool) throws {
        let check = try #require(ConformanceSuite.cache.check("LIN-16"))
        let isFound = (0..<3).contains {
            check.run(on: Subject(isLoose: isLoose), seed: UInt64($0)).outcome.name == "fail"
        }
        #expect(isFound == isLoose)
    }
}
