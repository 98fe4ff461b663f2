/// Failures that are likely to have one cause.
public struct FailureCause: Sendable, Hashable, Codable {
    /// What they have in common, in words: the operation whose answer is wrong, and how it is.
    public var title: String
    /// The checks that failed by it, the one with the shortest program first.
    public var checks: [String]
    /// The checks that are blocked by these.
    public var blocked: [String]

    /// The failures of a report by their likely cause, in the order of the catalogue.
    ///
    /// The rules are simple, and no more than a hint. A check whose failure is explained by one that it builds on stands with
    /// that one. Two failures that are left stand together if they end in the same way and words, ask the same operation last, see the
    /// same kind of thing in the place of the same kind of thing, and one of their programs does all that the other does.
    /// Failures without a program stand together if they are of one section, their clients' process ended or no cache could be
    /// opened, and what was seen differs in names and numbers alone.
    static func grouped(_ results: [CheckResult]) -> [FailureCause] {
        var groups: [[(result: CheckResult, signs: FailureSigns)]] = []
        for result in results where result.outcome.isNegative {
            let signs = FailureSigns(result)
            if let index = groups.firstIndex(where: { isAlike($0[0], (result, signs)) }) {
                groups[index].append((result, signs))
            } else {
                groups.append([(result, signs)])
            }
        }
        return groups.map { group in
            let first = group.min { ($0.signs.length ?? .max) < ($1.signs.length ?? .max) }!
            let ids = group.map(\.result.id).filter { $0 != first.result.id }
            let all = [first.result.id] + ids
            return FailureCause(
                title: title(first), checks: all,
                blocked: results.filter { $0.blockedBy.map(all.contains) == true }.map(\.id))
        }
    }

    private static func isAlike(
        _ one: (result: CheckResult, signs: FailureSigns), _ other: (result: CheckResult, signs: FailureSigns)
    ) -> Bool {
        guard one.signs.ending == other.signs.ending, one.signs.difference == other.signs.difference,
            one.signs.message == other.signs.message
        else { return false }
        guard let deeds = one.signs.deeds, let others = other.signs.deeds else {
            let hasEnded = ["crashed", "hung"].contains(one.signs.ending)
            return one.signs.deeds == nil && other.signs.deeds == nil
                && (hasEnded || one.signs.isOpening && other.signs.isOpening
                    || one.result.section == other.result.section)
        }
        return one.signs.asked == other.signs.asked && (deeds.isSubset(of: others) || others.isSubset(of: deeds))
    }

    private static func title(_ first: (result: CheckResult, signs: FailureSigns)) -> String {
        let signs = first.signs
        let how =
            switch signs.ending {
            case "crashed": "the process ends"
            case "hung": "no answer in time"
            case "answered": signs.difference
            default: "the error '\(signs.ending)'"
            }
        guard let asked = signs.asked, let deeds = signs.deeds else {
            if signs.isOpening { return "Opening: \(how)" }
            let seen = signs.ending == "answered" ? first.result.failure?.observed ?? how : how
            return seen.prefix(1).uppercased() + seen.dropFirst().prefix(99) + (seen.count > 100 ? "…" : "")
        }
        let before = deeds.subtracting([asked]).sorted().joined(separator: ", ")
        return "\(asked)\(before.isEmpty ? "" : " after \(before)"): \(how)"
    }
}

extension CheckResult {
    /// The letters before the number.
    var section: String { String(id.prefix { $0 != "-" }) }
}
