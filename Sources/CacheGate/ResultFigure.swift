/// One figure of recorded results: what the gate compares and the history keeps.
public struct ResultFigure: Sendable, Hashable, Codable {
    /// How two values of a figure are compared.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// The same code gives the same value: hits, evictions, bytes of a replay, the outcome of a check.
        case exact
        /// Counted, and the same within a tolerance: bytes an entry, instructions, allocations.
        case counted
        /// A time or a rate. Two values mean something only if they were measured side by side.
        case timed
    }

    /// Which side is better.
    public enum Better: String, Sendable, Hashable, Codable {
        case less, more
        /// Any difference says that other work was done.
        case same
        /// No side is.
        case neither
    }

    /// A value.
    public enum Value: Sendable, Hashable, Codable {
        case count(Int)
        case real(Double)
        /// The outcome of a check.
        case word(String)

        /// The value as a number; nil for a word.
        public var number: Double? {
            switch self {
            case .count(let count): Double(count)
            case .real(let real): real
            case .word: nil
            }
        }
    }

    /// What is judged, without its parameters: `s3fifo`, `lru` or `dictionary`.
    public var subject: String
    /// The subject's parameters as on the command line, `small=0.2`; empty for the defaults.
    public var parameters: String
    /// Under what it was measured: `bench` or another kind of results, and words like `capacity=5%` or `trace=zipf-1.0`, sorted
    /// by their names. Equal places are comparable. A trace is named, and told apart by the digest in `trace-digest`.
    public var place: [String: String]
    /// What is counted, `hits`.
    public var name: String
    /// The unit, `bytes` or `ns`; empty for a number of things.
    public var unit: String
    /// How much.
    public var value: Value
    /// How it is compared.
    public var kind: Kind
    /// Which side is better.
    public var better: Better

    /// A figure.
    public init(
        subject: String, parameters: String = "", place: [String: String], name: String, unit: String = "",
        value: Value, kind: Kind, better: Better
    ) {
        self.subject = subject
        self.parameters = parameters
        self.place = place
        self.name = name
        self.unit = unit
        self.value = value
        self.kind = kind
        self.better = better
    }
}
