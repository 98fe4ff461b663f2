import CacheConformance
import CacheCore
import Synchronization
import Testing

struct MyCache: CacheSubject {
    let name = "my-cache"

    func claims() throws(StoreError) -> Claims {
        Claims(StorageClaims(keyBytesMax: 4_096), features: [.timeToLive, .events])
    }

    func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance { Instance() }

    final class Instance: CacheInstance {
        private struct State {
            var entries: [[UInt8]: (value: [UInt8], deadline: Int64)] = [:]
            var events: [CacheEvent] = []
            var now: Int64 = 0
            var isOpen = true

            mutating func leave(_ key: [UInt8], _ cause: CacheEvent.Cause) {
                guard let old = entries.removeValue(forKey: key) else { return }
                events.append(CacheEvent(key: key, value: old.value, cause: old.deadline <= now ? .expired : cause))
            }

            mutating func find(_ key: [UInt8]) -> [UInt8]? {
                if let entry = entries[key], entry.deadline <= now { leave(key, .expired) }
                return entries[key]?.value
            }
        }

        private let state = Mutex(State())

        func perform(_ operation: CacheOperation) -> OperationResult { state.withLock { Self.perform(operation, &$0) } }

        private static func perform(_ operation: CacheOperation, _ state: inout State) -> OperationResult {
            guard state.isOpen || operation == .close else { return .failure(.closed) }
            if let key = operation.key, key.count > 4_096 { return .failure(StoreError(.keyRefused, "too long")) }
            switch operation {
            case .put(let key, let payload, _, let terms):
                let time = terms.timeToLiveNanoseconds ?? .max
                state.leave(key, .replaced)
                let sum = state.now.addingReportingOverflow(time)
                if time > 0 { state.entries[key] = (payload.bytes(for: key), sum.overflow ? .max : sum.partialValue) }
                return .done
            case .get(let key): return .entry(state.find(key).map { StoredEntry($0) })
            case .contains(let key): return .flag(state.find(key) != nil)
            case .remove(let key):
                let isThere = state.find(key) != nil
                state.leave(key, .removed)
                return .flag(isThere)
            case .removeAll: for key in state.entries.keys { state.leave(key, .removed) }
            case .count, .keys, .maintain:
                for key in state.entries.keys { _ = state.find(key) }
                if operation == .count { return .number(state.entries.count) }
                if operation == .keys { return .keys(Array(state.entries.keys)) }
            case .advance(let step): state.now += step
            case .events:
                defer { state.events = [] }
                return .events(state.events)
            case .close: state.isOpen = false
            case .moveWallClock, .flush: break
            default: return .failure(.unsupported(operation))
            }
            return .done
        }
    }
}

@Test(arguments: ConformanceSuite.cache.checks)
func cacheConforms(check: Check) throws {
    try check.require(on: MyCache())
}
