internal import CacheCore

/// Draws the keys of a generated trace, one request after another: numbers from 0, below the number of objects.
package protocol KeyGenerator {
    /// The key of the next request.
    mutating func next() -> UInt64
}
