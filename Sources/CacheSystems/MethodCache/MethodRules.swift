public import CacheEngine

/// How the results of one memoised function are kept, where its cache's own rules do not do.
public struct MethodRules<Output: Sendable>: Sendable {
    /// The name in the monitor's events.
    public var name: String
    /// When its results expire; nil for the cache's rule.
    public var expiry: EntryExpiry?
    /// When one result expires, by what it is; nil, or a nil from it, for ``expiry``.
    public var expiryOfResult: (@Sendable (Output) -> EntryExpiry?)?
    /// Which results are kept; nil for all. One that is not is returned all the same, evicts nothing, and the function is
    /// called again the next time.
    public var admits: (@Sendable (Output) -> Bool)?
    /// What a result weighs, for a cache whose capacity is in bytes. Without it a result weighs 1.
    public var weigher: (@Sendable (Output) -> Int)?
    /// Whether a function that returns nothing is called only once for equal arguments. Unless this is set such a function
    /// is always called, because it is called for what it does.
    public var skipsRepeatedEffects = false

    /// Rules; what is left out is as the cache has it.
    public init(
        _ name: String = "", expiry: EntryExpiry? = nil, admits: (@Sendable (Output) -> Bool)? = nil,
        weigher: (@Sendable (Output) -> Int)? = nil, skipsRepeatedEffects: Bool = false
    ) {
        self.name = name
        self.expiry = expiry
        self.admits = admits
        self.weigher = weigher
        self.skipsRepeatedEffects = skipsRepeatedEffects
    }

    /// When this result expires.
    func expiry(of output: Output) -> EntryExpiry? { expiryOfResult?(output) ?? expiry }

    /// Whether results are kept at all.
    var isMemoised: Bool { Output.self != Void.self || skipsRepeatedEffects }
}
