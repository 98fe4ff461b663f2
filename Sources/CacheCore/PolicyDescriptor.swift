/// What a policy is: the words that `assay list policies` prints.
public struct PolicyDescriptor: Sendable, Hashable {
    /// The name on the command line, lower-case.
    public var name: String
    /// Other names for the same policy.
    public var aliases: [String]
    /// The family it belongs to: one of ``PolicyDescriptor/families``.
    public var family: String
    /// One sentence that says how it chooses.
    public var summary: String
    /// Where it was published.
    public var citation: String
    /// What can be tuned.
    public var parameters: [ParameterSpecification]
    /// Whether equal input gives equal results whatever the seed, for every value of the parameters.
    public var isDeterministic: Bool
    /// Why the policy has no meaning in bytes, as a sentence; nil if it weighs objects by their sizes too.
    public var objectsOnly: String?
    /// Whether the policy ignores the capacity: it admits all and never evicts. Only for bounds, never for a cache.
    public var isUnbounded: Bool
    /// The order in which it keeps objects for each choice of parameters, as ``ParameterValues/description`` writes them,
    /// that makes it a stack algorithm in objects. Empty for most policies.
    public var stackOrders: [String: StackOrder]
    /// What the policy's bookkeeping takes with every parameter at its default; nil if it does not say. Every built-in policy says.
    public var memory: MemoryCost?
    /// What it does otherwise than the rules of ``EvictionPolicy`` say, by the setting of a parameter, such as
    /// `dialect=libcachesim`, that makes it do so; by an empty text what it always does. Empty for most policies.
    public var deviations: [String: PolicyDeviations]

    /// The families, in the order in which lists show them.
    public static let families = [
        "recency", "frequency", "segmented", "inter-reference", "adaptive", "sketch", "size-aware", "random", "learned",
        "bound", "admission", "prefetch",
    ]

    /// Whether it trains models, for which a replay takes many times as long: true of the family learned.
    public var learns: Bool { family == "learned" }

    /// A descriptor; a policy without parameters leaves them out.
    public init(
        name: String, aliases: [String] = [], family: String, summary: String, citation: String,
        parameters: [ParameterSpecification] = [], isDeterministic: Bool = true, objectsOnly: String? = nil,
        isUnbounded: Bool = false, stackOrders: [String: StackOrder] = [:], memory: MemoryCost? = nil,
        deviations: [String: PolicyDeviations] = [:]
    ) {
        self.name = name
        self.aliases = aliases
        self.family = family
        self.summary = summary
        self.citation = citation
        self.parameters = parameters
        self.isDeterministic = isDeterministic
        self.objectsOnly = objectsOnly
        self.isUnbounded = isUnbounded
        self.stackOrders = stackOrders
        self.memory = memory
        self.deviations = deviations
    }

    /// What the policy's bookkeeping takes with as many ghosts as the parameters ask for; nil if it does not say.
    public func memory(with parameters: ParameterValues) -> MemoryCost? {
        memory?.adjusted(from: ParameterValues(defaults: self.parameters), to: parameters)
    }
}
