public import CacheCore

/// One promise that makes checks due.
public enum Claim: Hashable, Sendable, CustomStringConvertible {
    /// Everything put stays until it is removed, or as long as there is room.
    case retains
    /// `keys()` and `count()` are exact.
    case iterates
    /// What was acknowledged survives at least this.
    case durability(DurabilityLevel)
    /// The cache has a feature.
    case feature(Claims.Feature)
    /// The cache has at least one of these features; the check then asks for those that are claimed.
    case anyFeature([Claims.Feature])
    /// The cache has a bound in this unit.
    case capacity(Capacity.Unit)
    /// The bound holds after every operation, and no more is evicted than it demands.
    case strict
    /// The order of eviction is that of a named policy.
    case order
    /// The order of eviction is that of this policy.
    case orderOf(String)
    /// Several threads may use the cache at once.
    case concurrent
    /// Stores of older versions are brought to the newest.
    case migrates

    /// Whether `claims` contain this one.
    public func isMade(in claims: Claims) -> Bool {
        switch self {
        case .retains: claims.retains
        case .iterates: claims.iterates
        case .durability(let level): claims.durability >= level
        case .feature(let feature): claims.claims(feature)
        case .anyFeature(let features): features.contains(where: claims.claims)
        case .capacity(let unit): claims.room?.units.contains(unit) == true
        case .strict: claims.room?.isStrict == true
        case .order: claims.order != nil
        case .orderOf(let name): claims.order == name
        case .concurrent: claims.isConcurrent
        case .migrates: claims.formats?.older.isEmpty == false
        }
    }

    /// The same claims with this one added, to try what a subject does not promise; nil where a claim needs more than
    /// its name, such as how much there is room for.
    public func added(to claims: Claims) -> Claims? {
        var claims = claims
        switch self {
        case .retains: claims.retains = true
        case .iterates: claims.iterates = true
        case .durability(let level): claims.durability = max(level, claims.durability)
        case .feature(let feature): claims.features.insert(feature)
        case .anyFeature(let features): claims.features.formUnion(features)
        case .strict where claims.room != nil: claims.room?.isStrict = true
        // A cache that is not for several threads may end the process when it is used by several.
        case .concurrent, .capacity, .strict, .order, .orderOf, .migrates: return isMade(in: claims) ? claims : nil
        }
        return claims
    }

    /// The same claims without this one and without what is asked beside it alone.
    func withdrawn(from claims: Claims) -> Claims {
        var claims = claims
        switch self {
        case .retains: (claims.retains, claims.order) = (false, nil)
        case .iterates: claims.iterates = false
        case .durability: claims.durability = .volatile
        case .feature(let feature): claims.features.remove(feature)
        case .anyFeature(let features): claims.features.subtract(features)
        case .capacity: (claims.room, claims.order) = (nil, nil)
        case .strict:
            claims.room?.isStrict = false
            claims.order = nil
        case .order, .orderOf: claims.order = nil
        case .concurrent: claims.isConcurrent = false
        case .migrates: claims.formats = nil
        }
        return claims
    }

    /// Whether the check of this claim asks for what another one says: the same, or one of several features.
    func concerns(_ other: Claim) -> Bool {
        guard case .anyFeature(let features) = self, case .feature(let feature) = other else { return self == other }
        return features.contains(feature)
    }

    /// Whether one of several features is enough.
    var isOfSeveral: Bool { if case .anyFeature = self { true } else { false } }

    /// The claim in a word or two.
    public var description: String {
        switch self {
        case .retains: "retains"
        case .iterates: "iterates"
        case .durability(let level): "durability ≥ \(level.rawValue)"
        case .feature(let feature): feature.rawValue
        case .anyFeature(let features): features.map(\.rawValue).joined(separator: " or ")
        case .capacity(let unit): "capacity in \(unit.rawValue)"
        case .strict: "strict"
        case .order: "order"
        case .orderOf(let name): "order \(name)"
        case .concurrent: "concurrent"
        case .migrates: "migrates"
        }
    }
}
