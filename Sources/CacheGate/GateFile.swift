public import CacheCore
internal import Yams

/// What `gate.yaml` says: what is compared, under which rules, and who may be worse for a time.
public struct GateFile: Sendable, Hashable {
    /// The largest file that is read, in bytes: 1 MiB.
    public static let bytesMax = 1 << 20

    /// The baseline, beside the file; nil if the file names none.
    public var baseline: String?
    /// Commands that write the results, in the folder of the file.
    public var run: [String]
    /// The files and folders of the candidate, beside the file.
    public var results: [String]
    /// The rules.
    public var rules: GateRules

    /// Reads the text of a file at `path`.
    ///
    /// - Throws: `AssayError` with code `badInput` and the line for a text that is not YAML, an unknown or malformed field,
    ///   an exception without a reason or an end.
    public init(_ text: String, path: String) throws(AssayError) {
        let node: Node?
        do { node = try Yams.compose(yaml: text) } catch {
            throw AssayError(.badInput, "This is not YAML.", at: .init(path), cause: "\(error)")
        }
        guard let node else { throw AssayError(.badInput, "The file is empty.", at: .init(path)) }
        let fields = try GateFields(
            node, path,
            [
                "baseline", "run", "results", "tolerances", "allow-missing", "allow-other-machine", "strict",
                "exceptions",
            ])
        func beside(_ name: String) -> String {
            guard let end = path.lastIndex(of: "/"), !name.hasPrefix("/") else { return name }
            return String(path[...end]) + name
        }
        baseline = try fields.text("baseline").map(beside)
        run = try fields.texts("run")
        // In brackets a comma ends a command, and many commands have some.
        let lines = run.count < 2 ? [] : Set(try fields.nodes("run").map { $0.mark?.line })
        guard run.count < 2 || lines.count == run.count else {
            throw AssayError(
                .badInput, "run: a comma in brackets ends a command. Write a line '- command' for each.",
                at: fields.place("run"))
        }
        results = try fields.texts("results").map(beside)
        rules = GateRules(
            allowsMissing: try fields.flag("allow-missing"), isStrict: try fields.flag("strict"),
            allowsOtherMachine: try fields.flag("allow-other-machine"))
        for (figure, text) in try fields.words("tolerances") {
            try rules.setTolerance(of: figure, text, at: fields.place("tolerances"), .badInput)
        }
        rules.exceptions = try fields.nodes("exceptions").map { node throws(AssayError) in
            try Self.exception(node, path)
        }
    }

    private static func exception(_ node: Node, _ path: String) throws(AssayError) -> GateException {
        let fields = try GateFields(
            node, path, ["subject", "place", "figure", "figures", "worse-by", "because", "until"])
        let (subject, reason, until) = (
            try fields.need("subject"), try fields.need("because"), try fields.need("until")
        )
        guard isDay(until) else {
            throw AssayError(.badInput, "'\(until)' is not a day, such as 2027-01-31.", at: fields.place("until"))
        }
        var figures: Set<String> = []
        for name in try fields.texts("figures") + fields.texts("figure") {
            let named = FigureKinds.named(name)
            guard !named.isEmpty else {
                throw AssayError(
                    .badInput, "'\(name)' is no figure that is compared. \(FigureKinds.choices(instead: name))",
                    at: fields.place("figure"))
            }
            figures.formUnion(named)
        }
        var worseBy = 0.0
        if let text = try fields.text("worse-by") {
            guard let fraction = Share.fraction(text) else {
                throw AssayError(.badInput, "'\(text)' is not a share, such as 2%.", at: fields.place("worse-by"))
            }
            worseBy = fraction
        }
        return GateException(
            subject: subject, place: Dictionary(try fields.words("place")) { first, _ in first }, figures: figures,
            worseBy: worseBy, reason: reason, until: until, source: fields.place("subject"))
    }

    /// Whether a text is a day of the calendar as `2027-01-31`.
    private static func isDay(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], let month = Int(parts[1]), let day = Int(parts[2]),
            let year = Int(parts[0])
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...12).contains(month) && (1...days[month - 1]).contains(day)
    }
}

/// The fields of one mapping, all of which are known.
private struct GateFields {
    private let values: [String: Node]
    private let path: String
    private let line: Int?

    init(_ node: Node, _ path: String, _ known: [String]) throws(AssayError) {
        (self.path, line) = (path, node.mark?.line)
        guard let mapping = node.mapping else {
            throw AssayError(.badInput, "Expected fields, each 'name: value'.", at: .init(path, line: node.mark?.line))
        }
        var values: [String: Node] = [:]
        for (key, value) in mapping {
            let name = key.scalar?.string ?? ""
            guard known.contains(name) else {
                let near = nearestName(to: name, among: known).map { " Did you mean '\($0)'?" } ?? ""
                throw AssayError(
                    .badInput, "Unknown field '\(name)'; here belong \(known.joined(separator: ", ")).\(near)",
                    at: .init(path, line: key.mark?.line))
            }
            values[name] = value
        }
        self.values = values
    }

    func place(_ name: String) -> AssayError.Location { .init(path, line: values[name]?.mark?.line ?? line) }

    func text(_ name: String) throws(AssayError) -> String? {
        guard let node = values[name] else { return nil }
        guard let text = node.scalar?.string, !text.isEmpty else { throw fault(name, "expected one value") }
        return text
    }

    func need(_ name: String) throws(AssayError) -> String {
        guard let text = try text(name) else { throw fault(name, "the field is missing; add '\(name): …'") }
        return text
    }

    func flag(_ name: String) throws(AssayError) -> Bool {
        guard let text = try text(name) else { return false }
        guard let flag = Bool(text) else { throw fault(name, "'\(text)' is neither true nor false") }
        return flag
    }

    func nodes(_ name: String) throws(AssayError) -> [Node] {
        guard let node = values[name] else { return [] }
        guard let sequence = node.sequence else { throw fault(name, "expected a list, as [a, b]") }
        return Array(sequence)
    }

    func texts(_ name: String) throws(AssayError) -> [String] {
        if let text = values[name]?.scalar?.string, !text.isEmpty { return [text] }
        var texts: [String] = []
        for node in try nodes(name) {
            guard let text = node.scalar?.string, !text.isEmpty else {
                throw fault(name, "expected a list of values, as [a, b]")
            }
            texts.append(text)
        }
        return texts
    }

    func words(_ name: String) throws(AssayError) -> [(String, String)] {
        guard let node = values[name] else { return [] }
        var words: [(String, String)] = []
        for (key, value) in node.mapping ?? [:] {
            guard let key = key.scalar?.string, let value = value.scalar?.string else {
                throw fault(name, "expected 'name: value' below it")
            }
            words.append((key, value))
        }
        if node.mapping == nil { throw fault(name, "expected 'name: value' below it") }
        return words
    }

    private func fault(_ name: String, _ what: String) -> AssayError {
        AssayError(.badInput, "\(name): \(what).", at: place(name))
    }
}
