public import CacheConformance

/// An argument or a result in the checks of memoisation: kinds of values that a cache could mix up.
public enum MethodValue: Hashable, Sendable {
    /// No value.
    case nothing
    /// A whole number.
    case integer(Int)
    /// Text.
    case text(String)
    /// Yes or no.
    case flag(Bool)
    /// A structure.
    case pair(Int, Int)
    /// An object that equals others of its name, whose textual form says where in memory it lies.
    case object(String, address: Int)

    /// Objects are equal by their names.
    public static func == (a: MethodValue, b: MethodValue) -> Bool {
        switch (a, b) {
        case (.nothing, .nothing): true
        case (.integer(let a), .integer(let b)): a == b
        case (.text(let a), .text(let b)): a == b
        case (.flag(let a), .flag(let b)): a == b
        case (.pair(let a, let b), .pair(let c, let d)): a == c && b == d
        case (.object(let a, _), .object(let b, _)): a == b
        default: false
        }
    }

    /// As `==` has it.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .nothing: hasher.combine(0)
        case .integer(let number): hasher.combine(number)
        case .text(let text): hasher.combine(text)
        case .flag(let flag): hasher.combine(flag)
        case .pair(let a, let b): hasher.combine([a, b])
        case .object(let name, _): hasher.combine(name)
        }
    }
}

/// What a check wants a cache of methods to be opened with.
public struct MethodSetup: Sendable {
    /// The results that it may hold.
    public var capacity = 100
    /// The policy: `fifo`, `lru` or `lfu`.
    public var policy = "lru"
    /// How long results live, in nanoseconds; nil for ever.
    public var lifeNanoseconds: Int64?

    /// A hundred results, the least recently used of which leave.
    public init(capacity: Int = 100, policy: String = "lru", lifeNanoseconds: Int64? = nil) {
        self.capacity = capacity
        self.policy = policy
        self.lifeNanoseconds = lifeNanoseconds
    }
}

/// A function as a check calls it, and what its cache lets one do with its results.
public struct CheckedMethod: Sendable {
    /// Calls it.
    public let call: @Sendable ([MethodValue]) throws -> MethodValue
    /// Puts a result into the cache.
    public let remember: @Sendable (MethodValue, [MethodValue]) -> Void
    /// The result that is remembered.
    public let cached: @Sendable ([MethodValue]) -> MethodValue?
}

/// An open cache of methods as the checks of memoisation drive it. Its clock stands at 0 until it is moved.
public protocol MethodInstance: AnyObject, Sendable {
    /// Memoises a method of an object, by all of its arguments or those at some places.
    func memoize(
        _ name: String, receiver: Int, keyedBy places: [Int]?,
        _ body: @escaping @Sendable ([MethodValue]) throws -> MethodValue
    ) -> CheckedMethod
    /// Memoises a method that returns nothing.
    func memoizeEffect(_ name: String, _ body: @escaping @Sendable ([MethodValue]) -> Void)
        -> @Sendable ([MethodValue]) -> Void
    /// Attaches the cache to a trigger.
    func attachTrigger()
    /// Fires the trigger; returns how often the cache was cleared for it.
    func fireTrigger() -> Int
    /// Switches the cache on or off at run time.
    func set(on: Bool)
    /// Moves the clock.
    func advance(nanoseconds: Int64)
    /// How many lines or events the monitor has been given.
    var monitoredCount: Int { get }
}

extension MethodInstance {
    /// A method of one object, by all of its arguments.
    func memoize(_ name: String, _ body: @escaping @Sendable ([MethodValue]) throws -> MethodValue) -> CheckedMethod {
        memoize(name, receiver: 0, keyedBy: nil, body)
    }
}

/// A cache of methods as the suite drives it.
public protocol MethodCacheSubject: CacheSubject {
    /// Opens an empty cache for methods.
    func openMethods(_ setup: MethodSetup) throws -> any MethodInstance
}
