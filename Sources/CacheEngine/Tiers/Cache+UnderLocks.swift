internal import CacheCore

// What the upper of two tiers does for writers, who hold a lock of their own around both tiers. A value may do anything when it
// ends, also use the cache: it must not end under that lock.
extension Cache {
    /// Does something for a key. What leaves stays until ``endLeft()``, or the next operation.
    func updateKeepingLeft<Result, Failure: Error>(
        _ key: Key, _ body: (inout CacheState<Key, Value>, UInt32) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let hash = shortHash(key)
        return try updateKeepingLeft { (core) throws(Failure) in try body(&core, hash) }
    }

    /// Ends what has left. O(1) and what the values' ends cost.
    func endLeft() { update { _ in } }
}
