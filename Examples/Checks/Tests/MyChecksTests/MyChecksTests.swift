import CacheConformance
import CacheCore
import MyChecks
import MyStorage
import Synchronization
import Testing

@Test(arguments: sessionChecks)
func conforms(check: Check) throws {
    #expect(check.run(on: StorageSubject(MyStorage.self)).outcome == .pass)
}

@Test func `a cache that keeps the first value is noticed, in three steps`() throws {
    let failure = try #require(sessionChecks[0].run(on: FirstValues()).failure)
    #expect(try #require(failure.program).operations.count == 3)
}

/// A cache that keeps the first value of a key.
private struct FirstValues: CacheSubject {
    let name = "first-values"

    func claims() -> Claims { Claims() }

    func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance { Instance() }

    private final class Instance: CacheInstance {
        private let values = Mutex<[[UInt8]: [UInt8]]>([:])

        func perform(_ operation: CacheOperation) -> OperationResult {
            values.withLock { values in
                switch operation {
                case .put(let key, let payload, _, _):
                    values[key] = values[key] ?? payload.bytes(for: key)
                    return .done
                case .get(let key): return .entry(values[key].map { StoredEntry($0) })
                case .close: return .done
                default: return .failure(.unsupported(operation))
                }
            }
        }
    }
}
