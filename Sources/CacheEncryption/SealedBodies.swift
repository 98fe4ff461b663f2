#if Encryption
    public import CacheCore
    public import CacheSystems

    /// Long bodies, encrypted: each under a key of its own, segment by segment.
    ///
    /// A file begins with a byte for the format and 16 random ones, from which and the body's number its key is derived. Segments follow the
    /// construction STREAM (V. T. Hoang, R. Reyhanitabar, P. Rogaway, D. Vizár, Online Authenticated-Encryption and its Nonce-Reuse
    /// Misuse-Resistance, 2015): the nonce is a segment's place and whether it is the last, so that none can be left out, swapped
    /// or taken from another body. How long a body is can be seen.
    public struct SealedBodies: BodySealing {
        private static let format: UInt8 = 1
        private static let saltBytes = 16
        private let key: EncryptionKey

        /// The format and the random bytes.
        public var headBytes: Int { 1 + Self.saltBytes }
        /// What shows that a segment was not changed.
        public var overheadBytes: Int { Sealer.overheadBytes }

        /// Bodies under a key.
        public init(_ key: EncryptionKey) { self.key = key }

        /// A body under a new key.
        public func begin(_ number: UInt64) -> (head: [UInt8], segments: any SegmentSealing) {
            let salt = EncryptionKey.randomBytes(Self.saltBytes)
            return ([Self.format] + salt, segments(of: number, salt))
        }

        /// The body whose file begins so. Whether the head is its own shows at the first segment.
        ///
        /// - Throws: `corrupt` for another format or length.
        public func resume(_ number: UInt64, head: [UInt8]) throws(StoreError) -> any SegmentSealing {
            guard head.count == headBytes, head[0] == Self.format else {
                throw StoreError(.corrupt, "body \(number) does not begin as encrypted bodies do")
            }
            return segments(of: number, Array(head.dropFirst()))
        }

        private func segments(of number: UInt64, _ salt: [UInt8]) -> SealedSegments {
            SealedSegments(number: number, sealer: Sealer(key.derived(for: "body \(number)", salt: salt)))
        }
    }

    private struct SealedSegments: SegmentSealing {
        let number: UInt64
        let sealer: Sealer

        func seal(_ segment: [UInt8], at place: SegmentPlace) throws(StoreError) -> [UInt8] {
            try sealer.seal(segment, number: UInt64(place.index), flag: place.isLast ? 1 : 0, context: [])
        }

        func open(_ sealed: [UInt8], at place: SegmentPlace) throws(StoreError) -> [UInt8] {
            let flag: UInt8 = place.isLast ? 1 : 0
            guard let segment = sealer.open(sealed[...], number: UInt64(place.index), flag: flag, context: []) else {
                throw StoreError(
                    .corrupt,
                    "segment \(place.index) of body \(number) is not what was encrypted, or not under this key")
            }
            return segment
        }
    }
#endif
