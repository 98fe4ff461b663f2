import CacheConformance
import CacheCore
import Synchronization
import Testing

import class Foundation.Thread

/// Caches whose map and order of eviction have a lock each, and which wait between the two, so that they come to differ.
@Suite("Orders of eviction that differ from their maps")
struct LooseOrderTests {
    enum Looseness: String, CaseIterable {
        /// Nothing: one lock is held around both.
        case none
        /// An entry is removed from the map before its node is there.
        case ghosts
        /// Who adds a key that another one adds does not look for its node.
        case twins
        /// An entry is added after the map was cleared, and before the order is.
        case orphans
    }

    /// A cache that evicts what was written longest ago.
    private final class Instance: CacheInstance {
        private let map = Mutex<[[UInt8]: [UInt8]]>([:])
        private let order = Mutex<[[UInt8]]>([])
        private let whole = Mutex(())
        private let looseness: Looseness
        private let capacity: Int

        init(_ looseness: Looseness, capacity: Int) { (self.looseness, self.capacity) = (looseness, capacity) }

        func perform(_ operation: CacheOperation) -> OperationResult {
            switch operation {
            case .put(let key, _, _, _):
                return held(but: .twins, .ghosts, .orphans) { put(operation.entry!.value, key) }
            case .get(let key): return .entry(map.withLock { $0[key] }.map { StoredEntry($0) })
            case .contains(let key): return .flag(map.withLock { $0[key] != nil })
            case .remove(let key): return held(but: .ghosts) { remove(key) }
            case .removeAll: return held(but: .orphans) { removeAll() }
            case .count: return .number(map.withLock(\.count))
            case .keys: return .keys(map.withLock { Array($0.keys) })
            case .maintain, .flush, .close, .pause: return .done
            default: return .failure(.unsupported(operation))
            }
        }

        private func held<Result>(but loose: Looseness..., body: () -> Result) -> Result {
            loose.contains(looseness) ? body() : whole.withLock { _ in body() }
        }

        /// Others go on meanwhile, on a busy machine too.
        private func linger() { if looseness != .none { Thread.sleep(forTimeInterval: 20e-6) } }

        private func put(_ value: [UInt8], _ key: [UInt8]) -> OperationResult {
            let isNew = map.withLock { $0.updateValue(value, forKey: key) == nil }
            linger()
            let victims = order.withLock { order in
                if !isNew || looseness != .twins { order.removeAll { $0 == key } }
                order.append(key)
                defer { order.removeFirst(max(0, order.count - capacity)) }
                return order.prefix(max(0, order.count - capacity))
            }
            if !victims.isEmpty { map.withLock { map in for victim in victims { map[victim] = nil } } }
            return .done
        }

        private func remove(_ key: [UInt8]) -> OperationResult {
            guard map.withLock({ $0.removeValue(forKey: key) }) != nil else { return .flag(false) }
            linger()
            order.withLock { order in
                if let place = order.firstIndex(of: key) { order.remove(at: place) }
            }
            return .flag(true)
        }

        private func removeAll() -> OperationResult {
            map.withLock { $0 = [:] }
            linger()
            order.withLock { $0 = [] }
            return .done
        }
    }

    private struct Subject: CacheSubject {
        let looseness: Looseness
        var name: String { "order:\(looseness.rawValue)" }

        func claims() -> Claims {
            var claims = Claims(StorageClaims(keyBytesMax: 500, valueBytesMax: 1 << 17), features: [])
            claims.room = CapacityClaim(.objects(1 << 10))
            return claims
        }

        func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
            Instance(looseness, capacity: setup.capacity?.amount ?? 1 << 10)
        }
    }

    @Test(arguments: Looseness.allCases) func `are found when the room is filled up`(looseness: Looseness) throws {
        let check = try #require(ConformanceSuite.cache.check("LIN-17"))
        let isFound = (0..<3).contains {
            check.run(on: Subject(looseness: looseness), seed: UInt64($0)).outcome.name == "fail"
        }
        #expect(isFound == (looseness != .none))
    }
}
