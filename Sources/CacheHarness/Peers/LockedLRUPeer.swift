internal import Synchronization

/// The least that somebody would write instead of taking a cache: a `Dictionary` and a doubly linked list in the order of
/// use, under one lock. No capacity in bytes, no expiry, no events, no statistics.
///
/// The list is made of rows of an array, which is faster than objects: nothing is counted when links change.
final class LockedLRUPeer: PeerCache {
    private struct Row {
        var key: String
        var value: [UInt8]
        var newer: Int32
        var older: Int32
    }

    private struct Contents {
        var places: [String: Int32] = [:]
        var rows: [Row] = []
        var newest: Int32 = -1
        var oldest: Int32 = -1

        mutating func unlink(_ place: Int32) {
            let (newer, older) = (rows[Int(place)].newer, rows[Int(place)].older)
            if newer < 0 { newest = older } else { rows[Int(newer)].older = older }
            if older < 0 { oldest = newer } else { rows[Int(older)].newer = newer }
        }

        mutating func pushNewest(_ place: Int32) {
            rows[Int(place)].newer = -1
            rows[Int(place)].older = newest
            if newest < 0 { oldest = place } else { rows[Int(newest)].newer = place }
            newest = place
        }

        mutating func value(for key: String) -> [UInt8]? {
            guard let place = places[key] else { return nil }
            if place != newest {
                unlink(place)
                pushNewest(place)
            }
            return rows[Int(place)].value
        }

        mutating func put(_ value: [UInt8], for key: String, capacity: Int) {
            if let place = places[key] {
                rows[Int(place)].value = value
                unlink(place)
                return pushNewest(place)
            }
            let place: Int32
            if rows.count < capacity {
                place = Int32(rows.count)
                rows.append(Row(key: key, value: value, newer: -1, older: -1))
            } else {
                place = oldest
                unlink(place)
                places.removeValue(forKey: rows[Int(place)].key)
                rows[Int(place)].key = key
                rows[Int(place)].value = value
            }
            places[key] = place
            pushNewest(place)
        }
    }

    private let contents = Mutex(Contents())
    private let objects: PeerObjects
    private let capacity: Int

    /// An empty cache of so many entries, at least 1.
    init(_ objects: PeerObjects, capacity: Int) {
        self.objects = objects
        self.capacity = capacity
    }

    @inline(__always)
    func get(_ object: Int) -> Bool {
        contents.withLock { $0.value(for: objects[object].key) }?.first == PeerObject.byte(object)
    }

    @inline(__always)
    func put(_ object: Int) {
        contents.withLock { $0.put(objects[object].value, for: objects[object].key, capacity: capacity) }
    }

    var count: Int? { contents.withLock { $0.places.count } }
}
