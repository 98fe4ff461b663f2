extension PolicyEntry {
    /// A policy under the name that people know one setting of it by: the same rule with other defaults.
    ///
    /// Every parameter can still be given. Write it as
    /// `PolicyEntry(preset: "s4lru", of: PolicyEntry(…), defaults: ["segments": "4"], summary: …, citation: …)`.
    public init(
        preset name: String, aliases: [String] = [], of base: PolicyEntry, defaults: [String: String], summary: String,
        citation: String
    ) {
        let known = Set(base.descriptor.parameters.map(\.name))
        precondition(known.isSuperset(of: defaults.keys), "a preset gives only parameters that its policy has")
        var preset = base.descriptor
        preset.name = name
        preset.aliases = aliases
        preset.summary = summary
        preset.citation = citation
        preset.parameters = base.descriptor.parameters.map { specification in
            defaults[specification.name].map(specification.defaulting) ?? specification
        }
        descriptor = preset
        presetOf = base.descriptor.name
        needsFuture = base.needsFuture
        isBound = base.isBound
        simulateBody = base.simulateBody
        openBody = base.openBody
    }
}

extension ParameterSpecification {
    /// The same parameter with another default, which it must accept.
    func defaulting(to text: String) -> ParameterSpecification {
        precondition(accepts(text), "\(name)=\(text) is out of range; \(name) is \(rangeText)")
        var changed = self
        switch kind {
        case .integer(_, let range): changed.kind = .integer(default: Int(text) ?? 0, range)
        case .number(_, let range): changed.kind = .number(default: Double(text) ?? 0, range)
        case .choice(_, let words): changed.kind = .choice(default: text, words)
        case .text: changed.kind = .text(default: text)
        case .flag: preconditionFailure("a flag is off unless it is named")
        }
        return changed
    }
}
