/// The memory that a policy takes for its bookkeeping, in bytes, at the default values of its parameters but those that say how
/// many ghosts there are.
///
/// A policy that stands for `objects` ids and holds at most `residents` of them takes about
/// `objects * perObject + residents * (perResident + ghosts * perGhost) + fixed` bytes from its first request on, whether
/// it is full or not; where it stores sizes, more in a capacity of bytes than in one of objects. Tables whose length is a
/// power of two count with their worst. What the trace and the cached values take is not counted.
///
/// `assay list policies` prints it, and a test measures it for every built-in policy.
public struct MemoryCost: Sendable, Hashable {
    /// The bytes for each object, in one unit of the capacity.
    public struct Rates: Sendable, Hashable {
        /// For each object of the trace, or each id of a live cache, resident or not.
        public var perObject: Double
        /// For each object that may be resident together with others.
        public var perResident: Double
        /// For each ghost that there is room for.
        public var perGhost: Double
    }

    /// The bytes of a stored size.
    public static let perSize = 8.0

    /// The rates while every object weighs 1.
    public let inObjects: Rates
    /// The rates while every object weighs its size.
    public let inBytes: Rates
    /// How many ghosts there is room for, for each object that may be resident.
    public private(set) var ghosts: Double
    /// By the name of a parameter: how many ghosts more that are when it is 1 more.
    private let ghostsByParameter: [String: Double]
    /// The most that is taken whatever the capacity; stated from a kilobyte on.
    public let fixed: Int
    /// For each request of the trace, where all of it is looked at at once: by a bound; and, instead of all else, by a policy
    /// that has a way of its own to replay whole traces in objects.
    public let perRequest: Double

    /// A cost; what a policy does not have is left out. In bytes each resident object and each ghost takes a size more,
    /// unless the policy says otherwise.
    ///
    /// - Parameter ghostsByParameter: By the name of a parameter that is a number: how many ghosts more for each resident there
    ///   are when it is 1 more.
    public init(
        perObject: Double, perResident: Double, perGhost: Double = 0, ghosts: Double = 0,
        ghostsByParameter: [String: Double] = [:], fixed: Int = 0, perRequest: Double = 0,
        perObjectInBytes: Double? = nil, perResidentInBytes: Double? = nil, perGhostInBytes: Double? = nil
    ) {
        inObjects = Rates(perObject: perObject, perResident: perResident, perGhost: perGhost)
        inBytes = Rates(
            perObject: perObjectInBytes ?? perObject, perResident: perResidentInBytes ?? perResident + Self.perSize,
            perGhost: perGhostInBytes ?? (perGhost > 0 ? perGhost + Self.perSize : 0))
        self.ghosts = ghosts
        self.ghostsByParameter = ghostsByParameter
        self.fixed = fixed
        self.perRequest = perRequest
    }

    /// The cost where the parameters have other values than those for which it is stated: with another number of ghosts.
    func adjusted(from stated: ParameterValues, to parameters: ParameterValues) -> MemoryCost {
        var cost = self
        for (name, more) in ghostsByParameter {
            cost.ghosts += more * (parameters.number(name) - stated.number(name))
        }
        return cost
    }

    /// The rates in a unit of the capacity.
    public func rates(in unit: Capacity.Unit) -> Rates { unit == .objects ? inObjects : inBytes }

    /// What each object that may be resident costs with the ghosts that come with it.
    public func perCapacity(in unit: Capacity.Unit) -> Double {
        rates(in: unit).perResident + ghosts * rates(in: unit).perGhost
    }

    /// The cost as a list of policies shows it, for instance `4 an object of the trace, 16 a resident (24 with
    /// sizes)`; without the rates in bytes for a policy that has none.
    public func text(inBytesToo: Bool) -> String {
        var parts: [String] = []
        func add(_ what: String, _ rate: KeyPath<Rates, Double>, _ remark: String = "") {
            let (objects, bytes) = (inObjects[keyPath: rate], inBytes[keyPath: rate])
            guard objects > 0 || inBytesToo && bytes > 0 else { return }
            let other = bytes == objects || !inBytesToo ? "" : " (\(Self.text(bytes)) with sizes)"
            parts.append("\(Self.text(objects)) \(what)\(other)\(remark)")
        }
        if perRequest > 0, inObjects.perObject == 0 { parts.append("\(Self.text(perRequest)) a request") }
        add("an object of the trace", \.perObject)
        add("a resident", \.perResident)
        add("a ghost", \.perGhost, ", \(Self.text(ghosts)) ghosts a resident")
        if fixed > 0 { parts.append("\((fixed + 999) / 1000) KB in all") }
        let text = parts.joined(separator: ", ")
        guard perRequest > 0, inObjects.perObject > 0 else { return text }
        return "\(text); \(Self.text(perRequest)) a request and no more to replay a trace in objects"
    }

    private static func text(_ value: Double) -> String {
        value == value.rounded() ? String(Int(value)) : String(value)
    }
}
