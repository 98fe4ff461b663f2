/// What can be read off one failure, to tell whether another has the same cause.
struct FailureSigns {
    /// How the failure shows: `answered` for a wrong answer, the code of an error, `crashed` or `hung`.
    let ending: String
    /// What an error says, up to where it names or counts something.
    let message: ArraySlice<Substring>
    /// Whether no cache could be opened.
    let isOpening: Bool
    /// What was asked last, whose answer was wrong; nil where the failure has no program.
    let asked: String?
    /// What the program does besides reading, as words; nil where the failure has no program.
    let deeds: Set<String>?
    /// How many operations the program has, but for those that let time pass; nil where the failure has no program.
    let length: Int?
    /// What was seen in the place of what is permitted, without names, numbers and contents.
    let difference: String

    private static let looks: Set<String> = [
        "get", "contains", "list", "cost", "statistics", "events", "writes", "remainingTime", "diskUsage",
    ]

    init(_ result: CheckResult) {
        let failure = result.failure
        isOpening = failure?.observed.hasPrefix("opening threw ") == true
        let words = (failure?.observed ?? "").split { $0 == " " || $0 == ":" }.drop { $0 == "opening" }
        switch result.outcome {
        case .crashed: ending = "crashed"
        case .hung: ending = "hung"
        case _ where failure?.end != nil: ending = failure!.end!.rawValue
        default:
            ending = words.count > 1 && words.first == "threw" ? String(words.dropFirst().first!) : "answered"
        }
        let isError = !["answered", "crashed", "hung"].contains(ending)
        message = isError ? words.dropFirst(2).prefix { !$0.contains { $0.isNumber || "\"'`".contains($0) } } : []
        var names: Set<String>?
        var last: String?
        if let program = failure?.program {
            let lists = program.operations.map(Self.names)
            names = lists.reduce(into: []) { $0.formUnion($1) }
            last = lists.last?.last
            let written = program.operations.compactMap { if case .put(let key, _, _, _) = $0 { key } else { nil } }
            if Set(written).count < written.count { names?.insert("overwrite") }
            if program.setup.capacity != nil { names?.insert("capacity") }
        }
        asked = last
        length = failure?.program?.operations.count { if case .advance = $0 { false } else { true } }
        deeds = names?.subtracting(["get"])
        difference = failure.map { Self.difference($0.observed, $0.permitted) } ?? ending
    }

    /// Whether this failure would also make the other one: it shows in the same way, an error by the same words, and the other
    /// program is no shorter and does all that this one needs, which may ask in another way at the end. Where one of them has no
    /// program, that a check names the other has to suffice.
    func explains(_ other: FailureSigns, isNamed: Bool) -> Bool {
        guard ending == other.ending else { return false }
        guard var needed = deeds, let others = other.deeds, let length, let room = other.length else {
            return isNamed
        }
        guard length <= room, message == other.message else { return false }
        if let asked, Self.looks.contains(asked) { needed.remove(asked) }
        return needed.subtracting(["capacity"]).isSubset(of: others)
    }

    /// The words of an operation, its own last: what it has inside or beside its value is a word too. Every way to write is also
    /// a put, and an entry whose time is over from the start is as one whose end has come.
    private static func names(_ operation: CacheOperation) -> [String] {
        switch operation {
        case .within(_, let inner): ["group"] + names(inner)
        case .count, .keys, .firstKeys: ["list"]
        case .advance: ["end"]
        case .load(_, let origin): (origin.meanwhile.isEmpty ? [] : ["meanwhile"]) + ["load"]
        case .put(_, _, let moment, let terms): (moment == nil ? [] : ["expiry"]) + names(terms) + ["put"]
        case .putIfAbsent(_, _, let terms), .replace(_, _, let terms): names(terms) + ["put", operation.name]
        case .exchange, .compareAndSet, .setIfMarked, .putMany, .update: ["put", operation.name]
        default: [operation.name]
        }
    }

    private static func names(_ terms: PutTerms) -> [String] {
        (terms.timeToLiveNanoseconds.map { $0 > 0 ? ["timeToLive"] : ["timeToLive", "end"] } ?? [])
            + (terms.tags.isEmpty ? [] : ["tags"])
    }

    /// What is seen in the place of what, without what differs from one program to the next.
    private static func difference(_ observed: String, _ permitted: String) -> String {
        if let seen = Int(observed), let due = Int(permitted) { return seen > due ? "too many" : "too few" }
        let (seen, due) = (kind(observed), kind(permitted))
        return seen == due ? "other than permitted: \(seen)" : "\(seen) instead of \(due)"
    }

    private static func kind(_ text: String) -> String {
        if text == "nil" || text.hasPrefix("no ") { return "nothing" }
        if text.hasPrefix("value ") || text.hasPrefix("an empty value") || text.hasPrefix("0x") { return "a value" }
        if text.first(where: { $0 != "-" })?.isNumber == true { return "numbers" }
        if text.contains("… (") { return "a long list" }
        var words = text.prefix { !$0.isNumber && $0 != "\"" && $0 != ":" }.split(separator: " ")
        // What was cut off is not asked for.
        while let last = words.last, ["of", "for", "with", "a", "at", "to"].contains(last) { words.removeLast() }
        if words.isEmpty { return text.isEmpty ? "nothing" : "something else" }
        return words.joined(separator: " ")
    }
}

extension ConformanceSuite {
    /// What every check of another section builds on: that a missing key misses, and that a put, an overwrite and a removal
    /// are seen by the next read.
    static let foundations = ["BAS-1", "BAS-2", "BAS-3", "BAS-4"]

    /// The checks, each after those that it builds on, else in the order of the catalogue. What is not among the checks is left
    /// out.
    var inOrderOfDependence: [Check] {
        let known = Dictionary(checks.map { ($0.id, $0) }) { first, _ in first }
        var seen: Set<String> = []
        var order: [Check] = []
        func visit(_ check: Check) {
            guard seen.insert(check.id).inserted else { return }
            for id in explanations(of: check) { if let other = known[id] { visit(other) } }
            order.append(check)
        }
        checks.forEach(visit)
        return order
    }

    /// The checks whose failure explains a failure of a check: those that it names, the foundations, and for one that sweeps
    /// every one of the suite that does not.
    func explanations(of check: Check) -> [String] {
        guard check.head.sweeps else { return check.buildsOn }
        return check.buildsOn + checks.filter { !$0.head.sweeps && !check.buildsOn.contains($0.id) }.map(\.id)
    }
}

extension Check {
    /// The checks that it names, and the foundations if it is of another section.
    var buildsOn: [String] {
        head.dependsOn
            + (section == "BAS" ? [] : ConformanceSuite.foundations.filter { !head.dependsOn.contains($0) })
    }
}

extension CheckResult {
    /// The result, blocked by the first check it builds on whose failure explains its own: one fault, one failure.
    ///
    /// What is blocked always has a failure among `earlier` behind it, so that the only failure of a run is never hidden. How
    /// it failed stays with the result.
    func explained(by earlier: [CheckResult], named: [String]) -> CheckResult {
        guard outcome.isNegative else { return self }
        let signs = FailureSigns(self)
        for other in earlier {
            // Of one that is blocked itself, the failure behind it is named.
            guard let root = other.outcome.isNegative ? other.id : other.failure == nil ? nil : other.blockedBy,
                FailureSigns(other).explains(signs, isNamed: named.contains(other.id))
            else { continue }
            var copy = self
            (copy.blockedBy, copy.outcome) = (root, .blocked(by: "by \(root), whose failure explains this one"))
            return copy
        }
        return self
    }
}
