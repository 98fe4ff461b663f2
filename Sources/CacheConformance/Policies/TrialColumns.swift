import CacheCore

/// The requests of a trial as a replay reads them.
final class TrialColumns: @unchecked Sendable {
    // Allocated once and read only.
    private let ids: UnsafeMutableBufferPointer<ObjectID>
    private let sizes: UnsafeMutableBufferPointer<UInt32>?
    private let next: UnsafeMutableBufferPointer<UInt32>
    private let costs: UnsafeMutableBufferPointer<Double>
    private let objects: ObjectSpace

    init(_ trial: PolicyTrial) {
        let requests = trial.requests
        func column<Value>(_ value: (Request) -> Value) -> UnsafeMutableBufferPointer<Value> {
            let buffer = UnsafeMutableBufferPointer<Value>.allocate(capacity: requests.count)
            _ = buffer.initialize(from: requests.map(value))
            return buffer
        }
        ids = column(\.id)
        sizes = requests.allSatisfy { $0.size == 1 } ? nil : column { UInt32($0.size) }
        next = column { $0.nextIndex == Request.never ? .max : UInt32($0.nextIndex) }
        costs = column(\.cost)
        objects = ObjectSpace(count: max(1, trial.objectCount), smallestSize: requests.map(\.size).min() ?? 1)
    }

    deinit {
        ids.deallocate()
        sizes?.deallocate()
        next.deallocate()
        costs.deallocate()
    }

    var columns: RequestColumns {
        RequestColumns(
            ids: UnsafeBufferPointer(ids), sizes: sizes.map { RecordedSizes(UnsafeBufferPointer($0)) },
            next: UnsafeBufferPointer(next), costs: UnsafeBufferPointer(costs), objects: objects, owner: self)
    }
}
