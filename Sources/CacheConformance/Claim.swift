public import CacheCore

/// One promise that makes checks due.
public enum Claim: Hashable, Sendable, CustomStringConvertible {
    /// Everything put stays until it is removed.
    case retains
    /// `keys()` and `count()` are exact.
    case iterates
    /// What was acknowledged survives at least this.
    case durability(DurabilityLevel)

    /// Whether `claims` contain this one.
    public func isMade(in claims: StorageClaims) -> Bool {
        switch self {
        case .retains: claims.retains
        case .iterates: claims.iterates
        case .durability(let level): claims.durability >= level
        }
    }

    /// The same claims with this one added, to try what a subject does not promise.
    func added(to claims: StorageClaims) -> StorageClaims {
        var claims = claims
        switch self {
        case .retains: claims.retains = true
        case .iterates: claims.iterates = true
        case .durability(let level): claims.durability = max(level, claims.durability)
        }
        return claims
    }

    /// The claim in a word or two.
    public var description: String {
        switch self {
        case .retains: "retains"
        case .iterates: "iterates"
        case .durability(let level): "durability ≥ \(level.rawValue)"
        }
    }
}
