internal import CacheCore

/// A policy over a backend, driven by dense ids: what a live run measures.
///
/// The policy decides, the backend holds the bytes; the two are kept in step, and every hit is compared with what was
/// written last.
final class LiveCache {
    private let policy: any SteppedPolicy
    private let backend: any StorageBackend
    private let keys: [[UInt8]]
    private var versions: [UInt32]
    private var lengths: [Int]
    private var victims = VictimList()
    private(set) var evictions = 0

    /// A cache over an empty backend; `keys[id]` are the bytes under which the object `id` is stored.
    init(policy: any SteppedPolicy, backend: any StorageBackend, keys: [[UInt8]]) {
        self.policy = policy
        self.backend = backend
        self.keys = keys
        versions = [UInt32](repeating: 0, count: keys.count)
        lengths = [Int](repeating: 0, count: keys.count)
    }

    /// Objects resident by the policy's account.
    var residentCount: Int { policy.residentCount }
    /// Their weight in the capacity's unit.
    var residentWeight: Int { policy.residentWeight }

    /// The bytes of the keys and values that are resident now. O(objects).
    func residentPayloadBytes() -> Int {
        var total = 0
        for id in keys.indices where policy.contains(ObjectID(id)) { total += keys[id].count + lengths[id] }
        return total
    }

    /// Looks an object up; returns its bytes if the policy calls it a hit.
    ///
    /// - Throws: `AssayError` with code `verdict` if the backend has lost what the policy calls resident.
    func get(_ request: Request) throws(AssayError) -> [UInt8]? {
        guard policy.touch(request) else { return nil }
        do {
            if let entry = try backend.get(keys[Int(request.id)]) { return entry.value }
        } catch {
            throw storageFailure("get", request, error)
        }
        throw AssayError(
            .verdict,
            "the backend lost an entry that was never removed: object \(request.id) at request \(request.index)")
    }

    /// The bytes to store for a missed object: a new version.
    func nextPayload(_ request: Request, valueBytes: Int) -> [UInt8] {
        versions[Int(request.id)] &+= 1
        lengths[Int(request.id)] = valueBytes
        return Payload(id: request.id, version: versions[Int(request.id)], count: valueBytes).bytes()
    }

    /// Offers a missed object: removes what the policy evicts, and stores the value if the policy admits it.
    ///
    /// Returns whether it was stored.
    func put(_ request: Request, _ value: [UInt8]) throws(AssayError) -> Bool {
        victims.clear()
        let admitted = policy.insert(request, evicting: &victims)
        do {
            for victim in victims.evicted where victim != request.id {
                _ = try backend.remove(keys[Int(victim)])
            }
            if admitted { try backend.put(StoredEntry(value), for: keys[Int(request.id)]) }
        } catch {
            throw storageFailure("put", request, error)
        }
        evictions += victims.evicted.count
        return admitted
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

    private func storageFailure(_ operation: String, _ request: Request, _ error: StorageError) -> AssayError {
        AssayError(
            error.code == .corrupt ? .verdict : .inputOutput,
            "\(operation) of object \(request.id) failed at request \(request.index)", cause: error.description)
    }
}
