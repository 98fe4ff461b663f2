/// What became of a write.
public enum PutOutcome: Sendable, Hashable {
    /// The value was stored under a key that had none.
    case stored
    /// The value was stored in the place of another.
    case replaced
    /// The value was not stored, and whatever was under the key is gone.
    case refused(RefusalReason)

    /// Whether the value was stored.
    @inlinable public var isStored: Bool {
        if case .refused = self { false } else { true }
    }
}

/// Why a write stored nothing.
public enum RefusalReason: String, Sendable, Hashable {
    /// It weighs more than the cache may hold.
    case tooHeavy
    /// Its time was over already.
    case expired
    /// The admission policy, or the eviction policy, did not let it in.
    case notAdmitted
    /// The cache is closed.
    case closed
}

/// Why a cache could not do what it was asked.
public enum CacheError: Error, Sendable, Hashable {
    /// The cache is closed.
    case closed
    /// A load asked for the value that it is to load.
    case recursiveLoad
}
