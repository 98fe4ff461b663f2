import Synchronization

/// Lets writers go on until enough reads have run beside them.
///
/// A fixed number of writes can be over before another thread has a processor, and then nothing was shown.
final class Overlap: Sendable {
    /// So many reads beside writes are enough.
    static let enough = 100

    private let writesMin: Int
    private let enough: Int
    private let timeMin: Duration
    private let timeMax: Duration
    private let start = ContinuousClock.now
    private let writes = Atomic(0)
    private let reads = Atomic(0)
    private let ended = Atomic(false)

    /// - Parameters:
    ///   - writesMin: How many writes there are at least, all writers together.
    ///   - enough: So many reads beside writes are enough.
    ///   - timeMin: How long writers go on at least: clients are held now and then, and the right moment for that is short.
    ///   - timeMax: How long writers wait for reads when they have done these.
    init(
        writesMin: Int, enough: Int = Overlap.enough, timeMin: Duration = .milliseconds(20),
        timeMax: Duration = .milliseconds(500)
    ) {
        (self.writesMin, self.enough, self.timeMin, self.timeMax) = (writesMin, enough, timeMin, timeMax)
    }

    /// How many reads had a write that ended while they ran.
    var readsBeside: Int { reads.load(ordering: .relaxed) }

    var isOver: Bool { ended.load(ordering: .relaxed) }

    /// Writes `once` again and again, each time with the next number of this writer, until there were enough of both or
    /// somebody complains.
    func write(_ once: (_ number: Int) -> String?) -> String? {
        defer { ended.store(true, ordering: .relaxed) }
        var number = 0
        while !isOver {
            if let wrong = once(number) { return wrong }
            number += 1
            let all = writes.add(1, ordering: .relaxed).newValue
            guard all >= writesMin else { continue }
            let time = ContinuousClock.now - start
            if time > timeMin, time > timeMax || readsBeside >= enough { break }
        }
        return nil
    }

    /// As the other, where everybody writes: what another has written meanwhile counts as a read does.
    func writeAmongWriters(_ once: (_ number: Int) -> String?) -> String? {
        write { number in
            let before = writes.load(ordering: .relaxed)
            let wrong = once(number)
            if writes.load(ordering: .relaxed) > before { reads.add(1, ordering: .relaxed) }
            return wrong
        }
    }

    /// Reads `once` again and again until the writers are done; the first complaint ends all.
    func read(_ once: () -> String?) -> String? {
        repeat {
            let before = writes.load(ordering: .relaxed)
            let wrong = once()
            if writes.load(ordering: .relaxed) > before { reads.add(1, ordering: .relaxed) }
            if let wrong {
                ended.store(true, ordering: .relaxed)
                return wrong
            }
        } while !isOver
        return nil
    }

    /// Inconclusive where less ran beside writes in all runs than one of them should have shown. A run for each of many seeds
    /// must have shown something.
    static func require(_ beside: Int, of runs: Int, _ what: String, min: Int = enough) throws(CheckStop) {
        guard beside < (runs == 1 ? 1 : min) else { return }
        throw .inconclusive("\(beside) \(what) ran beside a write; the machine is too busy")
    }
}
