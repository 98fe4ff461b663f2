#if Servers
    import CacheCore

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// What a store behind a socket accepts, and the errors for what it refuses.
    struct ServerLimits: Sendable {
        let keyBytesMax: Int
        let valueBytesMax: Int

        /// The limits that the claims state.
        init(_ claims: StorageClaims) {
            keyBytesMax = claims.keyBytesMax
            valueBytesMax = claims.valueBytesMax
        }

        func check(key: [UInt8]) throws(StoreError) {
            guard key.count <= keyBytesMax else {
                throw StoreError(
                    .keyRefused, "the key has \(key.count) bytes and the limit is \(keyBytesMax); use a shorter key")
            }
        }

        func refusal(of value: [UInt8]) -> StoreError {
            StoreError(
                .valueRefused,
                "the value has \(value.count) bytes and the limit is \(valueBytesMax); raise the limit or split it")
        }
    }

    /// What a store behind a socket takes from its surroundings.
    enum ServerEnvironment {
        /// A variable of the environment, nil if it is not set or empty.
        static func value(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }

        /// A name that no other store has: 16 hexadecimal digits of the system's randomness.
        static func randomName() -> String {
            var generator = SystemRandomNumberGenerator()
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
    }

    /// Moments in a server's units.
    enum ServerMoment {
        /// The first whole unit at or after a moment, both since 1970, so that nothing expires too early.
        static func roundedUp(_ nanoseconds: Int64, toUnitsOf unit: Int64) -> Int64 {
            let whole = nanoseconds / unit
            return nanoseconds % unit > 0 ? whole + 1 : whole
        }
    }
#endif
