public import CacheGate

/// A figure as it was recorded.
public struct RecordedFigure: Sendable, Hashable {
    /// The commit's digest.
    public var commit: String
    /// Where it was measured.
    public var machine: String
    /// The figure.
    public var figure: ResultFigure

    /// A figure as it was recorded.
    public init(commit: String, machine: String, figure: ResultFigure) {
        self.commit = commit
        self.machine = machine
        self.figure = figure
    }
}

extension FigureHistory {
    /// Series of recorded figures, with their changes.
    ///
    /// A series follows its subject over a change of parameters, as long as no commit has results with several of them. Exact
    /// figures change at every other value; counted and timed ones where their level does, by ranks and seeded shuffles.
    ///
    /// - Parameters:
    ///   - commits: The commits in any order.
    ///   - figures: What was recorded, the oldest entry first.
    ///   - places: Where the commits stand in the repository's order. They are sorted by time if one has no place.
    public init(commits: [Commit], figures: [RecordedFigure], places: [String: Int]) {
        let strangers = commits.count { places[$0.digest] == nil }
        let places = strangers == 0 ? places : nil
        let ordered = commits.sorted { a, b in
            if let first = places?[a.digest], let second = places?[b.digest] { return first < second }
            return (a.time, a.digest) < (b.time, b.digest)
        }
        let order = Dictionary(uniqueKeysWithValues: ordered.enumerated().map { ($1.digest, $0) })
        let known = figures.filter { order[$0.commit] != nil }
        var (series, notes): ([Series], [String]) = ([], [])
        if strangers > 0 {
            notes.append(
                "The commits are in the order of their times: \(strangers) of \(commits.count) are in no repository here."
            )
        }
        var tooShort = 0
        for (key, group) in Dictionary(grouping: known, by: SeriesKey.init) {
            for part in Self.separated(group) {
                var one = key.series(part, order, &notes)
                one.changes = one.kind == .exact ? Self.exactChanges(one.points) : Self.levelChanges(one.points)
                for index in one.changes.indices {
                    let point = one.changes[index].point
                    let ends = [one.points[point - 1], one.points[point]].compactMap {
                        places?[ordered[$0.commit].digest]
                    }
                    if ends.count == 2 { one.changes[index].unrecordedCommits = max(0, ends[1] - ends[0] - 1) }
                }
                if one.kind != .exact, one.points.count < ChangeDetector.fewestValues { tooShort += 1 }
                series.append(one)
            }
        }
        if tooShort > 0 {
            notes.append(
                "Of the counted and timed figures \(tooShort) have fewer than \(ChangeDetector.fewestValues) commits: no change "
                    + "of theirs can be told from noise yet.")
        }
        if series.contains(where: { $0.kind != .exact && $0.points.count >= ChangeDetector.fewestValues }) {
            notes.append(
                "A change of a counted or timed figure is seen \(ChangeDetector.shortestPart) commits after it at the earliest: "
                    + "nothing is said of the last \(ChangeDetector.shortestPart - 1). One of an exact figure is seen at once."
            )
        }
        self.init(
            commits: ordered, series: series.sorted { $0.sortKey.lexicographicallyPrecedes($1.sortKey) },
            notes: notes.sorted())
    }

    /// One group, or one for each set of parameters if some commit has several.
    private static func separated(_ group: [RecordedFigure]) -> [[RecordedFigure]] {
        let byCommit = Dictionary(grouping: group, by: \.commit)
        guard byCommit.values.contains(where: { Set($0.map(\.figure.parameters)).count > 1 }) else { return [group] }
        return Array(Dictionary(grouping: group, by: \.figure.parameters).values)
    }

    private static func exactChanges(_ points: [Point]) -> [Change] {
        points.indices.dropFirst().filter { points[$0].value != points[$0 - 1].value }.map {
            Change(point: $0, before: points[$0 - 1].value, after: points[$0].value)
        }
    }

    private static func levelChanges(_ points: [Point]) -> [Change] {
        let values = points.compactMap(\.value.number)
        guard values.count == points.count else { return [] }
        let found = ChangeDetector().changes(in: values)
        let ends = [0] + found.map(\.index) + [values.count]
        return found.enumerated().map { index, change in
            Change(
                point: change.index, before: .real(median(values[ends[index]..<change.index])),
                after: .real(median(values[change.index..<ends[index + 2]])), chance: change.chance)
        }
    }

    /// The middle value, or the mean of the two in the middle.
    static func median(_ values: ArraySlice<Double>) -> Double {
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}

/// What makes two recorded figures values of one series.
private struct SeriesKey: Hashable {
    var subject: String
    var place: [String: String]
    var name: String
    var unit: String
    var machine: String

    init(_ recorded: RecordedFigure) {
        let figure = recorded.figure
        (subject, place, name, unit) = (figure.subject, figure.place, figure.name, figure.unit)
        machine = figure.kind == .exact ? "" : recorded.machine
    }

    /// The series of these figures without its changes.
    func series(
        _ group: [RecordedFigure], _ order: [String: Int], _ notes: inout [String]
    ) -> FigureHistory.Series {
        // A later Assay may know better how a figure is compared.
        let newest = group[group.count - 1].figure
        var points: [FigureHistory.Point] = []
        for (commit, same) in Dictionary(grouping: group, by: \.commit) {
            let last = same[same.count - 1].figure
            var value = last.value
            let numbers = same.compactMap(\.figure.value.number)
            if newest.kind == .exact {
                if same.contains(where: { $0.figure.value != value }) {
                    notes.append(
                        "The exact figure \(name) of \(subject) was recorded with several values at \(commit.prefix(10)); the last counts."
                    )
                }
            } else if numbers.count > 1 {
                value = .real(FigureHistory.median(numbers[...]))
            }
            points.append(.init(commit: order[commit, default: 0], parameters: last.parameters, value: value))
        }
        return FigureHistory.Series(
            subject: subject, place: place, name: name, unit: unit, kind: newest.kind, better: newest.better,
            machine: machine, points: points.sorted { $0.commit < $1.commit }, changes: [])
    }
}

extension FigureHistory.Series {
    fileprivate var sortKey: [String] {
        let conditions = place.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return [name, subject] + conditions + [machine, points.first?.parameters ?? ""]
    }
}
