/// For each object of a trace whose keys are numbers, the object with the next number.
///
/// A successor that the trace never requests has an id too, above those of the trace. O(objects · log objects) to make, and 12 bytes an
/// object.
public struct ObjectSuccessors: Sendable {
    private let next: [ObjectID]
    /// The keys of all ids, those above the trace's among them.
    public let keys: ObjectKeys
    /// The number of ids: those of the trace, and the successors that it never requests.
    public let count: Int

    /// What no object has.
    private static var none: ObjectID { .max }
    /// Policies keep a few ids for themselves.
    private static var most: Int { Int(ObjectID.max) - (1 << 16) }

    /// The successors of ids `0..<objects`. Where 32 bits do not hold all ids, the last objects have none.
    public init(_ keys: ObjectKeys, objects: Int) {
        let order = (0..<ObjectID(objects)).sorted { keys[$0] < keys[$1] }
        var next = [ObjectID](repeating: Self.none, count: objects)
        var numbers = (0..<ObjectID(objects)).map { keys[$0] }
        for (rank, id) in order.enumerated() {
            let (number, isBeyond) = keys[id].addingReportingOverflow(1)
            if isBeyond { continue }
            if rank + 1 < order.count, keys[order[rank + 1]] == number {
                next[Int(id)] = order[rank + 1]
            } else if numbers.count < Self.most {
                next[Int(id)] = ObjectID(numbers.count)
                numbers.append(number)
            }
        }
        let owner = KeyNumbers(numbers)
        (self.next, count) = (next, numbers.count)
        self.keys = ObjectKeys(UnsafeBufferPointer(owner.numbers), owner: owner)
    }

    /// The object with the next number; nil for what the trace never requests, and after the largest number. O(1).
    public subscript(id: ObjectID) -> ObjectID? {
        guard Int(id) < next.count, next[Int(id)] != Self.none else { return nil }
        return next[Int(id)]
    }
}

/// Keys that nobody changes.
private final class KeyNumbers: @unchecked Sendable {
    let numbers: UnsafeMutableBufferPointer<UInt64>
    init(_ all: [UInt64]) {
        numbers = .allocate(capacity: all.count)
        _ = numbers.initialize(from: all)
    }
    deinit { numbers.deallocate() }
}
