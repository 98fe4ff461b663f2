public import CacheCore
internal import Foundation

// Two processes: one fills a store and is killed, the next one opens what it left.
extension LiveRun {
    /// Fills a store with the trace and then kills this process, without closing or flushing anything. Returns only for a
    /// backend that keeps nothing in a directory.
    ///
    /// - Throws: `AssayError` as the timing passes do.
    public func fillAndDie(directory: String) throws(AssayError) {
        guard subject.needsDirectory else { return }
        let ledger = newLedger()
        let cache = try newCache(over: openLocation(Self.store(directory)), ledger)
        _ = try driver(cache, ledger).drive(LoadCursor(0..<requests.traceCount))
        let count = try cache.count()
        do {
            try Data("\(count)".utf8).write(to: URL(filePath: Self.account(directory)))
        } catch {
            throw AssayError(.inputOutput, "\(directory) cannot be written", cause: "\(error)")
        }
        kill(getpid(), SIGKILL)
        withExtendedLifetime(cache) {}
    }

    /// Opens the store of a process that was killed, closes it, and opens it again.
    ///
    /// - Throws: `AssayError` with code `unavailable` or `inputOutput` if the store cannot be opened or closed.
    public func recovery(directory: String) throws(AssayError) -> LifecycleFigures {
        let account = FileManager.default.contents(atPath: Self.account(directory))
        guard let before = account.flatMap({ Int(String(decoding: $0, as: UTF8.self)) }) else {
            throw AssayError(.inputOutput, "nothing was filled in \(directory)")
        }
        let ledger = newLedger()
        func opened() throws(AssayError) -> (cache: SubjectCache, nanoseconds: Int) {
            let start = MonotonicClock.nowNanoseconds()
            let cache = try newCache(over: openLocation(Self.store(directory)), ledger, mayHoldEntries: true)
            return (cache, Int(MonotonicClock.nowNanoseconds() &- start))
        }
        let (first, recover) = try opened()
        let recovered = try first.count()
        let start = MonotonicClock.nowNanoseconds()
        try first.close()
        let close = Int(MonotonicClock.nowNanoseconds() &- start)
        let (second, open) = try opened()
        let entries = try second.count()
        try second.close()
        return LifecycleFigures(
            entriesBeforeKill: before, entriesRecovered: recovered, recoverNanoseconds: recover,
            closeNanoseconds: close, openNanoseconds: open, entriesOpened: entries)
    }

    private static func store(_ directory: String) -> String { directory + "/store" }
    private static func account(_ directory: String) -> String { directory + "/entries" }
}
