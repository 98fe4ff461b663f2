import Foundation

/// Holds JSON against a schema of `docs/schemas`; knows the keywords that these use, and complains about others.
public struct SchemaCheck {
    private let files: [String: [String: Any]]
    private let root: String

    /// The schema of a kind of file: `gate` for `gate.schema.json`.
    public init(_ kind: String) throws {
        let folder = SharedFolder.packageRoot.appending(path: "docs/schemas")
        var files: [String: [String: Any]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".json") {
            let data = try Data(contentsOf: folder.appending(path: name))
            files[name] = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        }
        (self.files, root) = (files, "\(kind).schema.json")
    }

    /// What is wrong with a document, each with its place.
    public func problems(in document: String) throws -> [String] {
        guard let schema = files[root] else { return ["there is no \(root)"] }
        let value = try JSONSerialization.jsonObject(with: Data(document.utf8), options: .fragmentsAllowed)
        return check(value, schema, root, "")
    }

    private func check(_ value: Any, _ schema: [String: Any], _ file: String, _ place: String) -> [String] {
        schema.flatMap { keyword, rule -> [String] in
            let holds: Bool
            let number = Self.type(of: value, is: "number") ? (value as? NSNumber)?.doubleValue : nil
            switch (keyword, rule) {
            case ("$schema", _), ("$id", _), ("$defs", _), ("title", _), ("description", _): return []
            case ("$ref", let name as String):
                guard let (target, file) = target(of: name, from: file) else { return ["\(place): no \(name)"] }
                return check(value, target, file, place)
            case ("type", let name as String): holds = Self.type(of: value, is: name)
            case ("type", let names as [String]): holds = names.contains { Self.type(of: value, is: $0) }
            case ("const", let wanted as NSObject): holds = wanted.isEqual(value)
            case ("enum", let words as [String]): holds = (value as? String).map(words.contains) ?? false
            case ("pattern", let pattern as String):
                holds = (value as? String).map { $0.range(of: pattern, options: .regularExpression) != nil } ?? true
            case ("minimum", let least as Double): holds = number.map { $0 >= least } ?? true
            case ("maximum", let most as Double): holds = number.map { $0 <= most } ?? true
            case ("minItems", let least as Int): holds = (value as? [Any]).map { $0.count >= least } ?? true
            case ("maxItems", let most as Int): holds = (value as? [Any]).map { $0.count <= most } ?? true
            case ("oneOf", let schemas as [[String: Any]]):
                holds = schemas.count { check(value, $0, file, place).isEmpty } == 1
            case ("required", let names as [String]):
                let object = value as? [String: Any]
                return names.filter { object?[$0] == nil }.map { "\(place): no '\($0)'" }
            case ("properties", let schemas as [String: [String: Any]]):
                return (value as? [String: Any] ?? [:]).flatMap { name, member in
                    schemas[name].map { check(member, $0, file, "\(place)/\(name)") } ?? []
                }
            case ("additionalProperties", _), ("unevaluatedProperties", _):
                var known = schema["properties"] as? [String: Any] ?? [:]
                if keyword == "unevaluatedProperties", let name = schema["$ref"] as? String {
                    known.merge(target(of: name, from: file)?.0["properties"] as? [String: Any] ?? [:]) { old, _ in old
                    }
                }
                return (value as? [String: Any] ?? [:]).filter { known[$0.key] == nil }.flatMap { name, member in
                    (rule as? [String: Any]).map { check(member, $0, file, "\(place)/\(name)") }
                        ?? ["\(place): '\(name)'"]
                }
            case ("items", let item as [String: Any]):
                return (value as? [Any] ?? []).enumerated().flatMap { check($1, item, file, "\(place)/\($0)") }
            default: return ["\(place): the check does not know '\(keyword)'"]
            }
            return holds ? [] : ["\(place): \(value) breaks \(keyword) \(rule)"]
        }
    }

    /// A definition by `#/$defs/NAME`, after the name of another file if it is there, with the file that it is in.
    private func target(of name: String, from file: String) -> ([String: Any], String)? {
        let parts = name.components(separatedBy: "#/$defs/")
        let file = parts[0].isEmpty ? file : parts[0]
        guard parts.count == 2, let definitions = files[file]?["$defs"] as? [String: [String: Any]] else { return nil }
        return definitions[parts[1]].map { ($0, file) }
    }

    private static func type(of value: Any, is name: String) -> Bool {
        let isBoolean = (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? false
        let number = isBoolean ? nil : (value as? NSNumber)?.doubleValue
        return switch name {
        case "object": value is [String: Any]
        case "array": value is [Any]
        case "string": value is String
        case "boolean": isBoolean
        case "number": number != nil
        case "integer": number.map { $0 == $0.rounded() } ?? false
        default: false
        }
    }
}
