/// A key and the value that is put under it.
public struct KeyedPayload: Hashable, Sendable {
    /// The key.
    public var key: [UInt8]
    /// The value.
    public var payload: Payload

    /// A key with a value.
    public init(_ key: [UInt8], _ payload: Payload) {
        self.key = key
        self.payload = payload
    }

    /// The bytes that are stored.
    public var value: [UInt8] { payload.bytes(for: key) }
}

/// What an update makes of the value that is there.
public enum Change: Hashable, Sendable {
    /// This value, whatever was there.
    case set(Payload)
    /// The number that was there, as decimal text, and one; 1 where there was none.
    case countUp
    /// No value.
    case remove

    /// What takes the place of `old`, nil for nothing: the body of an update.
    public func result(for key: [UInt8], old: [UInt8]?) -> [UInt8]? {
        switch self {
        case .set(let payload): payload.bytes(for: key)
        case .countUp: DecimalText.bytes(DecimalText.successor(of: old.flatMap(DecimalText.number) ?? 0))
        case .remove: nil
        }
    }

    var word: String {
        switch self {
        case .set: "set"
        case .countUp: "countUp"
        case .remove: "remove"
        }
    }
}

/// Numbers as the text that counters are kept as.
public enum DecimalText {
    /// The digits of a number.
    public static func bytes(_ number: Int) -> [UInt8] { Array(String(number).utf8) }
    /// The number that some bytes write, nil if they write none.
    public static func number(_ bytes: [UInt8]) -> Int? { Int(String(decoding: bytes, as: UTF8.self)) }

    /// One more; the greatest number has no successor and stays.
    static func successor(of number: Int) -> Int { number == .max ? number : number + 1 }
}

/// What listens to a cache's events.
public indirect enum Listener: Hashable, Sendable {
    /// One that only notes them, as at first.
    case plain
    /// Nobody: what leaves meanwhile is not told later either.
    case none
    /// One that notes each and then throws, where the cache lets it, and is told of the next one all the same.
    case fails
    /// One that notes them and takes its time.
    case slow(milliseconds: Int)
    /// One that notes them and then does something to the same cache.
    case reenters(CacheOperation)

    var word: String {
        switch self {
        case .plain: "plain"
        case .none: "none"
        case .fails: "fails"
        case .slow: "slow"
        case .reenters: "reenters"
        }
    }

    var swift: String {
        switch self {
        case .slow(let time): "slow(milliseconds: \(time))"
        case .reenters(let operation): "reenters(\(operation.swiftCase))"
        default: word
        }
    }
}
