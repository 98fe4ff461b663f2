import CacheCore

/// Small traces, all of a kind.
enum ShortTraces {
    /// Every trace of that many requests up to renaming.
    static func all(length: Int, objects: UInt32) -> [[ObjectID]] {
        var traces: [[ObjectID]] = [[]]
        for _ in 0..<length {
            traces = traces.flatMap { trace in
                (0...min(trace.max().map { $0 + 1 } ?? 0, objects - 1)).map { trace + [$0] }
            }
        }
        return traces
    }
}
