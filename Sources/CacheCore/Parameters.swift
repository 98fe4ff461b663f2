/// One tunable of a plug-in: its name, its kind with range and default, and what it does.
public struct ParameterSpecification: Hashable, Sendable {
    /// What values a parameter takes.
    public enum Kind: Hashable, Sendable {
        /// A whole number in a range.
        case integer(default: Int, ClosedRange<Int>)
        /// A real number in a range.
        case number(default: Double, ClosedRange<Double>)
        /// One of several words.
        case choice(default: String, [String])
        /// Any text.
        case text(default: String)
        /// Off unless named: written as `name`, `name=true` or `name=false`.
        case flag
    }

    /// The name, lower-case with dashes.
    public var name: String
    /// The values it takes.
    public var kind: Kind
    /// One sentence that says what it does.
    public var summary: String

    /// A parameter with its kind and a one-sentence summary.
    public init(_ name: String, _ kind: Kind, _ summary: String) {
        self.name = name
        self.kind = kind
        self.summary = summary
    }

    /// The default, as it would be written.
    public var defaultText: String {
        switch kind {
        case .integer(let value, _): "\(value)"
        case .number(let value, _): "\(value)"
        case .choice(let value, _): value
        case .text(let value): value
        case .flag: "false"
        }
    }

    /// The values that are allowed, in words.
    public var rangeText: String {
        switch kind {
        case .integer(_, let range):
            range.upperBound == .max
                ? "a whole number, at least \(range.lowerBound)"
                : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number(_, let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        case .choice(_, let words): "one of " + words.joined(separator: ", ")
        case .text: "text"
        case .flag: "true or false"
        }
    }

    /// Whether `text` is a value of this parameter.
    func accepts(_ text: String) -> Bool {
        switch kind {
        case .integer(_, let range): Int(text).map(range.contains) ?? false
        case .number(_, let range): Double(text).map(range.contains) ?? false
        case .choice(_, let words): words.contains(text)
        case .text: true
        case .flag: text == "true" || text == "false"
        }
    }
}

/// The values of a plug-in's parameters, checked against their specifications.
public struct ParameterValues: Hashable, Sendable, CustomStringConvertible {
    private let specifications: [ParameterSpecification]
    private var given: [String: String] = [:]

    /// Every parameter at its default.
    public init(defaults specifications: [ParameterSpecification]) {
        self.specifications = specifications
    }

    /// Reads `name=value,name=value` for the plug-in `owner`; a flag's name alone means true.
    ///
    /// - Throws: `AssayError` with code `usage` that names the parameter and its range, or one that is given twice.
    public init(
        parsing text: some StringProtocol, for specifications: [ParameterSpecification], of owner: String
    ) throws(AssayError) {
        self.specifications = specifications
        for pair in text.split(separator: ",") {
            let sign = pair.firstIndex(of: "=")
            let name = String(pair[..<(sign ?? pair.endIndex)])
            guard sign != nil || specifications.contains(where: { $0.name == name && $0.kind == .flag }) else {
                throw AssayError(.usage, "'\(pair)' is not name=value. Write \(owner):name=value,name=value.")
            }
            guard !isGiven(name) else { throw AssayError(.usage, "\(owner): \(name) is given twice. Give it once.") }
            try set(name, sign.map { String(pair[pair.index(after: $0)...]) } ?? "true", of: owner)
        }
    }

    /// Sets one parameter from its text.
    ///
    /// - Throws: `AssayError` with code `usage` for an unknown name or a value out of range.
    public mutating func set(_ name: String, _ text: String, of owner: String) throws(AssayError) {
        guard let specification = specifications.first(where: { $0.name == name }) else {
            let known = specifications.map(\.name)
            let hint = known.isEmpty ? "It has none." : "It has \(known.joined(separator: ", "))."
            let near = nearestName(to: name, among: known).map { " Did you mean '\($0)'?" } ?? ""
            throw AssayError(.usage, "\(owner) has no parameter '\(name)'. \(hint)\(near)")
        }
        guard specification.accepts(text) else {
            throw AssayError(
                .usage, "\(owner): \(name)=\(text) is out of range; \(name) is \(specification.rangeText).")
        }
        given[name] = text
    }

    /// A whole number. Traps if the plug-in did not declare it so.
    public func integer(_ name: String) -> Int {
        guard let value = Int(text(name)) else { preconditionFailure("\(name) is not declared as an integer") }
        return value
    }

    /// A real number. Traps if the plug-in did not declare it so.
    public func number(_ name: String) -> Double {
        guard let value = Double(text(name)) else { preconditionFailure("\(name) is not declared as a number") }
        return value
    }

    /// Whether a flag is on. Traps if the plug-in did not declare the parameter.
    public func flag(_ name: String) -> Bool { text(name) == "true" }

    /// A word or a text. Traps if the plug-in did not declare the parameter.
    public func text(_ name: String) -> String {
        if let value = given[name] { return value }
        guard let specification = specifications.first(where: { $0.name == name }) else {
            preconditionFailure("\(name) is not declared")
        }
        return specification.defaultText
    }

    /// Whether the parameter was set rather than left at its default.
    public func isGiven(_ name: String) -> Bool { given[name] != nil }

    /// Only what was set, as `name=value,name=value` in the order of declaration: enough to write it again.
    public var givenDescription: String {
        specifications.compactMap { item in given[item.name].map { "\(item.name)=\($0)" } }.joined(separator: ",")
    }

    /// Every parameter with its value, as `name=value;name=value` in the order of declaration.
    public var description: String {
        specifications.map { "\($0.name)=\(text($0.name))" }.joined(separator: ";")
    }
}

/// `name` or `name:parameter=value,…` with what was set: what to write to select a plug-in again.
public func selectionText(_ name: String, _ parameters: ParameterValues) -> String {
    let given = parameters.givenDescription
    return given.isEmpty ? name : "\(name):\(given)"
}
