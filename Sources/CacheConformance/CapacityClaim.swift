public import CacheCore

/// How much a cache may hold.
public struct CapacityClaim: Sendable, Hashable, Codable {
    /// What it holds unless a check asks for another amount.
    public var capacity: Capacity
    /// Whether a cache can be opened with another amount, and in another of ``units``.
    public var isAdjustable: Bool
    /// The units that a cache can be opened with.
    public var units: [Capacity.Unit]
    /// Whether the bound holds after every operation and no more is evicted than it demands; otherwise nothing is
    /// said about the moment.
    public var isStrict: Bool

    /// A room that can be changed in the unit of `capacity`, with a strict bound.
    public init(
        _ capacity: Capacity, isAdjustable: Bool = true, units: [Capacity.Unit]? = nil, isStrict: Bool = true
    ) {
        self.capacity = capacity
        self.isAdjustable = isAdjustable
        self.units = units ?? [capacity.unit]
        self.isStrict = isStrict
    }

    /// How much of a room may be used with nothing evicted for sure: of one in parts, some may be full before the others.
    func safeAmount(of amount: Int) -> Int {
        if isStrict { return amount }
        // The fewer entries there are, the further a part can be above its share of them: of 16 parts each may hold one alone.
        return amount / (amount < 32 ? 16 : amount < 128 ? 8 : 4)
    }
}

extension Claims {
    /// The older name of ``CapacityClaim``.
    @available(*, deprecated, renamed: "CapacityClaim")
    public typealias Room = CapacityClaim
}
