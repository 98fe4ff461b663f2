internal import CacheCore

/// Draws the keys of a generated trace, one request after another: numbers from 0, below the number of objects.
protocol KeyGenerator {
    /// The key of the next request.
    mutating func next() -> UInt64
}

extension SeededGenerator {
    /// A number below `bound`, without bias (Lemire, "Fast random integer generation in an interval", TOMACS 2019).
    ///
    /// Written out here rather than left to the standard library, whose method may change.
    mutating func draw(below bound: UInt64) -> UInt64 {
        var product = next().multipliedFullWidth(by: bound)
        if product.low < bound {
            let threshold = (0 &- bound) % bound
            while product.low < threshold { product = next().multipliedFullWidth(by: bound) }
        }
        return product.high
    }
}
