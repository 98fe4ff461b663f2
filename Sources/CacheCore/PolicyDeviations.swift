/// What a policy does otherwise than the rules of ``EvictionPolicy`` say, because what it reproduces does.
///
/// The policy suite leaves out the questions whose answers it changes, and reports that.
public struct PolicyDeviations: OptionSet, Sendable, Hashable, CustomStringConvertible {
    /// One bit a deviation.
    public let rawValue: Int

    /// Deviations by their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A hit may push objects out, which the next insertion then reports.
    public static let evictsOnHit = PolicyDeviations(rawValue: 1)
    /// It ignores the capacity, as only a bound may.
    public static let isUnbounded = PolicyDeviations(rawValue: 2)
    /// Its ghosts have no bound.
    public static let hasUnboundedGhosts = PolicyDeviations(rawValue: 4)
    /// It serves objects that it does not count.
    public static let servesUncounted = PolicyDeviations(rawValue: 8)
    /// An object larger than the cache may push others out before it leaves itself.
    public static let passesOversize = PolicyDeviations(rawValue: 16)
    /// It may refuse or evict objects while there is room.
    public static let leavesRoom = PolicyDeviations(rawValue: 32)

    /// What it does, in words.
    public var description: String {
        let words: [(PolicyDeviations, String)] = [
            (.evictsOnHit, "a hit may push objects out"), (.isUnbounded, "it ignores the capacity"),
            (.hasUnboundedGhosts, "its ghosts have no bound"),
            (.servesUncounted, "it serves objects that it does not count"),
            (.passesOversize, "an object larger than the cache may push others out"),
            (.leavesRoom, "it may refuse or evict objects while there is room"),
        ]
        return words.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}

extension PolicyDescriptor {
    /// What the policy does otherwise than the rules say, with some parameters.
    public func deviations(with parameters: ParameterValues) -> PolicyDeviations {
        var all: PolicyDeviations = isUnbounded ? .isUnbounded : []
        for (setting, made) in deviations {
            if setting.isEmpty {
                all.formUnion(made)
                continue
            }
            let halves = setting.split(separator: "=", maxSplits: 1).map(String.init)
            if parameters.text(halves[0]) == halves[1] { all.formUnion(made) }
        }
        return all
    }
}
