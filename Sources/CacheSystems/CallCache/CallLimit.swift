internal import CacheCore
internal import Synchronization

/// The limit of age of a ``CallCache``, kept in its store, so that it holds after the cache was opened again.
final class CallLimit: Sendable {
    private let state: Mutex<Duration?>
    private let storage: any StorageBackend

    /// The limit that the store holds, unless another is given: that is stored.
    init(_ duration: Duration?, in storage: any StorageBackend) throws(StoreError) {
        self.storage = storage
        state = Mutex(duration == nil ? try Self.stored(in: storage) : duration)
        if duration != nil { try set(duration) }
    }

    /// What the store holds; a damaged limit is none.
    private static func stored(in storage: any StorageBackend) throws(StoreError) -> Duration? {
        do throws(StoreError) {
            guard let entry = try storage.get([]) else { return nil }
            return try? EnclosedJSON.object(of: entry.value)
        } catch {
            if error.code == .corrupt { return nil }
            throw error
        }
    }

    var duration: Duration? { state.withLock { $0 } }

    /// Sets it, in the store first.
    func set(_ duration: Duration?) throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            let bytes: [UInt8]
            do { bytes = try EnclosedJSON.bytes(of: duration) } catch {
                throw StoreError(.valueRefused, "the limit could not be encoded: \(error)")
            }
            try storage.put(StoredEntry(bytes), for: [])
            state = duration
        }
    }
}
