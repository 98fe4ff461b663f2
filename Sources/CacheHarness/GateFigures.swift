public import CacheCore

/// A count that a gate compares by equality.
struct GateFigure: Sendable {
    /// Which side of the baseline is worse.
    enum WorseSide {
        /// Fewer is worse.
        case fewer
        /// More is worse.
        case more
        /// Any difference means that the two runs did not do the same work.
        case either
        /// No side is worse.
        case neither
    }

    var name: String
    var worse: WorseSide
    /// The count; nil where nobody counted.
    var value: @Sendable (ReplayCounts) -> Int?

    /// Every exact figure, the most telling first.
    static let exact: [GateFigure] = [
        GateFigure(name: "requests", worse: .either) { $0.requests },
        GateFigure(name: "bytes_requested", worse: .either) { $0.bytesRequested },
        GateFigure(name: "hits", worse: .fewer) { $0.hits },
        GateFigure(name: "bytes_hit", worse: .fewer) { $0.bytesHit },
        GateFigure(name: "evictions", worse: .more) { $0.countedEvictions },
        GateFigure(name: "bytes_written", worse: .more) { $0.bytesWritten },
        GateFigure(name: "resident_objects", worse: .neither) { $0.residentObjects },
        GateFigure(name: "resident_weight", worse: .neither) { $0.residentWeight },
    ]

    func difference(_ before: ReplayCounts, _ after: ReplayCounts) -> FigureDifference? {
        guard let old = value(before), let new = value(after), old != new else { return nil }
        let direction: FigureDifference.Direction =
            switch worse {
            case .fewer: new < old ? .worse : .better
            case .more: new > old ? .worse : .better
            case .either: .worse
            case .neither: .neutral
            }
        return FigureDifference(name, baseline: Double(old), candidate: Double(new), direction)
    }
}

extension Gate {
    /// Compares bytes per entry if both sides were counted by the same meter.
    static func compareMemory(
        _ before: MemoryFigures?, _ after: MemoryFigures?, _ rules: GateRules,
        _ differences: inout [FigureDifference], _ notCompared: inout [String]
    ) {
        guard let old = before?.bytesPerEntry else { return }
        guard let new = after?.bytesPerEntry else {
            if rules.allowsMissing {
                notCompared.append("bytes_per_entry: not measured in the candidate")
            } else {
                differences.append(FigureDifference("bytes_per_entry", baseline: old, candidate: nil, .worse))
            }
            return
        }
        guard before?.meter == after?.meter else {
            notCompared.append("bytes_per_entry: counted by \(before?.meter ?? "") and by \(after?.meter ?? "")")
            return
        }
        guard abs(new - old) > old * rules.bytesPerEntryTolerance else { return }
        differences.append(
            FigureDifference("bytes_per_entry", baseline: old, candidate: new, new > old ? .worse : .better))
    }
}

extension GateRules {
    /// Reads tolerances as `bytes-per-entry=0.5%` (or as a fraction, `bytes-per-entry=0.005`) into the rules.
    ///
    /// - Throws: `AssayError` with code `usage` for a figure that has no tolerance or a value out of `0...100%`.
    public mutating func setTolerance(parsing text: String) throws(AssayError) {
        let place = AssayError.Location("--tolerance")
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw AssayError(.usage, "'\(text)' is not a tolerance. Write bytes-per-entry=0.5%.", at: place)
        }
        guard parts[0] == "bytes-per-entry" else {
            throw AssayError(
                .usage,
                "'\(parts[0])' has no tolerance: counts are compared exactly and times never. Only bytes-per-entry has one.",
                at: place)
        }
        let isPercent = parts[1].hasSuffix("%")
        let number = Double(isPercent ? String(parts[1].dropLast()) : parts[1])
        guard let number, number.isFinite, number >= 0, number <= (isPercent ? 100 : 1) else {
            throw AssayError(.usage, "'\(parts[1])' is not a tolerance from 0% to 100%, such as 0.5%.", at: place)
        }
        bytesPerEntryTolerance = isPercent ? number / 100 : number
    }
}
