import CacheCore
import Synchronization

/// A trace in memory, made from plain arrays.
final class TestTrace: Sendable {
    private let idStorage: [UInt32]
    private let sizeStorage: [UInt32]?
    private let costStorage: [Double]?
    private let timeStorage: [Int64]?
    private let lifeStorage: [Int64]?
    private let operationStorage: [TraceOperation]?
    private let nextStorage: [UInt32]
    let smallestSize: Int
    let objectCount: Int

    init(
        ids: [UInt32], sizes: [UInt32]? = nil, costs: [Double]? = nil, times: [Int64]? = nil,
        timesToLive: [Int64]? = nil, operations: [TraceOperation]? = nil
    ) {
        operationStorage = operations
        timeStorage = times
        lifeStorage = timesToLive
        idStorage = ids
        sizeStorage = sizes
        costStorage = costs
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
        let owner = Columns(
            idStorage, sizeStorage, nextStorage, costStorage, timeStorage, lifeStorage,
            operationStorage?.map(\.rawValue))
        return RequestColumns(
            ids: owner.ids, sizes: owner.sizes.map { RecordedSizes($0) }, next: owner.next,
            costs: owner.costs, times: owner.times, timesToLive: owner.lives, operations: owner.operations,
            objects: ObjectSpace(count: objectCount, smallestSize: smallestSize), owner: owner)
    }

    /// Each request with its position, size and next use.
    var requests: [Request] {
        idStorage.indices.map { position in
            let next = nextStorage[position]
            var request = Request(
                id: idStorage[position], size: sizeStorage.map { Int($0[position]) } ?? 1, index: position,
                nextIndex: next == .max ? Request.never : Int(next), cost: costStorage?[position] ?? 1)
            request.timeNanoseconds = timeStorage?[position] ?? 0
            request.timeToLiveNanoseconds = lifeStorage?[position] ?? 0
            return request
        }
    }

    private final class Columns: @unchecked Sendable {
        let ids: UnsafeBufferPointer<UInt32>
        let sizes: UnsafeBufferPointer<UInt32>?
        let next: UnsafeBufferPointer<UInt32>
        let costs: UnsafeBufferPointer<Double>?
        let times: UnsafeBufferPointer<Int64>?
        let lives: UnsafeBufferPointer<Int64>?
        let operations: UnsafeBufferPointer<UInt8>?

        init(
            _ ids: [UInt32], _ sizes: [UInt32]?, _ next: [UInt32], _ costs: [Double]?, _ times: [Int64]?,
            _ lives: [Int64]?, _ operations: [UInt8]?
        ) {
            func copy<Value>(_ values: [Value]) -> UnsafeBufferPointer<Value> {
                let buffer = UnsafeMutableBufferPointer<Value>.allocate(capacity: values.count)
                _ = buffer.initialize(from: values)
                return UnsafeBufferPointer(buffer)
            }
            self.ids = copy(ids)
            self.sizes = sizes.map(copy)
            self.next = copy(next)
            self.costs = costs.map(copy)
            self.times = times.map(copy)
            self.lives = lives.map(copy)
            self.operations = operations.map(copy)
        }

        deinit {
            ids.deallocate()
            sizes?.deallocate()
            next.deallocate()
            costs?.deallocate()
            times?.deallocate()
            lives?.deallocate()
            operations?.deallocate()
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
