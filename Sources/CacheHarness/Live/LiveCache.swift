internal import CacheCore

/// A policy over a backend, driven by dense ids: what a live run measures.
///
/// The policy decides, the backend holds the bytes; the two are kept in step, and every hit is compared with what was
/// written last.
final class LiveCache {
    private let policy: any SteppedPolicy
    private let backend: any StorageBackend
    private let ledger: PayloadLedger
    private var victims = VictimList()
    private(set) var evictions = 0

    /// A cache over an empty backend; `ledger` knows the objects' keys and what was written under them.
    init(policy: any SteppedPolicy, backend: any StorageBackend, ledger: PayloadLedger) {
        self.policy = policy
        self.backend = backend
        self.ledger = ledger
    }

    /// Objects resident by the policy's account.
    var residentCount: Int { policy.residentCount }
    /// Their weight in the capacity's unit.
    var residentWeight: Int { policy.residentWeight }
    /// Adds to the counts what only the policy knows.
    func report(into counts: inout ReplayCounts) { policy.report(into: &counts) }

    /// The bytes of the keys and values that are resident now. O(objects).
    func residentPayloadBytes() -> Int {
        ledger.payloadBytes { policy.contains($0) }
    }

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

    /// What to store for a missed object: a new version, under a key of its own.
    func nextOffer(_ request: Request, valueBytes: Int) -> PayloadLedger.Offer {
        ledger.nextOffer(request.id, valueBytes: valueBytes)
    }

    /// Offers a missed object: removes what the policy evicts, and stores the value if the policy admits it.
    ///
    /// Returns whether it was stored.
    func put(_ request: Request, _ offer: PayloadLedger.Offer) throws(AssayError) -> Bool {
        victims.clear()
        let admitted = policy.insert(request, evicting: &victims)
        do {
            for victim in victims.evicted where victim != request.id {
                _ = try backend.remove(ledger.key(of: victim))
            }
            if admitted { try backend.put(StoredEntry(offer.value), for: offer.key) }
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
        let expected = ledger.expected(request.id)
        guard !expected.matches(value) else { return }
        let length =
            value.count == expected.count ? "the right length" : "\(value.count) bytes instead of \(expected.count)"
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
