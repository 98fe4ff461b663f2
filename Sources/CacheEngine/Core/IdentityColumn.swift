internal import CacheCore

/// A hash of the key of every id, for policies that remember objects longer than ids: 8 bytes an id.
@usableFromInline
final class IdentityColumn: @unchecked Sendable {
    @usableFromInline let hashes: UnsafeMutableBufferPointer<UInt64>

    /// Room for ids `0..<ids`, whose first rows are another column's.
    @usableFromInline
    init(ids: Int, copying old: IdentityColumn? = nil) {
        hashes = .allocate(capacity: ids)
        hashes.initialize(repeating: 0)
        if let old { for id in 0..<min(ids, old.hashes.count) { hashes[id] = old.hashes[id] } }
    }

    deinit { hashes.deallocate() }

    /// What the policy reads.
    var keys: ObjectKeys { ObjectKeys(UnsafeBufferPointer(hashes), owner: self) }
}
