#if !WITHOUT_URLCACHE
    public import CacheCore
    internal import Foundation
    internal import Synchronization

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    /// Keeps entries in Foundation's `URLCache` as answers to requests, the key being the path of their address.
    ///
    /// It is a subject, not a recommendation, and is used as it comes. On Linux it ends the process when an address that was
    /// stored twice is pushed out of memory; it evicts the entry that was stored first, whatever was read since; on disk it
    /// loses in silence what has too long a name or a slash in it, and takes O(entries) a call. It cannot say what it holds.
    public final class URLCacheStorage: StorageBackend {
        /// Volatile and free to drop entries, even with a disk; the longest value is what fits into its memory.
        public let claims: StorageClaims
        private let cache: URLCache
        /// URLCache guards its memory but not its disk.
        private let isOpen = Mutex(true)

        /// What a stored answer is longer than its value, in bytes: its archived form is what counts where there is a disk.
        private static let overheadBytes = 64 << 10
        private static let expiryField = "X-Expires-At-Nanoseconds"

        /// The two capacities that `URLCache` has, and the longest value.
        public static var descriptor: BackendDescriptor {
            BackendDescriptor(
                name: "urlcache", summary: "Foundation's URLCache, in a process of its own.",
                citation: "Foundation, URLCache",
                parameters: [
                    ParameterSpecification(
                        "memory-mib", .integer(default: 512, 1...(1 << 20)), "URLCache's memoryCapacity, in MiB."),
                    ParameterSpecification(
                        "disk-mib", .integer(default: 0, 0...(1 << 20)),
                        "URLCache's diskCapacity, in MiB; 0 is no disk."),
                    ParameterSpecification(
                        "value-bytes-max", .integer(default: 64 << 20, 1...(1 << 30)),
                        "The longest value that is accepted, in bytes, where the capacity allows it."),
                ],
                needsDirectory: true, needsOwnProcess: true)
        }

        /// A cache in the configured directory, which it uses only if it is given a disk.
        public init(_ configuration: BackendConfiguration) throws(StoreError) {
            guard let directory = configuration.directory, !directory.isEmpty else {
                throw StoreError(.unavailable, "the urlcache backend needs a directory; name one")
            }
            let memoryBytes = configuration.parameters.integer("memory-mib") << 20
            // An answer must be smaller than the capacity, or it is not stored, in silence.
            claims = StorageClaims(
                keyBytesMax: 4_096,
                valueBytesMax: min(
                    configuration.parameters.integer("value-bytes-max"), memoryBytes / 2 - Self.overheadBytes),
                retains: false, iterates: false)
            let diskBytes = configuration.parameters.integer("disk-mib") << 20
            #if canImport(FoundationNetworking)
                cache = URLCache(memoryCapacity: memoryBytes, diskCapacity: diskBytes, diskPath: directory)
            #else
                cache = URLCache(
                    memoryCapacity: memoryBytes, diskCapacity: diskBytes,
                    directory: URL(filePath: directory, directoryHint: .isDirectory))
            #endif
        }

        /// The entry under a key.
        public func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
            let request = Self.request(key)
            return try withCache { cache in cache.cachedResponse(for: request).map(Self.entry) }
        }

        /// Stores an entry. A value above the limit is refused and drops the old one.
        public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
            let request = Self.request(key)
            let (response, claims) = (Self.response(entry, to: request), claims)
            let error: StoreError? = try withCache { cache in
                do throws(StoreError) { try FoundationLimits.check(key, claims) } catch { return error }
                guard entry.value.count <= claims.valueBytesMax else {
                    cache.removeCachedResponse(for: request)
                    return FoundationLimits.refusal(of: entry.value, claims)
                }
                guard let response else { return StoreError(.inputOutput, "no answer can be made for \(request)") }
                cache.storeCachedResponse(response, for: request)
                return nil
            }
            if let error { throw error }
        }

        /// Removes the entry under a key; URLCache itself does not tell whether there was one, so it is looked for first.
        public func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
            let request = Self.request(key)
            return try withCache { cache in
                guard cache.cachedResponse(for: request) != nil else { return false }
                cache.removeCachedResponse(for: request)
                return true
            }
        }

        /// Removes every entry.
        public func removeAll() throws(StoreError) {
            try withCache { cache in cache.removeAllCachedResponses() }
        }

        /// Not supported: URLCache does not tell how many answers it holds.
        public func count() throws(StoreError) -> Int {
            try withCache { _ in }
            throw .unsupported("URLCache does not tell how many answers it holds")
        }

        /// Not supported: URLCache does not list its addresses.
        public func keys() throws(StoreError) -> [[UInt8]] {
            try withCache { _ in }
            throw .unsupported("URLCache does not list its addresses")
        }

        /// Removes every entry.
        public func close() throws(StoreError) {
            isOpen.withLock { isOpen in
                guard isOpen else { return }
                isOpen = false
                cache.removeAllCachedResponses()
            }
        }

        private func withCache<Result: Sendable>(_ body: (URLCache) -> Result) throws(StoreError) -> Result {
            try isOpen.withLock { (isOpen) throws(StoreError) in
                guard isOpen else { throw .closed }
                return body(cache)
            }
        }

        /// A request whose address is the key's alone: only host and path tell URLCache's entries apart.
        private static func request(_ key: [UInt8]) -> URLRequest {
            let digits = Array("0123456789abcdef".utf8)
            let path = String(decoding: key.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
            guard let address = URL(string: "http://cache.invalid/k\(path)") else {
                preconditionFailure("hexadecimal digits make an address")
            }
            return URLRequest(url: address)
        }

        private static func response(_ entry: StoredEntry, to request: URLRequest) -> CachedURLResponse? {
            let fields = entry.expiresAtNanoseconds.map { [expiryField: "\($0)"] } ?? [:]
            guard let address = request.url,
                let head = HTTPURLResponse(url: address, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
            else { return nil }
            return CachedURLResponse(response: head, data: Data(entry.value))
        }

        private static func entry(_ response: CachedURLResponse) -> StoredEntry {
            let head = response.response as? HTTPURLResponse
            let moment = head?.value(forHTTPHeaderField: expiryField).flatMap { Int64($0) }
            return StoredEntry([UInt8](response.data), expiresAtNanoseconds: moment)
        }
    }
#endif
