#if Encryption
    internal import CacheCore
    internal import Crypto

    #if canImport(FoundationEssentials)
        internal import FoundationEssentials
    #else
        internal import Foundation
    #endif

    /// AES-256 in Galois/Counter Mode (NIST SP 800-38D) under one key, with nonces that are numbers.
    ///
    /// No number may be used twice: whoever seals counts, and has a key of its own.
    struct Sealer: Sendable {
        /// How many bytes a message has more when it is sealed.
        static let overheadBytes = 16

        private let key: SymmetricKey

        init(_ key: SymmetricKey) { self.key = key }

        /// A message that can be read and changed by nobody else, and is of use with the same number and context alone.
        func seal(
            _ message: [UInt8], number: UInt64, flag: UInt8 = 0, context: [UInt8]
        ) throws(StoreError) -> [UInt8] {
            do {
                let box = try AES.GCM.seal(
                    message, using: key, nonce: try Self.nonce(number, flag), authenticating: context)
                var sealed = [UInt8]()
                sealed.reserveCapacity(message.count + Self.overheadBytes)
                sealed += box.ciphertext
                sealed += box.tag
                return sealed
            } catch {
                throw StoreError(.inputOutput, "what is to be stored cannot be encrypted: \(error)")
            }
        }

        /// The message that was sealed; nil if it was not these bytes, with this number and context, under this key.
        func open(_ sealed: ArraySlice<UInt8>, number: UInt64, flag: UInt8 = 0, context: [UInt8]) -> [UInt8]? {
            guard sealed.count >= Self.overheadBytes, let nonce = try? Self.nonce(number, flag),
                let box = try? AES.GCM.SealedBox(
                    nonce: nonce, ciphertext: sealed.dropLast(Self.overheadBytes),
                    tag: sealed.suffix(Self.overheadBytes)),
                let message = try? AES.GCM.open(box, using: key, authenticating: context)
            else { return nil }
            return [UInt8](message)
        }

        private static func nonce(_ number: UInt64, _ flag: UInt8) throws -> AES.GCM.Nonce {
            try AES.GCM.Nonce(data: number.bigEndianBytes + [flag, 0, 0, 0])
        }
    }

    extension FixedWidthInteger {
        /// Its bytes, the highest first.
        var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }

        /// The number that some bytes are, the highest first.
        init(bigEndianBytes bytes: some Sequence<UInt8>) { self = bytes.reduce(0) { $0 << 8 | Self($1) } }
    }
#endif
