internal import CacheCore

/// Every kind of recorded results, from which reports can be made again.
public enum ReportKinds {
    /// The kinds; a new one is a file that conforms to ``ReportedResults`` and a line here.
    public static let all: [any ReportedResults.Type] = [
        RunResults.self, CurveResults.self, AdviceResults.self, BenchResults.self, SystemResults.self,
    ]
}
