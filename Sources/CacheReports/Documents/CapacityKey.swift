internal import CacheCore

/// What cells are grouped by within a trace, ordered as a person expects: simulations first, then by backend, by size.
struct CapacityKey: Hashable, Comparable, Sendable {
    var isLive: Bool
    var backend: String
    var unit: Capacity.Unit
    var amount: Int
    /// Requests before the counted ones: only what counts the same requests competes.
    var warmUp: Int

    init(_ cell: CellResult) {
        isLive = cell.backend != CellResult.simulationBackend
        backend = cell.backend
        unit = cell.capacityUnit
        amount = cell.capacity
        warmUp = cell.warmUp?.requests ?? 0
    }

    static func < (a: CapacityKey, b: CapacityKey) -> Bool {
        if a.isLive != b.isLive { return b.isLive }
        if a.unit != b.unit { return a.unit == .objects }
        if a.amount != b.amount { return a.amount < b.amount }
        return (a.backend, a.warmUp) < (b.backend, b.warmUp)
    }
}
