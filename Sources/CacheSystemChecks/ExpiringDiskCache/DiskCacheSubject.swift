public import CacheConformance

/// Which tiers hold an object, whether its time is over or not.
public struct HeldTiers: Sendable, Hashable {
    /// Whether memory does.
    public var memory: Bool
    /// Whether the disk does.
    public var disk: Bool

    /// Where an object is held.
    public init(memory: Bool, disk: Bool) {
        self.memory = memory
        self.disk = disk
    }
}

/// An open cache of texts on disk as the checks of expiry on disk drive it. Its clock stands at 0 until it is moved.
public protocol DiskCacheInstance: AnyObject, Sendable {
    /// Stores a text for so many nanoseconds, or for ever. The text "unencodable" cannot be written to disk.
    func set(_ text: String, _ key: String, lifeNanoseconds: Int64?) throws
    /// The text under a key.
    func get(_ key: String, returningExpired: Bool) throws -> String?
    /// The text under a key, made by `load` if there is none.
    func get(_ key: String, load: () throws -> String) throws -> String
    /// Removes what has expired.
    func removeExpired() throws
    /// Empties memory alone.
    func dropMemory()
    /// Which tiers hold an object under a key.
    func held(_ key: String) throws -> HeldTiers
    /// Moves the clock.
    func advance(nanoseconds: Int64)
    /// Changes a byte in every file.
    func damageFiles() throws
    /// The bytes of the objects on disk.
    func diskBytes() throws -> Int
}

/// A disk cache as the suite drives it.
public protocol DiskCacheSubject: CacheSubject {
    /// Opens an empty cache of texts in a directory, with a limit in bytes or none.
    func openTexts(in directory: String, diskBytesMax: Int?) throws -> any DiskCacheInstance
}
