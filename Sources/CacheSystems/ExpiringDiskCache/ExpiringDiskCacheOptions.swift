public import CacheEngine

/// How an ``ExpiringDiskCache`` behaves, besides its policies.
public struct ExpiringDiskCacheOptions: Sendable {
    /// The objects that memory holds in front of the disk, at least 1.
    public var memoryObjectsMax = 1000
    /// How many bytes of keys and objects the disk may hold; nil for no limit. What must leave is the disk policy's choice.
    public var diskBytesMax: Int?
    /// Where the time comes from.
    public var clock: any CacheClock = SystemClock()

    /// A thousand objects in memory, any number on disk.
    public init() {}
}
