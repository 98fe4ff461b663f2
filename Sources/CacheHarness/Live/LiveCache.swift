internal import CacheCore

/// A policy over a backend, driven by dense ids: what a live run measures.
///
/// The policy decides, the backend holds the bytes; the two are kept in step.
final class LiveCache {
    private let policy: any SteppedPolicy
    private let backend: any StorageBackend
    private let ledger: PayloadLedger
    private var victims = VictimList()
    private(set) var evictions = 0

    /// A cache over an empty backend.
    init(policy: any SteppedPolicy, backend: any StorageBackend, ledger: PayloadLedger) {
        self.policy = policy
        self.backend = backend
        self.ledger = ledger
    }

    /// Objects resident by the policy's account.
    var residentCount: Int { policy.residentCount }
    /// Their weight in the capacity's unit.
    var residentWeight: Int { policy.residentWeight }

    /// Whether the policy holds an object.
    func contains(_ id: ObjectID) -> Bool { policy.contains(id) }

    /// Looks an object up; returns its bytes if the policy calls it a hit.
    ///
    /// - Throws: `AssayError` with code `verdict` if the backend has lost what the policy calls resident.
    func get(_ request: Request) throws(AssayError) -> [UInt8]? {
        guard policy.touch(request) else { return nil }
        do {
            if let entry = try backend.get(ledger.key(of: request.id)) { return entry.value }
        } catch {
            throw storageFailure("get", request, error)
        }
        throw AssayError(
            .verdict,
            "the backend lost an entry that was never removed: object \(request.id) at request \(request.index)")
    }

    /// Offers a missed object: removes what the policy evicts, and stores the value if the policy admits it.
    ///
    /// Returns whether it was stored.
    func put(_ request: Request, _ value: [UInt8]) throws(AssayError) -> Bool {
        victims.clear()
        let admitted = policy.insert(request, evicting: &victims)
        do {
            for victim in victims.evicted where victim != request.id {
                _ = try backend.remove(ledger.key(of: victim))
            }
            if admitted { try backend.put(StoredEntry(value), for: ledger.key(of: request.id)) }
        } catch {
            throw storageFailure("put", request, error)
        }
        evictions += victims.evicted.count
        return admitted
    }

    private func storageFailure(_ operation: String, _ request: Request, _ error: StorageError) -> AssayError {
        AssayError(
            error.code == .corrupt ? .verdict : .inputOutput,
            "\(operation) of object \(request.id) failed at request \(request.index)", cause: error.description)
    }
}
