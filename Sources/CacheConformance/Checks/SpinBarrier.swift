import Foundation
import Synchronization

/// Where threads wait for each other without sleeping, again and again, so that they leave it together.
final class SpinBarrier: Sendable {
    private let count: Int
    private let arrivals = Atomic(0)

    /// A barrier for so many threads, each of which comes equally often.
    init(of count: Int) { self.count = count }

    /// Waits until all have come.
    func meet() {
        let mine = arrivals.add(1, ordering: .acquiringAndReleasing).newValue
        let wanted = (mine + count - 1) / count * count
        var looks = 0
        while arrivals.load(ordering: .acquiring) < wanted {
            looks += 1
            // On a busy machine another may wait for this one's processor.
            if looks % 500 == 0 { sched_yield() }
        }
    }

    /// Comes a little later, by less than a microsecond for each unit.
    func linger(_ time: Int) {
        for _ in 0..<20 * time { _ = arrivals.load(ordering: .relaxed) }
    }
}
