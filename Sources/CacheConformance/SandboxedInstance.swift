import CacheCore
import Synchronization

/// An instance in a place of its own, which is removed when the instance is closed or given up.
final class SandboxedInstance: CacheInstance {
    private let instance: any CacheInstance
    private let place: Mutex<Sandbox?>

    /// Opens an instance of a subject that needs a directory.
    init(of subject: any CacheSubject, _ setup: CacheSetup) throws(StoreError) {
        let sandbox = try Sandbox(needsDirectory: true)
        instance = try subject.open(setup, in: sandbox.directory)
        place = Mutex(sandbox)
    }

    func perform(_ operation: CacheOperation) -> OperationResult { perform(operation, face: 0) }

    func perform(_ operation: CacheOperation, face: Int) -> OperationResult {
        let result = instance.perform(operation, face: face)
        if operation == .close { place.withLock { $0 = nil } }
        return result
    }
}
