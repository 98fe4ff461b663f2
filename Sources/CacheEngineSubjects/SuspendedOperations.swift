internal import CacheConformance
internal import CacheCore

extension SuspendingInstance {
    /// Does an operation by the asynchronous face of one of the engine's caches over a backend, where it has one.
    func suspend(
        _ operation: CacheOperation, get: ([UInt8]) async throws(StoreError) -> [UInt8]?,
        put: ([UInt8], [UInt8]) async throws(StoreError) -> Void, remove: ([UInt8]) async throws(StoreError) -> Bool
    ) async -> OperationResult {
        do throws(StoreError) {
            switch operation {
            case .put(let key, _, _, .plain):
                try await put(key, operation.entry!.value)
                return .done
            case .get(let key): return .entry(try await get(key).map { StoredEntry($0) })
            case .remove(let key): return .flag(try await remove(key))
            default: return perform(operation)
            }
        } catch { return .failure(error) }
    }
}
