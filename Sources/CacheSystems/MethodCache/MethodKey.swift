/// What a result in memory is known by: which method, and the chosen arguments by their own equality.
struct MethodKey: Hashable, Sendable {
    /// The number of the memoised function in its cache, so that no two of them ever share a result.
    let method: Int
    let chosen: any Hashable & Sendable

    static func == (a: MethodKey, b: MethodKey) -> Bool { a.method == b.method && equals(a.chosen, b.chosen) }

    func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        chosen.hash(into: &hasher)
    }

    /// Values of two types are never equal, even where a cast would make them so.
    private static func equals<Value: Hashable>(_ a: Value, _ b: any Hashable) -> Bool {
        guard type(of: b) == Value.self, let b = b as? Value else { return false }
        return a == b
    }
}

/// A result in memory, of whatever type its method returns.
struct MethodResult: Sendable {
    /// A ``ResultBox``: a cast of the value itself could not tell a nil inside of another optional from none.
    private let box: any AnyObject & Sendable
    /// What it weighs, for a cache whose capacity is in bytes.
    let weight: Int

    init<Output: Sendable>(_ value: Output, weight: Int) {
        box = ResultBox(value)
        self.weight = weight
    }

    /// The value; nil if it has another type.
    func value<Output: Sendable>(as type: Output.Type) -> Output? { (box as? ResultBox<Output>)?.value }
}

/// Holds a result with its type.
private final class ResultBox<Output: Sendable>: Sendable {
    let value: Output
    init(_ value: Output) { self.value = value }
}
