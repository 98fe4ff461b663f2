internal import CacheCore
internal import Yams

/// The fields of one mapping in a workload file. Every field must be known and every error says where.
struct WorkloadFields {
    private let pairs: [(name: String, key: Node, value: Node)]
    private let path: String
    private let line: Int?
    private var used: [String] = []

    /// The fields of a node.
    ///
    /// - Throws: `AssayError` with code `badInput` if it is no mapping of plain names.
    init(_ node: Node, path: String) throws(AssayError) {
        self.path = path
        line = node.mark?.line
        guard let mapping = node.mapping else {
            throw AssayError(
                .badInput, "Expected fields, each 'name: value' on its own line.",
                at: AssayError.Location(path, line: node.mark?.line))
        }
        var pairs: [(name: String, key: Node, value: Node)] = []
        for (key, value) in mapping {
            guard let name = key.scalar?.string else {
                throw AssayError(
                    .badInput, "A field's name must be a word.", at: AssayError.Location(path, line: key.mark?.line))
            }
            pairs.append((name, key, value))
        }
        self.pairs = pairs
    }

    /// A text that must be there and not empty.
    mutating func text(_ name: String) throws(AssayError) -> String {
        let value = try scalar(name)
        guard let value, !value.isEmpty else { throw missing(name) }
        return value
    }

    /// A text, nil if it is not there.
    mutating func optionalText(_ name: String) throws(AssayError) -> String? { try scalar(name) }

    /// Every field that nobody has asked for yet, for somebody else to understand; numbers without their underscores.
    mutating func rest() throws(AssayError) -> [SystemWorkload.Setting] {
        var settings: [SystemWorkload.Setting] = []
        for pair in pairs where !used.contains(pair.name) {
            guard let text = try scalar(pair.name) else { continue }
            let isNumber = text.allSatisfy { $0.isNumber || "_.-".contains($0) }
            settings.append(
                SystemWorkload.Setting(
                    pair.name, isNumber ? text.replacing("_", with: "") : text, line: pair.key.mark?.line))
        }
        return settings
    }

    /// A whole number; `standard` if the field is not there, an error if there is no standard either.
    mutating func integer(_ name: String, default standard: Int? = nil) throws(AssayError) -> Int {
        guard let text = try scalar(name) else {
            guard let standard else { throw missing(name) }
            return standard
        }
        guard let value = Int(text.replacing("_", with: "")) else {
            throw fault(name, "'\(text)' is not a whole number")
        }
        return value
    }

    /// A real number; `standard` if the field is not there, an error if there is no standard either.
    mutating func number(_ name: String, default standard: Double? = nil) throws(AssayError) -> Double {
        guard let text = try scalar(name) else {
            guard let standard else { throw missing(name) }
            return standard
        }
        guard let value = Double(text.replacing("_", with: "")), value.isFinite else {
            throw fault(name, "'\(text)' is not a number")
        }
        return value
    }

    /// The fields inside a field, nil if it is not there.
    mutating func fields(_ name: String) throws(AssayError) -> WorkloadFields? {
        used.append(name)
        guard let pair = pairs.first(where: { $0.name == name }) else { return nil }
        return try WorkloadFields(pair.value, path: path)
    }

    /// A list of texts, nil if it is not there.
    mutating func texts(_ name: String) throws(AssayError) -> [String]? {
        guard let nodes = try nodes(name) else { return nil }
        var texts: [String] = []
        for node in nodes {
            guard let text = node.scalar?.string else { throw fault(name, "expected a list of values, as [a, b]") }
            texts.append(text)
        }
        return texts
    }

    /// A list of whole numbers that must be there.
    mutating func integers(_ name: String) throws(AssayError) -> [Int] {
        guard let texts = try texts(name) else { throw missing(name) }
        var numbers: [Int] = []
        for text in texts {
            guard let number = Int(text.replacing("_", with: "")) else {
                throw fault(name, "'\(text)' is not a whole number")
            }
            numbers.append(number)
        }
        return numbers
    }

    /// A list of mappings; empty if it is not there.
    mutating func sequence(_ name: String) throws(AssayError) -> [WorkloadFields] {
        var all: [WorkloadFields] = []
        for node in try nodes(name) ?? [] { all.append(try WorkloadFields(node, path: path)) }
        return all
    }

    /// `true` or `false`; false if it is not there.
    mutating func flag(_ name: String) throws(AssayError) -> Bool {
        guard let text = try scalar(name) else { return false }
        guard let value = Bool(text) else { throw fault(name, "'\(text)' is neither true nor false") }
        return value
    }

    /// Where the fields begin.
    var place: AssayError.Location { AssayError.Location(path, line: line) }

    /// An error about a field, at its line.
    func fault(_ name: String, _ what: String) -> AssayError {
        let pair = pairs.first { $0.name == name }
        return AssayError(
            .badInput, "\(name): \(what).", at: AssayError.Location(path, line: pair?.key.mark?.line ?? line))
    }

    /// Ends reading.
    ///
    /// - Throws: `AssayError` with code `badInput` for a field that nobody asked for, which is a misspelt one.
    func finish() throws(AssayError) {
        guard let unknown = pairs.first(where: { !used.contains($0.name) }) else { return }
        let near = nearestName(to: unknown.name, among: used).map { " Did you mean '\($0)'?" } ?? ""
        throw AssayError(
            .badInput, "Unknown field '\(unknown.name)'; here belong \(used.joined(separator: ", ")).\(near)",
            at: AssayError.Location(path, line: unknown.key.mark?.line))
    }

    private mutating func nodes(_ name: String) throws(AssayError) -> [Node]? {
        used.append(name)
        guard let pair = pairs.first(where: { $0.name == name }) else { return nil }
        guard let sequence = pair.value.sequence else { throw fault(name, "expected a list, as [a, b]") }
        return Array(sequence)
    }

    private mutating func scalar(_ name: String) throws(AssayError) -> String? {
        used.append(name)
        guard let pair = pairs.first(where: { $0.name == name }) else { return nil }
        guard let text = pair.value.scalar?.string else { throw fault(name, "expected one value") }
        return text
    }

    private func missing(_ name: String) -> AssayError {
        fault(name, "the field is missing or empty; add '\(name): …'")
    }
}
