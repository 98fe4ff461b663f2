/// The arguments of one call, as one value: equal where all are equal.
///
/// Made by memoised functions, and by those who choose some of several parameters for a key:
/// `key: { user, page, _ in Arguments(user, page) }`.
public struct Arguments<each Argument: Sendable>: Sendable {
    /// The arguments, in their order.
    public let values: (repeat each Argument)

    /// Some arguments.
    public init(_ argument: repeat each Argument) { values = (repeat each argument) }
}

extension Arguments: Equatable where repeat each Argument: Equatable {
    /// Whether all are equal, one by one.
    public static func == (a: Arguments, b: Arguments) -> Bool {
        for (left, right) in repeat (each a.values, each b.values) {
            if left != right { return false }
        }
        return true
    }
}

extension Arguments: Hashable where repeat each Argument: Hashable {
    /// Takes in every argument.
    public func hash(into hasher: inout Hasher) { repeat (each values).hash(into: &hasher) }
}

extension Arguments: Encodable where repeat each Argument: Encodable {
    /// Writes a list of the arguments.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        repeat try container.encode(each values)
    }
}
