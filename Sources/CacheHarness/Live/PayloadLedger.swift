internal import CacheCore
internal import Synchronization

/// What a live run knows of each object: its key, and the version and length that were written last.
///
/// It is made before a subject is measured, since it grows with the trace and belongs to the harness. Threads may use it
/// at the same time.
final class PayloadLedger: @unchecked Sendable {
    private let keys: [[UInt8]]
    private let texture: Payload.Texture
    /// Of each object, the version in the upper bits, which begins again at 0 after the highest, and the length below.
    private let written: UnsafeMutablePointer<Atomic<UInt64>>

    private static var lengthBits: UInt64 { 36 }
    private static var lengthMask: UInt64 { 1 << lengthBits - 1 }
    private static var versionMask: UInt32 { 1 << (64 - lengthBits) - 1 }
    /// How far back versions are tried for a value without header: a thread that has to wait for a processor between taking its version
    /// and writing it, or between reading and verifying, may be overtaken by any number of writes.
    private static var overtakenVersions: UInt32 { 1 << 16 }

    /// A key and a value that nobody else holds, so that what a backend keeps of them is the backend's own.
    struct Offer {
        let key: [UInt8]
        let value: [UInt8]
    }

    /// `keys[id]` are the bytes under which the object `id` is stored.
    init(keys: [[UInt8]], texture: Payload.Texture = Payload.Texture()) {
        self.keys = keys
        self.texture = texture
        written = .allocate(capacity: keys.count)
        for index in keys.indices { (written + index).initialize(to: Atomic(0)) }
    }

    deinit {
        written.deinitialize(count: keys.count)
        written.deallocate()
    }

    /// The bytes under which an object is stored.
    func key(of id: ObjectID) -> [UInt8] { keys[Int(id)] }

    /// What to store next for an object: a new version, and a copy of its key.
    func nextOffer(_ id: ObjectID, valueBytes: Int) -> Offer {
        let place = written + Int(id)
        var old = place.pointee.load(ordering: .relaxed)
        while true {
            let new = (old >> Self.lengthBits &+ 1) << Self.lengthBits | UInt64(valueBytes) & Self.lengthMask
            let (exchanged, found) = place.pointee.weakCompareExchange(
                expected: old, desired: new, ordering: .relaxed)
            if exchanged { break }
            old = found
        }
        let version = UInt32(truncatingIfNeeded: old >> Self.lengthBits &+ 1) & Self.versionMask
        let key = keys[Int(id)].withUnsafeBufferPointer { Array($0) }
        return Offer(key: key, value: Payload(id: id, version: version, count: valueBytes, texture: texture).bytes())
    }

    /// What was written last for an object.
    func expected(_ id: ObjectID) -> Payload {
        let word = written[Int(id)].load(ordering: .relaxed)
        return Payload(
            id: id, version: UInt32(word >> Self.lengthBits), count: Int(word & Self.lengthMask), texture: texture)
    }

    /// Whether a value is what was written last for an object, or, where other threads write, what was written for it
    /// before. O(bytes); for a short value that other threads have overwritten or that is wrong, times the versions.
    func isValid(_ value: [UInt8], for id: ObjectID, isShared: Bool) -> Bool {
        let expected = expected(id)
        if expected.matches(value) { return true }
        guard isShared else { return false }
        if value.count >= Payload.headerBytes {
            let said = Payload(saidBy: value, texture: texture)
            let age = expected.version &- said.version & Self.versionMask
            return said.id == id && age <= Self.versionMask / 2 && said.matches(value)
        }
        return (0...min(Self.overtakenVersions, expected.version)).contains { age in
            Payload(id: id, version: expected.version - age, count: value.count, texture: texture).matches(value)
        }
    }

    /// How many of the first `limit` objects are resident. O(objects).
    func residentCount(among limit: Int, _ isResident: ([UInt8]) throws(AssayError) -> Bool) throws(AssayError) -> Int {
        var count = 0
        for key in keys.prefix(limit) where try isResident(key) { count += 1 }
        return count
    }

    /// The bytes of the keys and values of the objects that are resident. O(objects).
    func payloadBytes(isResident: ([UInt8]) throws(AssayError) -> Bool) throws(AssayError) -> Int {
        var sum = 0
        for (index, key) in keys.enumerated() where try isResident(key) {
            sum += key.count + expected(ObjectID(index)).count
        }
        return sum
    }
}
