public import CacheCore

extension CacheState {
    /// Gives an entry a deadline instead of the one that it had, `.max` for none. O(1).
    @usableFromInline
    mutating func setDeadline(_ id: ObjectID, _ deadline: Int64, slides: Bool) {
        if deadlines == nil { startTimers() }
        deadlines![Int(id)] = deadline
        table.states[Int(id)].slides = slides
        let due = saturatingSum(deadline, settings.staleNanoseconds)
        if due == .max { timers!.cancel(id) } else { timers!.schedule(id, at: due) }
    }

    private mutating func startTimers() {
        let rows = table.rows
        let column = UnsafeMutablePointer<Int64>.allocate(capacity: rows)
        column.initialize(repeating: .max, count: rows)
        deadlines = column
        timers = TimerWheel(ids: rows, now: settings.now())
    }

    /// Ends every entry whose time is over. O(1) amortised for each, and for each step of the clock.
    @usableFromInline
    mutating func sweep(_ now: Int64) {
        guard timers != nil else { return }
        timers!.advance(to: now, into: &passed)
        guard !passed.isEmpty else { return }
        for id in passed {
            let due = saturatingSum(deadlines![Int(id)], settings.staleNanoseconds)
            if due <= now { drop(id, .expired) } else if due != .max { timers!.schedule(id, at: due) }
        }
        passed.removeAll(keepingCapacity: true)
    }

    /// Ends every entry whose time is over at this moment.
    @usableFromInline
    mutating func sweep() {
        if timers != nil { sweep(settings.now()) }
    }
}
