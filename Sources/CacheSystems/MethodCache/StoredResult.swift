internal import CacheEngine
internal import Synchronization

/// A result as it lies in the backend, and as a value where it was computed or has been decoded since.
final class StoredResult: Sendable {
    let bytes: [UInt8]
    private let decoded: Mutex<MethodResult?>

    init(_ bytes: [UInt8], _ decoded: MethodResult?) {
        self.bytes = bytes
        self.decoded = Mutex(decoded)
    }

    /// A result that has been computed.
    ///
    /// - Throws: what its encoder throws.
    convenience init<Output: Codable & Sendable>(_ output: Output) throws {
        self.init(try EnclosedJSON.bytes(of: output), MethodResult(output, weight: 1))
    }

    /// The value, decoded where it must be.
    ///
    /// - Throws: what the decoder throws, where the bytes are of another type.
    func output<Output: Codable & Sendable>(as type: Output.Type) throws -> Output {
        if let known = decoded.withLock({ $0 })?.value(as: type) { return known }
        let output: Output = try EnclosedJSON.object(of: bytes)
        decoded.withLock { $0 = MethodResult(output, weight: 1) }
        return output
    }

    static var codec: CacheCodec<[UInt8], StoredResult> {
        CacheCodec(
            encodeKey: { $0 }, decodeKey: { $0 }, encodeValue: { $0.bytes }, decodeValue: { StoredResult($0, nil) })
    }
}

extension MethodRules where Output: Codable {
    /// What is stored of an output, if it is stored: one that cannot be encoded is given to those who wait alone.
    func stored(_ output: Output, _ order: inout LoadOrder) -> StoredResult {
        order.expiry = expiry(of: output)
        order.isKept = admits?(output) ?? true
        if order.isKept, let result = try? StoredResult(output) { return result }
        order.isKept = false
        return StoredResult([], MethodResult(output, weight: 1))
    }

    /// The output that was stored; nil if it is of another type, and then it is removed.
    func output(_ result: StoredResult, _ key: [UInt8], _ results: TieredCache<[UInt8], StoredResult>) -> Output? {
        do { return try result.output(as: Output.self) } catch {
            _ = try? results.remove(key)
            return nil
        }
    }
}
