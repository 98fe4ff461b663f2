public import CacheCore

/// Replaces keys and tenants by keyed hashes, HMAC-SHA-256 cut to 64 bits, so that nobody without the secret can try which key it was.
///
/// What remains: how often and when objects are asked for, and, unless they are changed too, sizes and times.
public struct Anonymiser: Sendable {
    /// The least length of a secret, in bytes.
    public static let secretBytesMin = 16

    /// Whether all times are moved by one amount that the secret decides, up to 2^58 nanoseconds (nine years) to the future.
    public var movesTimes = false
    /// By how much an object's sizes may be changed, as a share from 0 to 1; each object by its own factor, which the secret decides.
    public var sizeChange = 0.0
    private let secret: [UInt8]

    /// An anonymiser with a secret.
    ///
    /// - Throws: `AssayError` with code `usage` for a secret that is too short.
    public init(secret: [UInt8]) throws(AssayError) {
        guard secret.count >= Self.secretBytesMin else {
            throw AssayError(
                .usage,
                "The secret has \(secret.count) bytes; it needs at least \(Self.secretBytesMin) that nobody can guess.")
        }
        self.secret = secret
    }

    /// What stands for a trace's objects and tenants, and how many objects collide with another.
    public struct Names: Sendable {
        var keys: [UInt64] = []
        /// How many objects have the number of an earlier one.
        public var collisions = 0
        var tenants: [[UInt8]] = []
        var factors: [Double] = []
    }

    /// The numbers for a trace's objects and the names for its tenants. O(objects), some microseconds each.
    public func names(of trace: CompiledTrace) -> Names {
        var names = Names()
        names.keys.reserveCapacity(trace.objects)
        for id in 0..<UInt32(trace.objects) {
            // A number and the same digits as bytes are two objects.
            let kind = trace.integerKey(of: id) == nil ? "text:" : "number:"
            let key = Array(kind.utf8) + trace.key(of: id)
            names.keys.append(hash("key", key))
            if sizeChange > 0 {
                let unit = Double(hash("size", key) >> 11) * 0x1p-53
                names.factors.append(1 + sizeChange * (2 * unit - 1))
            }
        }
        names.collisions = names.keys.count - Set(names.keys).count
        names.tenants = trace.tenantNameBytes.map { name in
            let digits = String(hash("tenant", name), radix: 16)
            return Array((String(repeating: "0", count: 16 - digits.count) + digits).utf8)
        }
        return names
    }

    /// Appends every request of a trace, under other names.
    ///
    /// - Throws: `AssayError` as the builder does, and with code `unavailable` if a moved time does not fit 64 bits.
    public func append(
        _ trace: CompiledTrace, _ names: Names, to builder: inout TraceBuilder
    ) throws(AssayError) {
        var source = TraceSource(trace)
        source.rename(names.tenants)
        let shift = movesTimes ? Int64(hash("time", []) >> 6) : 0
        for position in 0..<trace.requests {
            let id = Int(source.columns.ids[position])
            var overflows = false
            try builder.append(position, of: &source, key: names.keys[id]) { attributes in
                if let time = attributes.timeNanoseconds {
                    (attributes.timeNanoseconds, overflows) = time.addingReportingOverflow(shift)
                }
                if !names.factors.isEmpty, let size = attributes.sizeBytes {
                    attributes.sizeBytes = UInt64(max(0, min(0x1p62, (Double(size) * names.factors[id]).rounded())))
                }
            }
            guard !overflows else {
                throw AssayError(
                    .unavailable, "Request \(position + 1) has a time that cannot be moved within 64 bits.")
            }
        }
    }

    /// The first 64 bits of the keyed hash of a message of some kind.
    private func hash(_ kind: String, _ message: [UInt8]) -> UInt64 {
        Self.hmac(secret, Array(kind.utf8) + [0] + message).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// HMAC with SHA-256 (RFC 2104): 32 bytes.
    static func hmac(_ secret: [UInt8], _ message: [UInt8]) -> [UInt8] {
        var block = secret.count > 64 ? SHA256.digest(of: secret) : secret
        block += [UInt8](repeating: 0, count: 64 - block.count)
        let inner = SHA256.digest(of: block.map { $0 ^ 0x36 } + message)
        return SHA256.digest(of: block.map { $0 ^ 0x5c } + inner)
    }
}
