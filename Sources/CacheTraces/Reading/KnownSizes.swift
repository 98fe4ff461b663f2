internal import CacheCore

/// The sizes that a log has told of its objects so far, for the lines that do not tell them.
///
/// Objects are known by a hash of 64 bits. Of more than 2^21 objects the first ones are kept, in about 100 MB.
struct KnownSizes {
    private static let objectsMax = 1 << 21
    private var sizes: [UInt64: UInt64] = [:]

    /// The last size told of an object; nil if there was none.
    subscript(key: UnsafeRawBufferPointer) -> UInt64? {
        get { sizes[KeyTable.hash(key)] }
        set {
            let hash = KeyTable.hash(key)
            if sizes.count < Self.objectsMax || sizes[hash] != nil { sizes[hash] = newValue }
        }
    }
}
