public import CacheCore
internal import Foundation
internal import Yams

/// Fields of a generated workload that somebody gives beside a file or instead of one, such as on the command line.
public struct WorkloadSettings: Sendable {
    /// A field: one value, or fields inside it.
    private enum Value {
        case text(String)
        case fields([(name: String, text: String)])
    }

    private var values: [(name: String, value: Value)] = []
    private var tenants: [[(name: String, text: String)]] = []

    /// No fields.
    public init() {}

    /// Whether there are none.
    public var isEmpty: Bool { values.isEmpty && tenants.isEmpty }

    /// Sets a field.
    public mutating func set(_ name: String, _ text: String) { values.append((name, .text(text))) }

    /// Sets the order of requests as `NAME:FIELD=VALUE,…`; a value alone is that of the first field, as in `zipf:0.9`.
    ///
    /// - Throws: `AssayError` with code `usage` for what is not written like that.
    public mutating func setPattern(_ text: String) throws(AssayError) {
        for (name, value) in try Self.pattern(text) { set(name, value) }
    }

    /// Sets fields inside a field as `KIND:FIELD=VALUE,…`, where the kind is the value of the field `kindName`.
    ///
    /// - Throws: as for patterns.
    public mutating func set(_ name: String, _ kindName: String, _ text: String) throws(AssayError) {
        let (kind, fields) = try Self.split(text, defaults: kindName == "distribution" ? ["fixed": "value"] : [:])
        values.append((name, .fields([(kindName, kind)] + fields)))
    }

    /// Sets fields inside a field as `FIELD=VALUE,…`.
    ///
    /// - Throws: as for patterns.
    public mutating func set(_ name: String, fieldsIn text: String) throws(AssayError) {
        values.append((name, .fields(try Self.fields(text, first: nil))))
    }

    /// Sets the fields inside a field.
    public mutating func set(_ name: String, fields: [(name: String, text: String)]) {
        values.append((name, .fields(fields)))
    }

    /// Adds a tenant as `NAME:share=VALUE,objects=VALUE,generator=NAME,FIELD=VALUE,…`.
    ///
    /// - Throws: as for patterns.
    public mutating func addTenant(_ text: String) throws(AssayError) {
        let (name, fields) = try Self.split(text, defaults: [:])
        tenants.append([("name", name)] + fields)
    }

    /// The workload that these fields make, in place of those of a workload file if there is one.
    ///
    /// - Parameter base: A workload file, or a name in the catalog; nil for these fields alone.
    /// - Throws: `AssayError` with code `usage` for fields that do not go together or are missing, or an unknown name;
    ///   `badInput` with file and line for a malformed file, or one that does not generate requests.
    public func workload(from base: String?, in catalog: WorkloadCatalog) throws(AssayError) -> Workload {
        guard let base else {
            let head = [
                "kind": "generated", "description": "generated", "origin": "assay trace generate",
                "licence": "not stated",
            ]
            do throws(AssayError) {
                return try read(
                    head.sorted { $0.key < $1.key }.map { (Node($0.key), Node($0.value)) }, named: "generated",
                    path: "command line")
            } catch {
                throw AssayError(.usage, error.message, at: error.location, cause: error.cause)
            }
        }
        let found = try catalog.workload(base)
        guard case .generated = found.source else {
            throw AssayError(
                .usage, "'\(found.name)' is not generated but recorded, or drives a system. Name a generated workload.",
                at: AssayError.Location(found.path))
        }
        guard !isEmpty else { return found }
        let root = try WorkloadFile.root(try WorkloadFile.text(of: found.path), path: found.path)
        let pairs = (root.mapping ?? [:]).map { ($0.key, $0.value) }
        return try read(pairs, named: found.name, path: found.path)
    }

    private func read(
        _ given: [(key: Node, value: Node)], named name: String, path: String
    ) throws(AssayError) -> Workload {
        var dropped = Set(values.map(\.name))
        if !tenants.isEmpty { dropped.insert("generator") }
        // Another generator has other fields.
        if dropped.contains("generator") {
            dropped.formUnion(WorkloadFile.generators.flatMap(\.fields))
            if !tenants.isEmpty { dropped.insert("objects") }
        }
        var pairs = given.filter { !dropped.contains($0.key.string ?? "") }
        for (name, value) in values { pairs.append((Node(name), Self.node(value))) }
        if !tenants.isEmpty {
            pairs.append((Node("generator"), Node("tenants")))
            pairs.append((Node("tenants"), .sequence(Node.Sequence(tenants.map { Self.node(.fields($0)) }))))
        }
        try refuseRepeated(pairs.compactMap(\.key.string), path)
        let fields = try WorkloadFields(.mapping(Node.Mapping(pairs)), path: path)
        return try WorkloadFile.workload(named: name, fields, path: path, folder: "")
    }

    /// A field inside a field may be given twice as well.
    private func refuseRepeated(_ names: [String], _ path: String) throws(AssayError) {
        let inner = values.compactMap { value in
            if case .fields(let fields) = value.value { fields.map(\.name) } else { nil }
        }
        for names in [names] + inner + tenants.map({ $0.map(\.name) }) {
            var seen: Set<String> = []
            guard let twice = names.first(where: { !seen.insert($0).inserted }) else { continue }
            throw AssayError(.usage, "\(twice) is given twice. Leave one out.", at: AssayError.Location(path))
        }
    }

    private static func node(_ value: Value) -> Node {
        switch value {
        case .text(let text): return Node(text)
        case .fields(let fields): return .mapping(Node.Mapping(fields.map { (Node($0.name), Node($0.text)) }))
        }
    }

    private static func pattern(_ text: String) throws(AssayError) -> [(name: String, text: String)] {
        let name = text.prefix { $0 != ":" }
        // A misspelt name is told as such, whatever stands behind it.
        guard let known = WorkloadFile.generators.first(where: { $0.name == name }) else {
            return [("generator", String(name))]
        }
        let (kind, fields) = try split(text, defaults: known.fields.first.map { [known.name: $0] } ?? [:])
        return [("generator", kind)] + fields
    }

    /// `KIND:FIELD=VALUE,…`; a value alone is that of the kind's default field.
    private static func split(
        _ text: String, defaults: [String: String]
    ) throws(AssayError) -> (kind: String, fields: [(name: String, text: String)]) {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (halves[0], halves.count == 1 ? [] : try fields(halves[1], first: defaults[halves[0]]))
    }

    /// `FIELD=VALUE,…`; a value alone at the beginning is that of the field `first`.
    private static func fields(
        _ text: String, first: String?
    ) throws(AssayError) -> [(name: String, text: String)] {
        var fields: [(name: String, text: String)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            if sides.count == 2, !sides[0].isEmpty {
                fields.append((sides[0], sides[1]))
            } else if let first, fields.isEmpty, sides.count == 1, !sides[0].isEmpty {
                fields.append((first, sides[0]))
            } else {
                throw AssayError(
                    .usage, "'\(text)' is not written as FIELD=VALUE,FIELD=VALUE. See 'assay trace generate --help'.",
                    at: AssayError.Location("command line"))
            }
        }
        return fields
    }
}
