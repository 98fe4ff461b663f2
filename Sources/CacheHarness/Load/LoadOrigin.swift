internal import CacheCore
internal import Foundation
internal import Synchronization

/// A simulated origin of what a cache misses: a load takes time and has no other effect.
struct LoadOrigin<Clock: LoadClock>: Sendable {
    private let clock: Clock
    private let cost: BenchLoad.MissCost
    private let seed: UInt64
    private let flights: SingleFlight?
    private let columns: RequestColumns

    /// An origin whose loads cost that much; with read-through, threads that want the same object share a load.
    init(_ load: BenchLoad, _ columns: RequestColumns, seed: UInt64, clock: Clock) {
        self.columns = columns
        self.clock = clock
        self.seed = seed
        cost = load.missCost
        flights = load.loading == .readThrough && load.threads > 1 ? SingleFlight() : nil
    }

    /// What a load of an object costs, in nanoseconds: what the trace states at a place, or the same at each load.
    func nanoseconds(of id: ObjectID, at place: Int) -> UInt64 {
        if let unit = cost.traceUnitNanoseconds { return UInt64(min((columns.costs?[place] ?? 1) * unit, 1e12)) }
        guard cost.sigma > 0 else { return UInt64(cost.medianNanoseconds) }
        var generator = SeededGenerator(seed: seed ^ mix64(UInt64(id)))
        // Box and Muller: a normal number from two uniform ones, the first of which must not be 0.
        let normal = sqrt(-2 * log(1 - generator.nextUnit())) * cos(2 * .pi * generator.nextUnit())
        return UInt64(min(cost.medianNanoseconds * exp(cost.sigma * normal), 1e12))
    }

    /// Loads an object and then stores it by `store`, unless another thread does both meanwhile.
    @inline(__always)
    func load(_ id: ObjectID, at place: Int, thenStore store: () throws(AssayError) -> Void) throws(AssayError) {
        guard let flights else {
            pause(id, place)
            return try store()
        }
        guard flights.begin(id) else { return }
        defer { flights.end(id) }
        pause(id, place)
        try store()
    }

    private func pause(_ id: ObjectID, _ place: Int) {
        guard cost.medianNanoseconds > 0 || cost.traceUnitNanoseconds != nil else { return }
        clock.wait(untilNanoseconds: clock.nowNanoseconds() &+ nanoseconds(of: id, at: place))
    }
}

/// Lets one thread at a time load an object while the others that want it wait for that load.
final class SingleFlight: Sendable {
    private let waiting = Mutex<[ObjectID: [DispatchSemaphore]]>([:])

    /// Returns true at once if nobody loads the object: the caller does, and calls ``end(_:)``. Otherwise waits until that
    /// load has ended and returns false.
    func begin(_ id: ObjectID) -> Bool {
        let landed = waiting.withLock { waiting -> DispatchSemaphore? in
            guard waiting[id] != nil else {
                waiting[id] = []
                return nil
            }
            let landed = DispatchSemaphore(value: 0)
            waiting[id]?.append(landed)
            return landed
        }
        landed?.wait()
        return landed == nil
    }

    /// Ends a load.
    func end(_ id: ObjectID) {
        for landed in waiting.withLock({ $0.removeValue(forKey: id) ?? [] }) { landed.signal() }
    }
}
