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

/// "You can use Sync and Async APIs in any order you want": the second face writes by the asynchronous one.
final class Both: Instance, @unchecked Sendable {
    private let store: Storage<String, Data>

    init(_ store: Storage<String, Data>) { self.store = store }

    private func name(_ key: [UInt8]) -> String { String(String.UnicodeScalarView(key.map { Unicode.Scalar($0) })) }

    private func find(_ key: [UInt8]) -> StoredEntry? {
        guard let entry = try? store.entry(forKey: name(key)), !entry.expiry.isExpired else { return nil }
        return StoredEntry(Array(entry.object))
    }

    override func answer(_ operation: CacheOperation, face: Int) throws -> OperationResult? {
        switch operation {
        case .put(let key, let payload, _, let terms):
            let (value, expiry) = (Data(payload.bytes(for: key)), terms.timeToLiveNanoseconds.map { Expiry.seconds(Double($0) / 1e9) })
            if face == 0 {
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
        case .get(let key): return .entry(find(key))
        case .contains(let key): return .flag(find(key) != nil)
        case .remove(let key): try? store.removeObject(forKey: name(key))
        case .removeAll: try store.removeAll()
        case .maintain: try store.removeExpiredObjects()
        default: return nil
        }
        return .done
    }
}

SubjectServer.serve(Subject())
