#if Encryption
    public import CacheCore
    internal import Crypto

    /// The secret under which what is stored is encrypted: 256 bits, from which every key in use is derived (HKDF of RFC 5869).
    ///
    /// Who has it can read and forge everything. It is never written anywhere; keep it where the store is not.
    public struct EncryptionKey: Sendable {
        /// How many bytes it has.
        public static let byteCount = 32

        private let secret: SymmetricKey

        /// A secret that is known: 32 bytes that nobody can guess.
        ///
        /// - Throws: `unavailable` for another number of bytes.
        public init(_ bytes: [UInt8]) throws(StoreError) {
            guard bytes.count == Self.byteCount else {
                throw StoreError(
                    .unavailable,
                    "a key has \(Self.byteCount) bytes and not \(bytes.count); make one with EncryptionKey.random()")
            }
            secret = SymmetricKey(data: bytes)
        }

        /// The secret in a file of 32 bytes.
        ///
        /// - Throws: `unavailable` for a file that is missing or has another length, `inputOutput` for one that cannot be read.
        public init(contentsOf path: String) throws(StoreError) {
            let name = FileSystem.characters(path)
            let advice = "make one: head -c \(Self.byteCount) /dev/urandom > \(path)"
            guard let descriptor = try FileSystem.openForReading(name) else {
                throw StoreError(.unavailable, "there is no key in \(path); \(advice)")
            }
            defer { FileSystem.closeFile(descriptor) }
            var bytes = [UInt8](repeating: 0, count: Self.byteCount + 1)
            let outcome = bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(StoreError) in try FileSystem.read(descriptor, at: 0, into: buffer, path: name) }
            }
            let count = try outcome.get()
            guard count == Self.byteCount else {
                let found = count > Self.byteCount ? "more than \(Self.byteCount)" : "\(count)"
                throw StoreError(
                    .unavailable, "the key in \(path) has \(found) bytes and must have \(Self.byteCount); \(advice)")
            }
            try self.init(Array(bytes.prefix(Self.byteCount)))
        }

        private init(secret: SymmetricKey) { self.secret = secret }

        /// A secret that nobody had before.
        public static func random() -> EncryptionKey { EncryptionKey(secret: SymmetricKey(size: .bits256)) }

        /// A key that everybody can make: for measurements and tests of what a key costs.
        static let known = EncryptionKey(secret: SymmetricKey(data: [UInt8](repeating: 0x41, count: byteCount)))

        /// The key for one purpose.
        func derived(for purpose: String, salt: [UInt8] = []) -> SymmetricKey {
            HKDF<Crypto.SHA256>.deriveKey(
                inputKeyMaterial: secret, salt: salt, info: Array("assay 1 \(purpose)".utf8),
                outputByteCount: Self.byteCount)
        }

        /// Bytes that nobody can foresee.
        static func randomBytes(_ count: Int) -> [UInt8] {
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
    }
#endif
