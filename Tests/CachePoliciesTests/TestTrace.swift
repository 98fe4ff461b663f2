import CacheCore
import Synchronization

/// A trace in memory, made from plain arrays.
final class TestTrace: Sendable {
    private let idStorage: [UInt32]
    private let sizeStorage: [UInt32]?
    private let nextStorage: [UInt32]
    let smallestSize: Int
    let objectCount: Int

    init(ids: [UInt32], sizes: [UInt32]? = nil) {
        idStorage = ids
        sizeStorage = sizes
        objectCount = ids.max().map { Int($0) + 1 } ?? 0
        smallestSize = sizes?.min().map { Int($0) } ?? 1
        var last = [UInt32](repeating: .max, count: objectCount)
        var next = [UInt32](repeating: .max, count: ids.count)
        for position in ids.indices.reversed() {
            next[position] = last[Int(ids[position])]
            last[Int(ids[position])] = UInt32(position)
        }
        nextStorage = next
    }

    /// The columns over copies of the arrays that live as long as the columns do.
    var columns: RequestColumns {
        let owner = Columns(idStorage, sizeStorage, nextStorage)
        return RequestColumns(
            ids: owner.ids, sizes: owner.sizes.map { RecordedSizes($0) }, next: owner.next,
            objects: ObjectSpace(count: objectCount, smallestSize: smallestSize), owner: owner)
    }

    /// Each request with its position, size and next use.
    var requests: [Request] {
        idStorage.indices.map { position in
            let next = nextStorage[position]
            return Request(
                id: idStorage[position], size: sizeStorage.map { Int($0[position]) } ?? 1, index: position,
                nextIndex: next == .max ? Request.never : Int(next))
        }
    }

    private final class Columns: @unchecked Sendable {
        let ids: UnsafeBufferPointer<UInt32>
        let sizes: UnsafeBufferPointer<UInt32>?
        let next: UnsafeBufferPointer<UInt32>

        init(_ ids: [UInt32], _ sizes: [UInt32]?, _ next: [UInt32]) {
            func copy(_ values: [UInt32]) -> UnsafeBufferPointer<UInt32> {
                let buffer = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: values.count)
                _ = buffer.initialize(from: values)
                return UnsafeBufferPointer(buffer)
            }
            self.ids = copy(ids)
            self.sizes = sizes.map(copy)
            self.next = copy(next)
        }

        deinit {
            ids.deallocate()
            sizes?.deallocate()
            next.deallocate()
        }
    }
}

/// Traces that were loaded once in this process.
final class TraceCache: Sendable {
    private let loaded = Mutex<[String: RequestColumns]>([:])

    func value(_ name: String) -> RequestColumns? { loaded.withLock { $0[name] } }

    func keep(_ name: String, _ columns: RequestColumns) -> RequestColumns {
        loaded.withLock {
            $0[name] = columns
            return columns
        }
    }
}
