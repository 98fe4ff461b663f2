internal import CacheConformance
internal import CacheEngine
internal import Foundation
internal import Synchronization

/// What a cache of the engine has told, and who listens to it.
final class EngineEvents: Sendable {
    private let told = Mutex<[CacheEvent]>([])
    private let subscription = Mutex<RemovalSubscription?>(nil)

    /// What was told since this was asked last.
    func take() -> [CacheEvent] {
        told.withLock { told in
            defer { told = [] }
            return told
        }
    }

    /// Puts one listener in the place of another.
    func listen(_ listener: Listener, to cache: Cache<EngineInstance.Key, CostedValue>, for instance: EngineInstance) {
        let old = subscription.withLock { subscription in
            defer { subscription = nil }
            return subscription
        }
        old?.cancel()
        guard listener != .none else { return }
        let new = cache.onRemoval { [weak self, weak instance] event in
            self?.tell(event)
            switch listener {
            case .slow(let time): Thread.sleep(forTimeInterval: Double(max(0, min(time, 1_000))) / 1_000)
            case .reenters(let operation): _ = instance?.perform(operation)
            // A listener of the engine cannot throw.
            case .plain, .none, .fails: break
            }
        }
        subscription.withLock { $0 = new }
    }

    private func tell(_ event: RemovalEvent<EngineInstance.Key, CostedValue>) {
        let cause: CacheEvent.Cause? =
            switch event.cause {
            case .evicted: .evicted
            case .expired: .expired
            case .replaced, .rejected: .replaced
            case .removed, .cleared: .removed
            case .closed: nil
            }
        guard let cause else { return }
        let told = CacheEvent(
            group: event.key.path.first, key: event.key.key, value: event.value.bytes, cause: cause)
        self.told.withLock { $0.append(told) }
    }
}
