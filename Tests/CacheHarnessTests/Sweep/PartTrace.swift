import CacheCore

@testable import CacheHarness

/// A short trace in memory with times, tenants and costs.
struct PartTrace: Sendable {
    let ids: [ObjectID]
    let sizes: [UInt32]
    let times: [Int64]
    let tenants: [UInt16]
    let costs: [Double]
    let sweepTrace: SweepTrace

    private final class Column<Element: BitwiseCopyable & Sendable>: Sendable {
        nonisolated(unsafe) let buffer: UnsafeMutableBufferPointer<Element>

        init(_ elements: [Element]) {
            buffer = .allocate(capacity: elements.count)
            _ = buffer.initialize(from: elements)
        }

        deinit { buffer.deallocate() }
    }

    private final class Owner: Sendable {
        let (ids, next): (Column<ObjectID>, Column<UInt32>)
        let sizes: Column<UInt32>
        let times: Column<Int64>
        let tenants: Column<UInt16>
        let costs: Column<Double>

        init(_ trace: (ids: [ObjectID], sizes: [UInt32], times: [Int64], tenants: [UInt16], costs: [Double])) {
            ids = Column(trace.ids)
            sizes = Column(trace.sizes)
            times = Column(trace.times)
            tenants = Column(trace.tenants)
            costs = Column(trace.costs)
            var last: [ObjectID: UInt32] = [:]
            var following = [UInt32](repeating: .max, count: trace.ids.count)
            for position in trace.ids.indices.reversed() {
                following[position] = last[trace.ids[position]] ?? .max
                last[trace.ids[position]] = UInt32(position)
            }
            next = Column(following)
        }
    }

    /// A trace of dense ids; empty columns are not stated.
    init(
        ids: [ObjectID], sizes: [UInt32] = [], times: [Int64] = [], tenants: [UInt16] = [], costs: [Double] = [],
        names: [String] = []
    ) {
        (self.ids, self.sizes, self.times, self.tenants, self.costs) = (ids, sizes, times, tenants, costs)
        let owner = Owner((ids, sizes, times, tenants, costs))
        let objects = Int(ids.max() ?? 0) + 1
        let columns = RequestColumns(
            ids: UnsafeBufferPointer(owner.ids.buffer),
            sizes: sizes.isEmpty ? nil : RecordedSizes(UnsafeBufferPointer(owner.sizes.buffer)),
            next: UnsafeBufferPointer(owner.next.buffer),
            costs: costs.isEmpty ? nil : UnsafeBufferPointer(owner.costs.buffer),
            times: times.isEmpty ? nil : UnsafeBufferPointer(owner.times.buffer),
            tenants: tenants.isEmpty ? nil : UnsafeBufferPointer(owner.tenants.buffer),
            objects: ObjectSpace(count: objects), owner: owner)
        var description = TraceDescription(
            name: "parts", argument: "parts", format: "memory", digest: "0", requests: ids.count, objects: objects,
            bytesRequested: sizes.isEmpty ? ids.count : sizes.reduce(0) { $0 + Int($1) }, footprintBytes: objects,
            hasSizes: !sizes.isEmpty)
        description.note(columns)
        sweepTrace = SweepTrace(description: description, columns: columns, tenants: names) { () throws(AssayError) in
            columns
        }
    }

    /// A skewed trace whose objects keep their sizes, with a request each second and three tenants.
    static func skewed(requests: Int = 3000, objects: Int = 120, withCosts: Bool = false) -> PartTrace {
        var generator = SeededGenerator(seed: 5)
        let ids = (0..<requests).map { _ in ObjectID(Double(objects) * generator.nextUnit() * generator.nextUnit()) }
        let sizes = (0..<objects).map { _ in UInt32(1 + generator.next(below: 50)) }
        return PartTrace(
            ids: ids, sizes: ids.map { sizes[Int($0)] }, times: ids.indices.map { Int64($0) * 1_000_000_000 },
            tenants: ids.map { UInt16($0 % 3) },
            costs: withCosts ? ids.map { Double($0 % 7) } : [], names: ["red", "green", "blue"])
    }

    /// Which requests hit in LRU of so many objects, by an array.
    func naiveLRU(_ capacity: Int) -> [Bool] {
        var order: [ObjectID] = []
        return ids.map { id in
            let place = order.firstIndex(of: id)
            if let place { order.remove(at: place) }
            order.append(id)
            if order.count > capacity { order.removeFirst() }
            return place != nil
        }
    }
}
