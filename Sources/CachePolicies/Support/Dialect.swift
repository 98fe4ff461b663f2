public import CacheCore

/// Whose rules a policy follows where implementations differ: the `dialect` parameter, the paper's unless it is given.
@usableFromInline
package protocol Dialect: RawRepresentable<String>, CaseIterable, Sendable {
    /// The paper's own rules.
    static var paper: Self { get }
}

extension Dialect {
    /// The parameter that chooses a dialect.
    @inlinable package static var parameter: ParameterSpecification {
        ParameterSpecification(
            "dialect", .choice(default: paper.rawValue, allCases.map(\.rawValue)),
            "Whose rules to follow to the request: the paper's, or those of another implementation.")
    }

    /// The dialect that a configuration asks for.
    @inlinable package init(_ configuration: PolicyConfiguration) {
        guard let dialect = Self(rawValue: configuration.parameters.text("dialect")) else {
            preconditionFailure("the parameter accepts only the dialects' names")
        }
        self = dialect
    }
}

extension PolicyConfiguration {
    /// The share of the capacity that a parameter names, rounded down.
    @inlinable package func share(_ parameter: String) -> Int {
        Int(Double(capacity.amount) * parameters.number(parameter))
    }
}
