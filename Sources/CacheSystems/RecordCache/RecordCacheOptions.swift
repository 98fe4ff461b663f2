public import CacheEngine

/// How a ``RecordCache`` behaves, besides its policy.
public struct RecordCacheOptions: Sendable {
    /// What its entries are known by in the store. Caches of different names in one store see nothing of each other.
    public var name: String
    /// The bytes of entries that memory holds in front of the store; 0 for no memory.
    public var memoryBytesMax = 64 << 20
    /// The longest entry that memory holds, in bytes; longer ones lie in the store alone.
    public var memoryEntryBytesMax = 1 << 20
    /// Whether a record that was migrated is stored in its new form by the read that migrated it.
    public var writesBack = true
    /// The version of the program; nil to leave everything as it is. A store that a program of another version has used, which is not
    /// among ``compatibleProgramVersions``, is emptied at opening, but for ``protectedGroups``.
    public var programVersion: String?
    /// Versions of the program whose entries may stay.
    public var compatibleProgramVersions: Set<String> = []
    /// The paths of groups that stay when the program's version changes, with the groups inside them.
    public var protectedGroups: Set<[String]> = []
    /// Whether closing the cache closes the store: not where other caches go on using it.
    public var closesStore = true
    /// Is told each event and where it happened, with an empty key where it is about a group; on the thread where it happens, under no
    /// lock, so that it may use the cache.
    public var monitor: (@Sendable (RecordEvent, RecordPlace) -> Void)?

    /// The defaults under a name.
    public init(_ name: String) { self.name = name }
}
