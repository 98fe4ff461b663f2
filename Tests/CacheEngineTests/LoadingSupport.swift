import CacheCore
import CacheEngine
import CachePolicies
import Dispatch
import Synchronization

/// Makes a load wait until a test lets it go on.
final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func open() {
        let waiters = state.withLock {
            let waiters = $0.waiters
            $0 = (true, [])
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock {
                if !$0.isOpen { $0.waiters.append(continuation) }
                return $0.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// Counts from any thread.
final class Counter: Sendable {
    private let number = Atomic<Int>(0)
    var count: Int { number.load(ordering: .acquiring) }
    func add() { number.add(1, ordering: .acquiringAndReleasing) }
}

/// Runs what blocks on a thread of its own: those of tasks are too few to be blocked.
func onThread<Output: Sendable>(_ body: @escaping @Sendable () throws -> Output) async throws -> Output {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
    }
}

struct LoadFailure: Error, Equatable {}

/// A cache with a virtual clock that starts at 0.
func makeCache(
    _ capacity: Capacity = .objects(100), _ change: (inout CacheOptions<Int, Int>) -> Void = { _ in }
) throws -> (Cache<Int, Int>, VirtualClock) {
    let clock = VirtualClock()
    var options = CacheOptions<Int, Int>(capacity: capacity)
    options.clock = clock
    change(&options)
    return (try Cache(options, policy: LRUPolicy<UnitSizes>.self), clock)
}

/// Waits until something that another task does has come about.
func eventually(_ holds: () -> Bool) async -> Bool {
    for _ in 0..<1_000_000 {
        if holds() { return true }
        await Task.yield()
    }
    return holds()
}
