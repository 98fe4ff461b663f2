internal import CacheCore

/// What a live run knows of each object: its key, and the version and length that were written last.
///
/// It is made before a subject is measured, since it grows with the trace and belongs to the harness.
final class PayloadLedger {
    private let keys: [[UInt8]]
    private var versions: [UInt32]
    private var lengths: [Int]

    /// A key and a value that nobody else holds, so that what a backend keeps of them is the backend's own.
    struct Offer {
        let key: [UInt8]
        let value: [UInt8]
    }

    /// `keys[id]` are the bytes under which the object `id` is stored.
    init(keys: [[UInt8]]) {
        self.keys = keys
        versions = [UInt32](repeating: 0, count: keys.count)
        lengths = [Int](repeating: 0, count: keys.count)
    }

    /// The bytes under which an object is stored.
    func key(of id: ObjectID) -> [UInt8] { keys[Int(id)] }

    /// What to store next for an object: a new version, and a copy of its key.
    func nextOffer(_ id: ObjectID, valueBytes: Int) -> Offer {
        let index = Int(id)
        versions[index] &+= 1
        lengths[index] = valueBytes
        let key = keys[index].withUnsafeBufferPointer { Array($0) }
        return Offer(key: key, value: expected(id).bytes())
    }

    /// What was written last for an object.
    func expected(_ id: ObjectID) -> Payload {
        Payload(id: id, version: versions[Int(id)], count: lengths[Int(id)])
    }

    /// The bytes of the keys and values of the objects that are resident. O(objects).
    func payloadBytes(isResident: (ObjectID) -> Bool) -> Int {
        keys.indices.reduce(0) { sum, index in
            isResident(ObjectID(index)) ? sum + keys[index].count + lengths[index] : sum
        }
    }
}
