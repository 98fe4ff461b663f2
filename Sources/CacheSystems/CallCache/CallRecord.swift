internal import CacheCore
internal import CacheEngine

/// An answer as it is kept: with the moment when its origin gave it, which no read changes.
struct CallRecord: Sendable {
    let result: StoredResult
    let writtenAtNanoseconds: Int64

    init(result: StoredResult, writtenAtNanoseconds: Int64) {
        self.result = result
        self.writtenAtNanoseconds = writtenAtNanoseconds
    }

    /// An answer of now; one that cannot be encoded is not storable.
    init(_ output: some Codable & Sendable, atNanoseconds moment: Int64) {
        let encoded = try? StoredResult(output)
        self.init(
            result: encoded ?? StoredResult([], MethodResult(output, weight: 1)), writtenAtNanoseconds: moment)
    }

    /// Whether it could be encoded.
    var isStorable: Bool { !result.bytes.isEmpty }

    /// The age at a moment; nil if the moment is before it was written, as after somebody has set the machine's clock back.
    func age(at nanoseconds: Int64) -> Duration? {
        nanoseconds < writtenAtNanoseconds ? nil : .nanoseconds(nanoseconds) - .nanoseconds(writtenAtNanoseconds)
    }

    /// Whether it is younger than a limit; one of unknown age is only where there is none.
    func isYounger(than limit: Duration?, at nanoseconds: Int64) -> Bool {
        guard let limit else { return true }
        return age(at: nanoseconds).map { $0 < limit } ?? false
    }

    /// Eight bytes, big-endian, for the moment in nanoseconds since 1970, and the answer.
    static var codec: CacheCodec<[UInt8], CallRecord> {
        CacheCodec(
            encodeKey: { $0 }, decodeKey: { $0 },
            encodeValue: { record in
                let moment = UInt64(bitPattern: record.writtenAtNanoseconds)
                return (0..<8).map { UInt8(truncatingIfNeeded: moment >> UInt64(56 - 8 * $0)) } + record.result.bytes
            },
            decodeValue: { bytes in
                guard bytes.count >= 8 else { throw StoreError(.corrupt, "an answer without its moment") }
                let moment = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                return CallRecord(
                    result: StoredResult(Array(bytes[8...]), nil), writtenAtNanoseconds: Int64(bitPattern: moment))
            })
    }
}
