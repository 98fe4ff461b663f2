/// One operation that a client asked of a cache, with what it was told and when.
///
/// Keys and values are numbers that a ``History`` names. Value 0 is the absence of a value, so an answer of 0 always means
/// "nothing there" or "not done".
public struct HistoryOperation: Sendable, Hashable {
    /// What was asked.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// Reads the value; the result is the value or 0.
        case get
        /// Asks whether there is a value.
        case contains
        /// Stores the argument.
        case put
        /// Stores the argument if there is no value; the result says whether it did.
        case putIfAbsent
        /// Stores the argument if there is a value; the result says whether it did.
        case replace
        /// Stores the argument if the value equals the expected one; the result says whether it did.
        case compareAndSet
        /// Writes the argument's text behind the value's text. Absence is the empty text.
        case append
        /// Removes the value; the result says whether there was one.
        case remove
        /// Stores the argument; the result is the value before, or 0.
        case getAndPut
        /// Removes the value; the result is the value before, or 0.
        case getAndRemove
    }

    /// No value, as argument or result.
    public static let absent: Int32 = 0
    /// "No" as the result of a question.
    public static let no: Int32 = 0
    /// "Yes" as the result of a question.
    public static let yes: Int32 = 1
    /// The result that nobody was told.
    public static let unknown: Int32 = -1
    /// The time of return of an operation that never returned.
    public static let never = Int64.max

    /// What was asked.
    public var kind: Kind
    /// Who asked. A client has at most one open operation.
    public var client: Int32
    /// The key's number.
    public var key: Int32
    /// The number of the value to write; 0 for kinds that write none.
    public var argument: Int32
    /// The number of the value that ``Kind/compareAndSet`` expects.
    public var expected: Int32
    /// The answer: a value's number, ``yes`` or ``no``, or ``unknown``.
    public var result: Int32
    /// When it was called, in the ticks of its history.
    public var callTime: Int64
    /// When it returned, in the ticks of its history; ``never`` if its outcome is not known. Such an operation may take
    /// effect at any time after its call, or not at all.
    public var returnTime: Int64

    /// An operation.
    public init(
        _ kind: Kind, client: Int32, key: Int32, argument: Int32 = absent, expected: Int32 = absent,
        result: Int32 = unknown, callTime: Int64, returnTime: Int64
    ) {
        self.kind = kind
        self.client = client
        self.key = key
        self.argument = argument
        self.expected = expected
        self.result = result
        self.callTime = callTime
        self.returnTime = returnTime
    }

    /// Whether the outcome is not known.
    public var isPending: Bool { returnTime == Self.never }

    /// What tells the operation from the others of its key, whatever its outcome is taken for.
    var identity: [Int64] { [Int64(client), callTime, Int64(kind.rawValue), Int64(argument)] }

    /// Whether the operation only tells something about the value, so that leaving it out of a history can only make more
    /// orders possible.
    var isObservation: Bool {
        switch kind {
        case .get, .contains: true
        case .putIfAbsent, .replace, .compareAndSet: result == Self.no
        default: false
        }
    }
}

extension HistoryOperation.Kind {
    /// The name in files and reports.
    public var name: String {
        switch self {
        case .get: "get"
        case .contains: "contains"
        case .put: "put"
        case .putIfAbsent: "put-if-absent"
        case .replace: "replace"
        case .compareAndSet: "compare-and-set"
        case .append: "append"
        case .remove: "remove"
        case .getAndPut: "get-and-put"
        case .getAndRemove: "get-and-remove"
        }
    }

    /// Names that other tools use for the same operations.
    static let named: [String: Self] = Dictionary(
        allCases.map { ($0.name, $0) } + [
            ("read", .get), ("write", .put), ("set", .put), ("cas", .compareAndSet), ("delete", .remove),
        ], uniquingKeysWith: { first, _ in first })

    /// Whether the operation writes its argument.
    var hasArgument: Bool {
        switch self {
        case .put, .putIfAbsent, .replace, .compareAndSet, .append, .getAndPut: true
        case .get, .contains, .remove, .getAndRemove: false
        }
    }

    /// What the result is.
    var answer: Answer {
        switch self {
        case .get, .getAndPut, .getAndRemove: .value
        case .contains, .putIfAbsent, .replace, .compareAndSet, .remove: .flag
        case .put, .append: .none
        }
    }

    /// Forms of results.
    enum Answer {
        case value, flag, none
    }
}
