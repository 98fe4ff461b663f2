import CacheCore
import Synchronization

/// A subject whose instances note whether they were asked for something that they do not have.
struct WatchedSubject: CacheSubject {
    private final class Instance: CacheInstance {
        private let instance: any CacheInstance
        private let lacks: Flag

        init(_ instance: any CacheInstance, _ lacks: Flag) { (self.instance, self.lacks) = (instance, lacks) }

        func perform(_ operation: CacheOperation) -> OperationResult {
            let result = instance.perform(operation)
            if result.error?.code == .unsupported { lacks.isSet.store(true, ordering: .relaxed) }
            return result
        }
    }

    private final class Flag: Sendable { let isSet = Atomic(false) }

    private let subject: any CacheSubject
    private let lacks = Flag()

    init(_ subject: any CacheSubject) { self.subject = subject }

    /// Whether an operation was not there.
    var lacksSomething: Bool { lacks.isSet.load(ordering: .relaxed) }

    var name: String { subject.name }
    var needsDirectory: Bool { subject.needsDirectory }
    var orderPolicy: PolicyEntry? { subject.orderPolicy }

    func claims() throws(StoreError) -> Claims { try subject.claims() }

    func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        Instance(try subject.open(setup, in: directory), lacks)
    }
}
