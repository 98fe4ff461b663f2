import CacheConformance
import CacheCore
import Synchronization

/// What adapters share: an operation that is not answered is unsupported, and everything is closed after `close`.
class Instance: CacheInstance, @unchecked Sendable {
    private let isOpen = Atomic(true)

    /// What came of an operation, or nothing where the cache does not have it.
    func answer(_ operation: CacheOperation) throws -> OperationResult? { nil }

    /// As ``answer(_:)`` by one of the cache's faces.
    func answer(_ operation: CacheOperation, face: Int) throws -> OperationResult? { try answer(operation) }

    final func perform(_ operation: CacheOperation) -> OperationResult { perform(operation, face: 0) }

    final func perform(_ operation: CacheOperation, face: Int) -> OperationResult {
        guard isOpen.load(ordering: .relaxed) || operation == .close else { return .failure(.closed) }
        switch operation {
        case .close: isOpen.store(false, ordering: .relaxed)
        case .flush: break
        default:
            do { return try answer(operation, face: face) ?? (operation == .maintain ? .done : .failure(.unsupported(operation))) } catch {
                return .failure(StoreError(.inputOutput, "\(error)"))
            }
        }
        return .done
    }
}
