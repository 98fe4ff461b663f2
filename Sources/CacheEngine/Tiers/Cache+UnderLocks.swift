internal import CacheCore

// What the upper of two tiers does for writers, who hold a lock of their own around both tiers. A value may do anything when it
// ends, also use the cache: it must not end under that lock.
extension Cache {
    /// Does something with the shard of a key. What leaves stays until ``endLeft(of:)``, or the next operation on the shard.
    func updateKeepingLeft<Result, Failure: Error>(
        _ key: Key, _ body: (inout ShardCore<Key, Value>, UInt32) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withShard(key) { (shard, hash) throws(Failure) in
            try shard.updateKeepingLeft { (core) throws(Failure) in try body(&core, hash) }
        }
    }

    /// Does something with every shard, one after the other. What leaves stays until ``endLeft()``.
    func updateAllKeepingLeft(_ body: (inout ShardCore<Key, Value>) -> Void) {
        for shard in shards { shard.updateKeepingLeft { core in body(&core) } }
    }

    /// Ends what has left the shard of a key. O(1) and what the values' ends cost.
    func endLeft(of key: Key) { update(key) { _, _ in } }

    /// Ends what has left any shard. O(shards) and what the values' ends cost.
    func endLeft() { for shard in shards { shard.update { _ in } } }
}
