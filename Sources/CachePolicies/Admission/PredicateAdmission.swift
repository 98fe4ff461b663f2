public import CacheCore

/// Lets an object in if its request meets conditions such as `size<=65536&cost>=2`.
///
/// Conditions compare `size` (bytes), `cost`, `ttl` (seconds; a request without one has none, which is more than any) and
/// `id` (the object's number in the trace) with a number by `<`, `<=`, `>`, `>=`, `=` or `!=`, and are joined by `&`. O(conditions)
/// a miss, no memory. In code, write an `AdmissionPolicy`: it is a few lines.
public struct PredicateAdmission: AdmissionPolicy {
    private struct Condition {
        var field: Field
        var comparison: @Sendable (Double, Double) -> Bool
        var value: Double
    }

    private enum Field: String, CaseIterable { case size, cost, ttl, id }
    private static let comparisons: [(text: String, holds: @Sendable (Double, Double) -> Bool)] = [
        ("<=", { $0 <= $1 }), (">=", { $0 >= $1 }), ("!=", { $0 != $1 }), ("<", { $0 < $1 }), (">", { $0 > $1 }),
        ("=", { $0 == $1 }),
    ]

    private let conditions: [Condition]

    /// It looks at what comes alone.
    public static var needsVictim: Bool { false }

    /// The conditions.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "predicate", family: "admission", summary: "Lets an object in if its request meets conditions.",
            citation: "",
            parameters: [
                ParameterSpecification(
                    "where", .text(default: "size>=0"),
                    "Conditions on size, cost, ttl and id, joined by '&': size<=65536&cost>=2.")
            ])
    }

    /// What the conditions compare.
    public static func columns(_ parameters: ParameterValues) -> Set<AdmissionColumn> {
        guard parameters.isGiven("where") else { return [] }
        let columns: [Field: AdmissionColumn] = [.size: .sizes, .cost: .costs, .ttl: .timesToLive]
        return Set(((try? conditions(parameters)) ?? []).compactMap { columns[$0.field] })
    }

    /// Costs, times to live and numbers of objects; and sizes, where the capacity counts objects.
    public static func unknownToCaches(_ parameters: ParameterValues, in unit: Capacity.Unit) -> String? {
        let fields = ((try? conditions(parameters)) ?? []).map(\.field)
        if fields.contains(.cost) { return "costs" }
        if fields.contains(.ttl) { return "times to live of a trace" }
        if fields.contains(.id) { return "the numbers of objects in a trace" }
        return unit == .objects && fields.contains(.size) ? "sizes, unless its capacity is in bytes" : nil
    }

    /// The conditions that the parameter names.
    ///
    /// - Throws: `AssayError` with code `usage` for anything that is no condition.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        conditions = try Self.conditions(configuration.parameters)
    }

    /// Whether all conditions hold.
    public mutating func admits(_ request: Request, over victim: ObjectID?) -> Bool {
        conditions.allSatisfy { $0.comparison(Self.value(of: $0.field, request), $0.value) }
    }

    private static func value(of field: Field, _ request: Request) -> Double {
        switch field {
        case .size: Double(request.size)
        case .cost: request.cost
        case .ttl:
            request.timeToLiveNanoseconds == 0 ? .infinity : Double(request.timeToLiveNanoseconds) / 1_000_000_000
        case .id: Double(request.id)
        }
    }

    private static func conditions(_ parameters: ParameterValues) throws(AssayError) -> [Condition] {
        var conditions: [Condition] = []
        for text in parameters.text("where").split(separator: "&", omittingEmptySubsequences: false) {
            conditions.append(try condition(String(text)))
        }
        return conditions
    }

    private static func condition(_ text: String) throws(AssayError) -> Condition {
        for (sign, holds) in comparisons {
            guard let range = text.firstRange(of: sign) else { continue }
            guard let field = Field(rawValue: String(text[..<range.lowerBound])) else { break }
            guard let value = Double(text[range.upperBound...]), !value.isNaN else { break }
            return Condition(field: field, comparison: holds, value: value)
        }
        throw AssayError(
            .usage,
            "predicate: '\(text)' is not a condition. Write one of "
                + Field.allCases.map(\.rawValue).joined(separator: ", ")
                + ", one of <, <=, >, >=, =, !=, and a number, as size<=65536; join several by '&'.")
    }
}
