internal import CAssayPlugin
internal import CacheCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A store that a plug-in's backend has opened.
///
/// Keys and values beyond the claimed limits are refused here, a directory is claimed for one store at a time, calls of a store that is
/// not made for several threads wait for each other, and none comes after the store was closed.
final class PluginStorage: StorageBackend, @unchecked Sendable {
    // What changes does so under the lock.
    private let backend: PluginBackendDescription
    let claims: StorageClaims
    private let limits: StorageLimits
    private let store: UnsafeMutableRawPointer?
    private let directoryLock: Int32?
    private let lock: UnsafeMutablePointer<pthread_rwlock_t>
    private var isClosed = false

    /// Never shown: each entry describes its own backend.
    static var descriptor: BackendDescriptor {
        BackendDescriptor(name: "plugin", summary: "The store of a plug-in.", citation: "", needsDirectory: false)
    }

    /// Always throws: a plug-in's store is opened by its entry, which knows which plug-in it is.
    init(_ configuration: BackendConfiguration) throws(StoreError) {
        throw StoreError(.unavailable, "a plug-in's store is opened by its entry; see PluginLibrary")
    }

    /// Opens a store of a backend.
    init(_ configuration: BackendConfiguration, of backend: PluginBackendDescription) throws(StoreError) {
        let name = backend.descriptor.name
        let directory = backend.descriptor.needsDirectory ? configuration.directory : nil
        let held =
            backend.descriptor.needsDirectory
            ? try FileSystem.claimDirectory(directory, for: name, isDurable: false) : nil
        do throws(StoreError) {
            (store, claims) = try Self.open(backend, directory, configuration.parameters)
        } catch {
            if let held { FileSystem.closeFile(held) }
            throw error
        }
        self.backend = backend
        limits = StorageLimits(claims)
        directoryLock = held
        lock = .allocate(capacity: 1)
        pthread_rwlock_init(lock, nil)
    }

    deinit {
        try? close()
        pthread_rwlock_destroy(lock)
        lock.deallocate()
    }

    private static func open(
        _ backend: PluginBackendDescription, _ directory: String?, _ parameters: ParameterValues
    ) throws(StoreError) -> (UnsafeMutableRawPointer?, StorageClaims) {
        var (store, claims, error) = (UnsafeMutableRawPointer?.none, assay_claims.usual, assay_error())
        let status = backend.parameters.withValues(parameters) { values, count in
            func open(_ directory: UnsafePointer<CChar>?) -> assay_status {
                var config = assay_backend_config()
                config.struct_size = UInt32(MemoryLayout<assay_backend_config>.size)
                config.directory = directory
                config.values = values
                config.value_count = UInt64(count)
                return backend.table.open!(&config, &store, &claims, &error)
            }
            return directory.map { $0.withCString(open) } ?? open(nil)
        }
        guard status == ASSAY_OK else { throw backend.failure("open", status, error) }
        guard let claims = StorageClaims(claims) else {
            _ = backend.table.close!(store, &error)
            throw backend.lie("claims what this version of Assay does not know, or no key")
        }
        return (store, claims)
    }

    /// Calls a function of the open store, whose status must not be negative. Returns whether it is ASSAY_YES.
    @discardableResult
    private func call(
        _ function: String, answers: Bool = false, _ body: (UnsafeMutablePointer<assay_error>) -> assay_status
    ) throws(StoreError) -> Bool {
        if claims.isConcurrent { pthread_rwlock_rdlock(lock) } else { pthread_rwlock_wrlock(lock) }
        defer { pthread_rwlock_unlock(lock) }
        guard !isClosed else { throw .closed }
        var error = assay_error()
        let status = body(&error)
        guard status == ASSAY_OK || answers && status == ASSAY_YES else {
            throw backend.failure(function, status, error)
        }
        return status == ASSAY_YES
    }

    private func requireOpen() throws(StoreError) { try call("") { _ in ASSAY_OK } }

    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        guard limits.accepts(key: key) else {
            try requireOpen()
            return nil
        }
        var found = FoundEntry(valueBytesMax: limits.valueBytesMax)
        let isThere = try call("get", answers: true) { error in
            withUnsafeMutablePointer(to: &found) { place in
                key.withAssayBytes { key in
                    backend.table.get!(
                        store, key, place,
                        { context, entry in
                            context?.assumingMemoryBound(to: FoundEntry.self).pointee.take(entry?.pointee)
                        }, error)
                }
            }
        }
        if let wrong = found.wrong { throw backend.lie(wrong) }
        guard isThere == (found.entry != nil) else {
            throw backend.lie("answers \(isThere ? "yes and gives no entry" : "no and gives an entry") to get")
        }
        return found.entry
    }

    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        try requireOpen()
        try limits.check(key: key)
        guard limits.accepts(value: entry.value) else {
            _ = try remove(key)
            throw limits.refusal(of: entry.value)
        }
        try call("put") { error in
            key.withAssayBytes { key in
                entry.value.withAssayBytes { value in
                    var stored = assay_entry()
                    stored.value = value
                    stored.expires = entry.expiresAtNanoseconds == nil ? 0 : 1
                    stored.expires_at_nanoseconds = entry.expiresAtNanoseconds ?? 0
                    return backend.table.put!(store, key, &stored, error)
                }
            }
        }
    }

    func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        guard limits.accepts(key: key) else {
            try requireOpen()
            return false
        }
        return try call("remove", answers: true) { error in
            key.withAssayBytes { backend.table.remove!(store, $0, error) }
        }
    }

    func removeAll() throws(StoreError) {
        try call("remove_all") { backend.table.remove_all!(store, $0) }
    }

    func count() throws(StoreError) -> Int {
        var count: UInt64 = 0
        try call("count") { backend.table.count!(store, &count, $0) }
        guard let exact = Int(exactly: count) else { throw backend.lie("counts \(count) entries") }
        return exact
    }

    func keys() throws(StoreError) -> [[UInt8]] {
        var found = FoundKeys(keyBytesMax: limits.keyBytesMax)
        try call("keys") { error in
            withUnsafeMutablePointer(to: &found) { place in
                backend.table.keys!(
                    store, place,
                    { context, key in context?.assumingMemoryBound(to: FoundKeys.self).pointee.take(key) }, error)
            }
        }
        if let wrong = found.wrong { throw backend.lie(wrong) }
        return found.keys
    }

    func flush() throws(StoreError) {
        try call("flush") { backend.table.flush?(store, $0) ?? ASSAY_OK }
    }

    func close() throws(StoreError) {
        pthread_rwlock_wrlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        guard !isClosed else { return }
        isClosed = true
        var error = assay_error()
        let status = backend.table.close!(store, &error)
        if let directoryLock { FileSystem.closeFile(directoryLock) }
        guard status == ASSAY_OK else { throw backend.failure("close", status, error) }
    }
}

/// What a plug-in's get gives, copied.
private struct FoundEntry {
    let valueBytesMax: Int
    var entry: StoredEntry?
    /// What it did wrong, as the end of a sentence; nil for nothing.
    var wrong: String?

    mutating func take(_ given: assay_entry?) {
        guard entry == nil else {
            wrong = "gives two entries for one get"
            return
        }
        guard let given, given.expires <= 1, let value = [UInt8](given.value, atMost: valueBytesMax) else {
            wrong = "gives an entry that is none, or has more bytes than it claims to take"
            return
        }
        entry = StoredEntry(value, expiresAtNanoseconds: given.expires == 1 ? given.expires_at_nanoseconds : nil)
    }
}

/// What a plug-in's keys gives, copied.
private struct FoundKeys {
    let keyBytesMax: Int
    var keys: [[UInt8]] = []
    /// What it did wrong, as the end of a sentence; nil for nothing.
    var wrong: String?

    mutating func take(_ given: assay_bytes) {
        guard let key = [UInt8](given, atMost: keyBytesMax) else {
            wrong = "gives a key that is none, or has more bytes than it claims to take"
            return
        }
        keys.append(key)
    }
}

extension [UInt8] {
    /// A copy of bytes that a plug-in gives; nil if there are none where there should be, or more than the limit.
    fileprivate init?(_ bytes: assay_bytes, atMost limit: Int) {
        guard bytes.count <= UInt64(limit), bytes.count == 0 || bytes.start != nil else { return nil }
        self.init(UnsafeBufferPointer(start: bytes.start, count: Int(bytes.count)))
    }

    /// Calls `body` with the bytes as a plug-in gets them.
    fileprivate func withAssayBytes<Result>(_ body: (assay_bytes) -> Result) -> Result {
        withUnsafeBufferPointer { body(assay_bytes(start: $0.baseAddress, count: UInt64($0.count))) }
    }
}

extension PluginBackendDescription {
    /// The error for a function that returned a failure, or what it may not return.
    fileprivate func failure(_ function: String, _ status: assay_status, _ error: assay_error) -> StoreError {
        let code: StoreError.Code =
            switch status {
            case ASSAY_FULL: .full
            case ASSAY_CORRUPT: .corrupt
            case ASSAY_UNAVAILABLE, ASSAY_USAGE: .unavailable
            case ASSAY_UNSUPPORTED: .unsupported
            default: .inputOutput
            }
        return StoreError(
            code,
            "the backend \(descriptor.name) of \(path) returned from \(function) with \(PluginText.words(status, error))"
        )
    }

    /// The error for a plug-in that does what no backend may do.
    fileprivate func lie(_ deed: String) -> StoreError {
        StoreError(.corrupt, "the backend \(descriptor.name) of \(path) \(deed)")
    }
}
