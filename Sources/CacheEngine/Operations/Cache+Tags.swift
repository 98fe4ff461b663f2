internal import CacheCore

extension Cache {
    /// Removes every entry with a tag and returns how many had a value. O(entries with the tag).
    ///
    /// A load that had begun and would give its value the tag does not store it.
    @discardableResult
    public func removeAll(taggedWith tag: String) -> Int { update { core in core.removeAll(taggedWith: tag) } }

    /// How many entries have a tag. O(1).
    public func count(taggedWith tag: String) -> Int {
        update { core in
            core.sweep()
            guard core.negatives > 0 else { return core.tags?.count(of: tag) ?? 0 }
            return core.valued(taggedWith: tag).count
        }
    }

    /// The keys with a tag, in no order. O(entries with the tag).
    public func keys(taggedWith tag: String) -> [Key] {
        update { core in
            core.sweep()
            return core.valued(taggedWith: tag).map { core.table.keys[Int($0)] }
        }
    }

    /// The tags of a key's entry, in no order; none if it has no value. O(its tags).
    public func tags(of key: Key) -> [String] {
        update(key) { core, hash in
            let id = core.findLive(key, hash)
            return id == ObjectID.max ? [] : core.tags?.names(of: id) ?? []
        }
    }

    /// Every tag that some entry has, in no order. O(tags).
    public var tags: Set<String> {
        update { core in
            core.sweep()
            return Set(core.tags?.allNames ?? [])
        }
    }
}
