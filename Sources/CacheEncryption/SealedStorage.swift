#if Encryption
    public import CacheCore
    internal import CacheStorage
    internal import Crypto
    internal import Synchronization

    /// Keeps entries in another store, encrypted: keys, values and moments of expiry.
    ///
    /// The other store sees names that are a keyed hash (HMAC-SHA-256) and values under AES-256-GCM, each bound to its name. It does see how
    /// many entries there are, how long they are, when they are used, and when they expire: a server may let them. Each opening
    /// encrypts under a key of its own and counts what it has encrypted, so that no nonce is used twice.
    ///
    /// Entries under another key are as if they were not there, and take room until ``removeAll()``. An entry that was changed, or
    /// taken from another name, is `corrupt` once, and then gone. That an entry was put back as it was before cannot be seen.
    ///
    /// Operations cost what the other store's cost, and a few microseconds and a few nanoseconds a byte. ``count()`` asks for all
    /// names, and ``keys()`` reads every entry.
    public final class SealedStorage: StorageBackend {
        /// The other store's, with room for what encryption adds.
        public let claims: StorageClaims

        private static let format: UInt8 = 1
        private static let saltBytes = 16
        private static let headBytes = 1 + saltBytes + 8
        /// What the longest key and the head of a record leave of the longest value.
        private static let overheadBytes = headBytes + 13 + Sealer.overheadBytes
        /// How many keys of earlier openings are remembered.
        private static let knownMax = 1000

        private let lower: any StorageBackend
        private let limits: StorageLimits
        private let key: EncryptionKey
        private let namingKey: SymmetricKey
        /// With what the names of all entries under this key begin.
        private let mark: [UInt8]
        private let salt: [UInt8]
        private let sealer: Sealer
        private let sealed = Atomic<UInt64>(0)
        private let known = Mutex<[[UInt8]: Sealer]>([:])

        /// The store below and the key.
        public static var descriptor: BackendDescriptor { descriptor(over: BuiltinStorage.embedded) }

        /// Opens a store over one of those that need no library.
        public convenience init(_ configuration: BackendConfiguration) throws(StoreError) {
            try self.init(configuration, over: BuiltinStorage.embedded)
        }

        /// The backend over any of `entries`: what a registry with more backends lists.
        public static func entry(over entries: [BackendEntry]) -> BackendEntry {
            BackendEntry(descriptor(over: entries)) { (configuration) throws(StoreError) in
                try SealedStorage(configuration, over: entries)
            }
        }

        private static func descriptor(over entries: [BackendEntry]) -> BackendDescriptor {
            let names = entries.map(\.descriptor.name).joined(separator: ", ")
            return BackendDescriptor(
                name: "sealed", summary: "Any other store, encrypted.",
                citation: "NIST SP 800-38D, 2007 (AES-GCM); H. Krawczyk, P. Eronen, RFC 5869, 2010 (HKDF)",
                parameters: [
                    ParameterSpecification(
                        "over", .text(default: "file"), "The store: one of \(names), with + between its parameters."),
                    ParameterSpecification(
                        "key-file", .text(default: ""),
                        "A file with the 32 bytes of the key; without one the key is known to everybody, for measurements."
                    ),
                ], needsDirectory: true)
        }

        private convenience init(
            _ configuration: BackendConfiguration, over entries: [BackendEntry]
        ) throws(StoreError) {
            let over = try NamedBackend(
                configuration.parameters.text("over"), of: "sealed", parameter: "over", among: entries)
            let path = configuration.parameters.text("key-file")
            let key = path.isEmpty ? EncryptionKey.known : try EncryptionKey(contentsOf: path)
            let lower = try over.open(directory: configuration.directory)
            do throws(StoreError) { try self.init(over: lower, key) } catch {
                try? lower.close()
                throw error
            }
        }

        /// Encrypts what goes into a store, which belongs to it from now on.
        ///
        /// - Throws: `unavailable` for a store that takes no keys of 40 bytes, or no values to speak of.
        public init(over lower: any StorageBackend, _ key: EncryptionKey) throws(StoreError) {
            var claims = lower.claims
            claims.allowsEmptyKey = true
            claims.keyBytesMax = min(65_536, lower.claims.valueBytesMax / 4)
            claims.valueBytesMax -= claims.keyBytesMax + Self.overheadBytes
            guard lower.claims.keyBytesMax >= 40, claims.valueBytesMax > 0 else {
                throw StoreError(
                    .unavailable,
                    "sealed: the store below takes keys of \(lower.claims.keyBytesMax) and values of "
                        + "\(lower.claims.valueBytesMax) bytes, and encryption needs 40 and 100; use another")
            }
            self.lower = lower
            self.claims = claims
            self.key = key
            limits = StorageLimits(claims)
            namingKey = key.derived(for: "names")
            mark = Array(HMAC<Crypto.SHA256>.authenticationCode(for: Array("mark".utf8), using: namingKey).prefix(8))
            salt = EncryptionKey.randomBytes(Self.saltBytes)
            sealer = Sealer(key.derived(for: "records", salt: salt))
        }

        /// The entry under a key.
        ///
        /// - Throws: `corrupt` once for an entry that was changed; what the other store throws.
        public func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
            guard limits.accepts(key: key) else { return nil }
            let name = name(of: key)
            guard let stored = try lower.get(name) else { return nil }
            if let record = open(stored.value, name), record.key == key { return record.entry }
            _ = try lower.remove(name)
            throw StoreError(.corrupt, "an entry is not what was encrypted under its key, and was removed")
        }

        /// Stores an entry.
        public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
            try limits.check(key: key)
            let name = name(of: key)
            guard limits.accepts(value: entry.value) else {
                _ = try lower.remove(name)
                throw limits.refusal(of: entry.value)
            }
            let value = try seal(SealedRecord(key: key, entry: entry), name)
            try lower.put(StoredEntry(value, expiresAtNanoseconds: entry.expiresAtNanoseconds), for: name)
        }

        /// Removes the entry under a key.
        public func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
            guard limits.accepts(key: key) else { return false }
            return try lower.remove(name(of: key))
        }

        /// Removes every entry, those under other keys too.
        public func removeAll() throws(StoreError) { try lower.removeAll() }

        /// The number of entries under this key. O(n).
        public func count() throws(StoreError) -> Int { try names().count }

        /// Every key, from its entry. Entries that were changed are removed.
        public func keys() throws(StoreError) -> [[UInt8]] {
            var keys: [[UInt8]] = []
            for name in try names() {
                if let record = try undamaged(name) { keys.append(record.key) }
            }
            return keys
        }

        /// What is stored under a name; nil if there is nothing, or nothing of use, which is removed.
        private func undamaged(_ name: [UInt8]) throws(StoreError) -> SealedRecord? {
            do throws(StoreError) {
                guard let stored = try lower.get(name) else { return nil }
                if let record = open(stored.value, name) { return record }
                _ = try lower.remove(name)
            } catch {
                guard error.code == .corrupt else { throw error }
            }
            return nil
        }

        /// Makes everything acknowledged durable in the other store.
        public func flush() throws(StoreError) { try lower.flush() }

        /// Closes the other store.
        public func close() throws(StoreError) { try lower.close() }

        private func names() throws(StoreError) -> [[UInt8]] { try lower.keys().filter { $0.starts(with: mark) } }

        private func name(of key: [UInt8]) -> [UInt8] {
            // Marks and names are hashes under one key: what is hashed for them begins differently.
            mark + HMAC<Crypto.SHA256>.authenticationCode(for: Array("name".utf8) + key, using: namingKey)
        }

        private func seal(_ record: SealedRecord, _ name: [UInt8]) throws(StoreError) -> [UInt8] {
            let number = sealed.wrappingAdd(1, ordering: .relaxed).oldValue
            let body = try sealer.seal(record.bytes, number: number, context: [Self.format] + name)
            return [Self.format] + salt + number.bigEndianBytes + body
        }

        private func open(_ bytes: [UInt8], _ name: [UInt8]) -> SealedRecord? {
            guard bytes.count > Self.headBytes, bytes[0] == Self.format else { return nil }
            let number = UInt64(bigEndianBytes: bytes[(1 + Self.saltBytes)..<Self.headBytes])
            let sealer = sealer(Array(bytes[1...Self.saltBytes]))
            return sealer.open(bytes[Self.headBytes...], number: number, context: [Self.format] + name)
                .flatMap { SealedRecord($0) }
        }

        /// What an opening has encrypted with.
        private func sealer(_ salt: [UInt8]) -> Sealer {
            if salt == self.salt { return sealer }
            if let sealer = known.withLock({ $0[salt] }) { return sealer }
            let sealer = Sealer(key.derived(for: "records", salt: salt))
            known.withLock { known in
                if known.count >= Self.knownMax { known = [:] }
                known[salt] = sealer
            }
            return sealer
        }
    }

    /// What is encrypted of an entry: its key and its expiry with the value.
    private struct SealedRecord {
        var key: [UInt8]
        var entry: StoredEntry

        init(key: [UInt8], entry: StoredEntry) {
            self.key = key
            self.entry = entry
        }

        /// The expiry behind a byte that says whether there is one, the key behind its length, the value.
        var bytes: [UInt8] {
            let expiry = entry.expiresAtNanoseconds.map { [1] + $0.bigEndianBytes } ?? [0]
            return expiry + UInt32(key.count).bigEndianBytes + key + entry.value
        }

        init?(_ bytes: [UInt8]) {
            var rest = bytes[...]
            func take(_ count: Int) -> ArraySlice<UInt8>? {
                guard rest.count >= count else { return nil }
                defer { rest = rest.dropFirst(count) }
                return rest.prefix(count)
            }
            guard let flag = take(1)?.first, let expiry = take(flag == 0 ? 0 : 8), let length = take(4),
                let key = take(Int(UInt32(bigEndianBytes: length)))
            else { return nil }
            self.key = Array(key)
            entry = StoredEntry(
                Array(rest), expiresAtNanoseconds: flag == 0 ? nil : Int64(bigEndianBytes: expiry))
        }
    }
#endif
