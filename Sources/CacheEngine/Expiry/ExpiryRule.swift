/// When the entries of a cache expire, unless a write says otherwise.
///
/// An entry is valid until the nanosecond before its deadline: at the deadline it has expired. A time to live of 0 or less
/// has passed already: such a write stores nothing and drops what was there. Sums that do not fit in 64 bits are never.
public enum ExpiryRule<Key, Value>: Sendable {
    /// They do not.
    case never
    /// So long after they were last written; reads do not extend it.
    case afterWrite(Duration)
    /// So long after they were last read or written.
    case afterAccess(Duration)
    /// As the function says for each entry when it is written, nil for never. It is called outside of the
    /// lock, except by ``Cache/compute(_:expiring:tags:_:)``.
    case perEntry(@Sendable (Key, Value) -> Duration?)
}

/// When one entry expires: what a write may say instead of the cache's rule.
public enum EntryExpiry: Sendable, Hashable {
    /// Never.
    case never
    /// So long after this write.
    case after(Duration)
    /// At a date of the wall clock, in nanoseconds since 1970 UTC.
    ///
    /// The time that is left is measured when the entry is written; whoever sets the machine's clock afterwards moves
    /// nothing.
    case at(nanosecondsSince1970: Int64)
}
