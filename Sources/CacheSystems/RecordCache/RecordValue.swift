/// A value of any `Codable` type, taken apart: what records are made of on their way to a store and through their migrations.
///
/// Equality and hashing go by content: two values are equal exactly if their parts are, whatever type they are of in memory.
public enum RecordValue: Hashable, Sendable {
    /// No value.
    case nothing
    /// Yes or no.
    case flag(Bool)
    /// A whole number.
    case integer(Int128)
    /// A floating-point number, kept to the last bit.
    case number(Double)
    /// Text.
    case text(String)
    /// Bytes, as of `Data` and `[UInt8]`.
    case bytes([UInt8])
    /// A date, in seconds since 2001.
    case date(Double)
    /// Values in their order; those of a set, and the keys and values of a dictionary whose keys are no names, in one that is the same
    /// in every process.
    case list([RecordValue])
    /// Values with names, of a type or of none; a dictionary with texts or whole numbers for keys is one, its names in order.
    case record(RecordData)

    /// Whether it is ``nothing``.
    public var isNothing: Bool { self == .nothing }
    /// The flag, if it is one.
    public var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
    /// The whole number, if it is one that an `Int` can hold; a floating-point number with such a value is one too.
    public var integer: Int? {
        switch self {
        case .integer(let integer): Int(exactly: integer)
        case .number(let number): Int(exactly: number)
        default: nil
        }
    }
    /// The number, if it is one, whole or not.
    public var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }
    /// The text, if it is one.
    public var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The elements, if it is a list.
    public var list: [RecordValue]? { if case .list(let list) = self { list } else { nil } }
    /// The record, if it is one: that of a nested object, whether its type is still there or not.
    public var record: RecordData? { if case .record(let record) = self { record } else { nil } }
}

extension RecordValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// Text.
    public init(stringLiteral text: String) { self = .text(text) }
    /// A whole number.
    public init(integerLiteral integer: Int) { self = .integer(Int128(integer)) }
    /// A floating-point number.
    public init(floatLiteral number: Double) { self = .number(number) }
    /// A flag.
    public init(booleanLiteral flag: Bool) { self = .flag(flag) }
    /// No value.
    public init(nilLiteral: ()) { self = .nothing }
}

extension RecordValue {
    /// Takes a value apart. O(its parts).
    ///
    /// - Throws: what the value's `encode(to:)` throws.
    public init(of value: some Encodable) throws { self = try RecordEncoder.encoded(value).value }

    /// Makes a value of its parts again, migrating every record in it that is of an older version.
    ///
    /// What is made shares nothing with what was taken apart: with ``init(of:)`` this is a deep copy, of objects too.
    ///
    /// - Throws: what the type's `init(from:)` throws; ``RecordRefusal`` from its steps; ``RecordError``.
    public func value<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try RecordDecoder.decoded(self, as: type)
    }
}
