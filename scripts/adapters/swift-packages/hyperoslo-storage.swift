// package hyperoslo Cache OsloCache
// clock faketime NO_FAKE_STAT=1
import Cache
import CacheConformance
import CacheCore
import Foundation

struct Subject: CacheSubject {
    let name = "hyperoslo/Cache Storage"
    let needsDirectory = true

    /// Memory over files, whose dates are the ends; it lists what is in memory alone, and remove throws where there is no file.
    func claims() -> Claims {
        var claims = Claims(StorageClaims(iterates: false, durability: .exit), features: [.timeToLive])
        claims.deviations = [.liveAtDeadline, .removeTellsNothing, .limitsAreNotEnforced]
        claims.limits.clockStepNanoseconds = 1_000_000_000
        claims.faces = 2
        return claims
    }

    func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        do {
            return Both(try Storage(
                diskConfig: DiskConfig(name: "cache", directory: URL(fileURLWithPath: directory!)), memoryConfig: MemoryConfig(),
                transformer: TransformerFactory.forData()))
        } catch { throw StoreError(.inputOutput, "\(error)") }
    }
}

/// "You can use Sync and Async APIs in any order you want": the second face writes by the asynchronous one. With FACES=views the second
/// face is a transformed storage instead: "you're working with the same `Storage`, just with different type annotation".
final class Both: Instance, @unchecked Sendable {
    private let stores: [Storage<String, Data>]
    private let hasViews = ProcessInfo.processInfo.environment["FACES"] == "views"

    init(_ store: Storage<String, Data>) { stores = [store, hasViews ? store.transformData() : store] }

    private func name(_ key: [UInt8]) -> String { String(String.UnicodeScalarView(key.map { Unicode.Scalar($0) })) }

    private func find(_ key: [UInt8], in store: Storage<String, Data>) -> StoredEntry? {
        guard let entry = try? store.entry(forKey: name(key)), !entry.expiry.isExpired else { return nil }
        return StoredEntry(Array(entry.object))
    }

    override func answer(_ operation: CacheOperation, face: Int) throws -> OperationResult? {
        let store = stores[face]
        switch operation {
        case .put(let key, let payload, _, let terms):
            let (value, expiry) = (Data(payload.bytes(for: key)), terms.timeToLiveNanoseconds.map { Expiry.seconds(Double($0) / 1e9) })
            if face == 0 || hasViews {
                try store.setObject(value, forKey: name(key), expiry: expiry)
            } else {
                let done = DispatchSemaphore(value: 0)
                nonisolated(unsafe) var result = Result<Void, any Error>.success(())
                store.async.setObject(value, forKey: name(key), expiry: expiry) { told in
                    result = told
                    done.signal()
                }
                done.wait()
                try result.get()
            }
        case .get(let key): return .entry(find(key, in: store))
        case .contains(let key): return .flag(find(key, in: store) != nil)
        case .remove(let key): try? store.removeObject(forKey: name(key))
        case .removeAll: try store.removeAll()
        case .maintain: try store.removeExpiredObjects()
        default: return nil
        }
        return .done
    }
}

SubjectServer.serve(Subject())
