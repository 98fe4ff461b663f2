public import CacheCore

extension Cache {
    /// The values that reads could be served from. O(shards), and O(1) amortised for each whose time is over.
    ///
    /// Exact whenever nothing else runs. What is kept only to be served stale counts until it cannot be any more.
    public var count: Int {
        shards.reduce(0) { total, shard in
            total
                + shard.update { core in
                    core.sweep()
                    return core.liveCount
                }
        }
    }

    /// What the entries weigh, in the capacity's unit; knowledge that there is no value weighs 1. O(shards).
    public var weight: Int {
        shards.reduce(0) { total, shard in
            total
                + shard.update { core in
                    core.sweep()
                    return core.policy.residentWeight
                }
        }
    }

    /// How much the cache may hold. O(shards).
    public var capacity: Capacity {
        Capacity(shards.reduce(0) { total, shard in total + shard.update { $0.capacity } }, settings.unit)
    }

    /// Changes how much the cache may hold. What no longer fits is evicted; growing keeps everything.
    ///
    /// Each shard opens a new policy, which keeps the order of the residents but neither ghosts nor frequencies.
    /// O(entries + capacity).
    ///
    /// - Throws: `AssayError` with code `usage` if the shards cannot share it.
    public func resize(to amount: Int) throws(AssayError) {
        guard amount >= shards.count, amount <= Capacity.largestAmount else {
            throw AssayError(
                .usage, "a cache of \(shards.count) shards cannot hold \(amount). Give from \(shards.count) to 2^53.")
        }
        for (number, shard) in shards.enumerated() {
            shard.update { core in
                if !core.isClosed { core.resize(to: Self.share(of: amount, number, shards.count)) }
            }
        }
    }

    /// Removes every entry, and what the policy has learned. O(ids + capacity).
    ///
    /// For each key this is a removal that takes effect when its shard is cleared: nothing survives whose write had
    /// returned before this was called, and no load that had begun stores its value.
    public func clear() { for shard in shards { shard.update { core in core.clear(.cleared) } } }

    /// As ``clear()``, but loads go on: the entries of another tier are what they were.
    func clearKeepingLoads() {
        for shard in shards { shard.update { core in core.clear(.cleared, keepingLoads: true) } }
    }

    /// Removes every entry whose time is over, without waiting for a write to do it. O(1) amortised for each.
    ///
    /// Nothing expired is ever served, swept or not; sweeping gives back memory and tells the listeners.
    public func sweep() { for shard in shards { shard.update { core in core.sweep() } } }

    /// Lets no load that has begun for such keys store its value. O(loads + shards).
    func forgetLoads(where isOut: (Key) -> Bool) {
        for shard in shards {
            shard.update { core in
                if !core.flights.isEmpty { core.flights = core.flights.filter { !isOut($0.key) } }
            }
        }
    }

    /// Empties the cache and ends its use: reads find nothing, writes are refused as `closed`, loading reads throw
    /// ``CacheError/closed``. Calling it again does nothing. O(ids).
    public func close() {
        for shard in shards {
            shard.update { core in core.close() }
        }
    }

    /// Whether the cache has been closed, which is for good. O(1).
    public var isClosed: Bool { shards[0].updateKeepingLeft { $0.isClosed } }

    /// What the cache has done. O(shards).
    public var statistics: CacheStatistics { readStatistics(resetting: false) }

    /// What the cache has done; it counts from 0 again. Every operation is in one snapshot or the next. O(shards).
    public func resetStatistics() -> CacheStatistics { readStatistics(resetting: true) }

    private func readStatistics(resetting: Bool) -> CacheStatistics {
        var total = CacheStatistics()
        for shard in shards {
            total += shard.update { core in
                defer { if resetting { core.counts = ShardCounts() } }
                return core.counts
            }
        }
        return total
    }

    /// Calls a listener for every value that leaves from now on, until the subscription is cancelled.
    ///
    /// Each event is delivered exactly once and outside of every lock, after the value has gone; those of one key in the
    /// order in which they happened, and never two at once for one shard. The thread that made something leave delivers, or
    /// another that is at it already. A listener may use the cache; one that is slow delays only the threads that deliver.
    /// O(shards) to begin; a value that leaves costs O(listeners).
    public func onRemoval(
        _ listener: @escaping @Sendable (RemovalEvent<Key, Value>) -> Void
    ) -> RemovalSubscription {
        let number = listeners.add(listener)
        for shard in shards { shard.update { core in core.leaving.isHeard = true } }
        return RemovalSubscription { [listeners] in listeners.remove(number) }
    }
}
