internal import CacheCore

/// Draws the keys of a generated trace, one request after another: numbers from 0, below the number of objects.
package protocol KeyGenerator {
    /// The key of the next request.
    mutating func next() -> UInt64
    /// Takes note of a new object, whose key is the number of objects before.
    mutating func grow()
}

extension KeyGenerator {
    /// Most generators draw from the objects that were there at first.
    package mutating func grow() {}
}
