internal import CacheCore

/// What the harness itself knows of each object: the key it stores it under, and which bytes it wrote last.
///
/// Made before a subject is opened, so that a memory pass does not count the harness's bookkeeping as the subject's.
final class PayloadLedger {
    private let keys: [[UInt8]]
    private let ownsKeys: Bool
    private var versions: [UInt32]
    private var lengths: [Int]

    /// A ledger of objects that were never written; `keys[id]` are the bytes under which the object `id` is stored.
    ///
    /// With `copiesKeys` every key handed out is a buffer of its own, so that a backend that keeps it in memory is seen to
    /// pay for it, as it does when keys come from a request.
    init(keys: [[UInt8]], copiesKeys: Bool) {
        self.keys = keys
        ownsKeys = copiesKeys
        versions = [UInt32](repeating: 0, count: keys.count)
        lengths = [Int](repeating: 0, count: keys.count)
    }

    /// The key of an object.
    func key(of id: ObjectID) -> [UInt8] {
        let key = keys[Int(id)]
        return ownsKeys ? key.withUnsafeBufferPointer { Array($0) } : key
    }

    /// The bytes of an object's key and of its value as written last.
    func payloadBytes(of id: ObjectID) -> Int { keys[Int(id)].count + lengths[Int(id)] }

    /// The bytes to store for an object: a new version.
    func nextPayload(_ id: ObjectID, valueBytes: Int) -> [UInt8] {
        versions[Int(id)] &+= 1
        lengths[Int(id)] = valueBytes
        return Payload(id: id, version: versions[Int(id)], count: valueBytes).bytes()
    }

    /// Compares a hit's bytes with what was written last.
    ///
    /// - Throws: `AssayError` with code `verdict` if they differ.
    func verify(_ value: [UInt8], _ request: Request) throws(AssayError) {
        let written = lengths[Int(request.id)]
        let expected = Payload(id: request.id, version: versions[Int(request.id)], count: written)
        guard !expected.matches(value) else { return }
        let length = value.count == written ? "the right length" : "\(value.count) bytes instead of \(written)"
        throw AssayError(
            .verdict,
            "the backend returned wrong bytes (\(length)) for object \(request.id) at request \(request.index)")
    }
}
