/// The free chunks of a mapped file by size, in lists of four sizes each doubling.
struct FreeChunks {
    private var lists = [[UInt32]](repeating: [], count: 128)
    /// The units in all lists.
    private(set) var units = 0

    /// Adds a chunk.
    mutating func add(_ unit: UInt32, units: Int) {
        lists[Self.list(of: units)].append(unit)
        self.units += units
    }

    /// Takes a chunk of at least `wanted` units: the first that fits among some of its own size, or one of the next size.
    mutating func take(_ wanted: Int, unitsOf: (UInt32) -> Int) -> (unit: UInt32, units: Int)? {
        let own = Self.list(of: wanted)
        for index in lists[own].indices.suffix(8).reversed() where unitsOf(lists[own][index]) >= wanted {
            let unit = lists[own][index]
            lists[own].swapAt(index, lists[own].count - 1)
            lists[own].removeLast()
            return taken(unit, unitsOf(unit))
        }
        for list in (own + 1)..<lists.count {
            if let unit = lists[list].popLast() { return taken(unit, unitsOf(unit)) }
        }
        return nil
    }

    private mutating func taken(_ unit: UInt32, _ units: Int) -> (unit: UInt32, units: Int) {
        self.units -= units
        return (unit, units)
    }

    /// The list of a size: its binary logarithm and the two bits after the first.
    private static func list(of units: Int) -> Int {
        let log = Int.bitWidth - 1 - max(1, units).leadingZeroBitCount
        let fraction = log >= 2 ? (units >> (log - 2)) & 3 : (units << (2 - log)) & 3
        return log * 4 + fraction
    }
}
