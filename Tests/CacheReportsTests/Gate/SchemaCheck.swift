import Foundation

/// Holds JSON against a JSON Schema; knows the keywords that the schemas of this repository use, and complains about others.
struct SchemaCheck {
    private let root: [String: Any]

    init(_ schema: Data) throws {
        root = try JSONSerialization.jsonObject(with: schema) as? [String: Any] ?? [:]
    }

    /// What is wrong with a document, each with its place.
    func problems(in document: String) throws -> [String] {
        check(try JSONSerialization.jsonObject(with: Data(document.utf8), options: .fragmentsAllowed), root, "")
    }

    private func check(_ value: Any, _ schema: [String: Any], _ place: String) -> [String] {
        schema.sorted { $0.key < $1.key }.flatMap { keyword, rule -> [String] in
            let holds: Bool
            switch (keyword, rule) {
            case ("$schema", _), ("$id", _), ("$defs", _), ("title", _), ("description", _): return []
            case ("$ref", let name as String):
                let definitions = root["$defs"] as? [String: [String: Any]]
                guard let target = definitions?[String(name.dropFirst("#/$defs/".count))] else {
                    return ["\(place): no \(name)"]
                }
                return check(value, target, place)
            case ("type", let name as String): holds = Self.type(of: value, is: name)
            case ("type", let names as [String]): holds = names.contains { Self.type(of: value, is: $0) }
            case ("const", let wanted as NSObject): holds = wanted.isEqual(value)
            case ("enum", let words as [String]): holds = (value as? String).map(words.contains) ?? false
            case ("minimum", let least as Double): holds = (value as? Double).map { $0 >= least } ?? true
            case ("minItems", let least as Int): holds = (value as? [Any]).map { $0.count >= least } ?? true
            case ("maxItems", let most as Int): holds = (value as? [Any]).map { $0.count <= most } ?? true
            case ("required", let names as [String]):
                let object = value as? [String: Any]
                return names.filter { object?[$0] == nil }.map { "\(place): no '\($0)'" }
            case ("properties", let schemas as [String: [String: Any]]):
                return (value as? [String: Any] ?? [:]).flatMap { name, member in
                    schemas[name].map { check(member, $0, "\(place)/\(name)") } ?? []
                }
            case ("additionalProperties", _):
                let known = Set((schema["properties"] as? [String: Any] ?? [:]).keys)
                return (value as? [String: Any] ?? [:]).filter { !known.contains($0.key) }.flatMap { name, member in
                    (rule as? [String: Any]).map { check(member, $0, "\(place)/\(name)") } ?? ["\(place): '\(name)'"]
                }
            case ("items", let item as [String: Any]):
                return (value as? [Any] ?? []).enumerated().flatMap { check($1, item, "\(place)/\($0)") }
            default: return ["\(place): the check does not know '\(keyword)'"]
            }
            return holds ? [] : ["\(place): \(value) breaks \(keyword) \(rule)"]
        }
    }

    private static func type(of value: Any, is name: String) -> Bool {
        let isBoolean = (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? false
        return switch name {
        case "object": value is [String: Any]
        case "array": value is [Any]
        case "string": value is String
        case "boolean": isBoolean
        case "number": value is NSNumber && !isBoolean
        case "integer": !isBoolean && (value as? Double).map { $0 == $0.rounded() } ?? false
        default: false
        }
    }
}
