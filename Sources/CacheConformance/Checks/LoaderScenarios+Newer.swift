import CacheCore

// Loads that go on while one that was overtaken ends.
extension LoaderChecks {
    /// LDR-23.
    ///
    /// Whoever comes after a removal may join the load that began before it: then there is no newer one. Two attempts count
    /// in which each came in time; on a busy machine somebody may come late.
    static func joinsNewer(_ context: CheckContext) throws(CheckStop) {
        var attempts = 0
        for pause in [20, 20, 40, 80, 160, 320] {
            let steps = [
                "thread 0: load 'slow' from an origin that removes it and then takes \(2 * pause) ms",
                "thread 1, \(pause) ms after the start: load it from an origin that takes \(4 * pause) ms",
                "thread 2, \(3 * pause) ms after the start: load it",
            ]
            let meanwhile: [[CacheOperation]] = [
                [.remove(slow), .pause(milliseconds: 2 * pause)], [.pause(milliseconds: 4 * pause)], [],
            ]
            let run = try context.threads(3, steps: steps) { thread, instance in
                rest(.milliseconds(pause * [0, 1, 3][thread]))
                let start = ContinuousClock.now
                var calls = 0
                if case .loaded(_, let own) = instance.perform(load(slow, thread, while: meanwhile[thread])) {
                    calls = own
                }
                return (calls: calls, start: start, end: ContinuousClock.now)
            }
            _ = run.instance.perform(.close)
            let (old, newer, late) = (run.results[0], run.results[1], run.results[2])
            if old.calls == 1, newer.calls == 0 { return }
            guard old.calls == 1, old.end <= late.start, late.start < newer.start + .milliseconds(4 * pause) else {
                continue
            }
            try context.require(
                late.calls == 0, observed: "thread 2 asked the origin while thread 1 did",
                permitted: "thread 2 gets what thread 1 loads", steps: steps)
            attempts += 1
            if attempts == 2 { return }
        }
        throw .inconclusive("one came too late for the others; the machine is too busy")
    }
}
