public import CacheCore

extension Cache {
    /// The values that reads could be served from. O(1), and O(1) amortised for each whose time is over.
    ///
    /// What is kept only to be served stale counts until it cannot be any more.
    public var count: Int {
        update { core in
            core.sweep()
            return core.liveCount
        }
    }

    /// What the entries weigh, in the capacity's unit; knowledge that there is no value weighs 1. O(1).
    public var weight: Int {
        update { core in
            core.sweep()
            return core.policy.residentWeight
        }
    }

    /// How much the cache may hold. O(1).
    public var capacity: Capacity { Capacity(update { $0.capacity }, settings.unit) }

    /// Changes how much the cache may hold. What no longer fits is evicted; growing keeps everything.
    ///
    /// A new policy is opened, which keeps the order of the residents but neither ghosts nor frequencies. O(entries + capacity).
    ///
    /// - Throws: `AssayError` with code `usage` for a capacity below 1 or above 2^53.
    public func resize(to amount: Int) throws(AssayError) {
        guard (1...Capacity.largestAmount).contains(amount) else {
            throw AssayError(.usage, "a cache cannot hold \(amount). Give from 1 to 2^53.")
        }
        update { core in if !core.isClosed { core.resize(to: amount) } }
    }

    /// Removes every entry, and what the policy has learned. O(ids + capacity).
    ///
    /// No load that had begun stores its value.
    public func removeAll() { update { core in core.clear(.cleared) } }

    /// As ``removeAll()``, but loads go on: the entries of another tier are what they were.
    func removeAllKeepingLoads() { update { core in core.clear(.cleared, keepingLoads: true) } }

    /// Removes every entry whose time is over, without waiting for a write to do it; returns how many there were. O(1) amortised for
    /// each.
    ///
    /// Nothing expired is ever served, removed or not; this gives back memory and tells the listeners.
    @discardableResult
    public func removeExpired() -> Int {
        update { core in
            let before = core.counts.expired
            core.sweep()
            return core.counts.expired &- before
        }
    }

    /// Lets no load that has begun for such keys store its value. O(loads).
    func forgetLoads(where isOut: (Key) -> Bool) {
        update { core in if !core.flights.isEmpty { core.flights = core.flights.filter { !isOut($0.key) } } }
    }

    /// Empties the cache and ends its use: reads find nothing, writes are refused as `closed`, loading reads throw
    /// ``CacheError/closed``. Calling it again does nothing. O(ids).
    public func close() { update { core in core.close() } }

    /// Whether the cache has been closed, which is for good. O(1).
    public var isClosed: Bool { updateKeepingLeft { $0.isClosed } }

    /// What the cache has done. O(1).
    public var statistics: CacheStatistics { update { core in CacheStatistics(core.counts) } }

    /// What the cache has done; it counts from 0 again. Every operation is in one snapshot or the next. O(1).
    public func resetStatistics() -> CacheStatistics {
        update { core in
            defer { core.counts = CacheCounts() }
            return CacheStatistics(core.counts)
        }
    }

    /// Calls a listener for every value that leaves from now on, until the subscription is cancelled.
    ///
    /// Each event is delivered exactly once and outside of every lock, after the value has gone, in the order in which they
    /// happened, and never two at once. The thread that made something leave delivers, or another that is at it already. A listener
    /// may use the cache; one that is slow delays only the threads that deliver. O(1) to begin; a value that leaves costs
    /// O(listeners).
    public func onRemoval(
        _ listener: @escaping @Sendable (RemovalEvent<Key, Value>) -> Void
    ) -> RemovalSubscription {
        let number = listeners.add(listener)
        update { core in core.leaving.isHeard = true }
        return RemovalSubscription { [listeners] in listeners.remove(number) }
    }
}
