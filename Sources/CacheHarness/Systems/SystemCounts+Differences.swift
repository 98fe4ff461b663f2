import CacheCore

extension SystemCounts {
    /// What another pass counted otherwise, as `miss 8368 and 8369`.
    func differences(from other: SystemCounts) -> String {
        var pairs: [(String, Double, Double)] = SystemOutcome.allCases.map {
            ($0.rawValue, Double(outcomes[$0, default: 0]), Double(other.outcomes[$0, default: 0]))
        }
        pairs += [
            ("origin requests", Double(originRequests), Double(other.originRequests)),
            ("origin requests without", Double(originRequestsWithout), Double(other.originRequestsWithout)),
            ("bytes answered", Double(bytesAnswered), Double(other.bytesAnswered)),
            ("bytes from origin", Double(bytesFromOrigin), Double(other.bytesFromOrigin)),
            ("bytes without", Double(bytesWithout), Double(other.bytesWithout)),
            ("origin seconds", originSeconds, other.originSeconds),
            ("origin seconds without", originSecondsWithout, other.originSecondsWithout),
            ("requests in outages", Double(outageRequests), Double(other.outageRequests)),
            ("answered in outages", Double(outageAnswered), Double(other.outageAnswered)),
        ]
        func text(_ value: Double) -> String { value == value.rounded() ? String(Int64(value)) : String(value) }
        return pairs.filter { $0.1 != $0.2 }.map { "\($0.0) \(text($0.1)) and \(text($0.2))" }
            .joined(separator: ", ")
    }
}
