internal import CIntrinsics
internal import CacheCore

/// Replays of whole traces through ``FIFOPolicy`` in objects, which ask nobody who leaves: an object is resident until as many others
/// as fit have entered after it.
///
/// Entries are numbered from the capacity on, so that what never entered, whose number is 0, is too far behind.
/// O(1) a request, without a branch; 4 bytes an object.
enum FIFOReplay: WholeTraceReplay {
    /// How many requests ahead an object is asked for.
    private static var farAhead: Int { 48 }

    static func replay(
        _ columns: RequestColumns, _ configuration: PolicyConfiguration, monitor: ReplayMonitor, parts: ReplayParts
    ) -> ReplayCounts? {
        replay(columns, configuration, monitor: monitor, parts: parts, lastNumber: .max)
    }

    /// Replays a trace with numbers up to `lastNumber`, more than the capacity and a block's requests: then they begin anew.
    static func replay(
        _ columns: RequestColumns, _ configuration: PolicyConfiguration, monitor: ReplayMonitor, parts: ReplayParts,
        lastNumber: UInt32
    ) -> ReplayCounts? {
        let (count, sizes) = (columns.ids.count, RequestSizes(columns))
        var queue = Queue(objects: configuration.objects.count, capacity: UInt32(configuration.residentLimit))
        var counts = ReplayCounts()
        while counts.requests < count {
            if monitor.isStopping { return nil }
            let stop = parts.nextEnd(before: count)
            let positions = counts.requests..<min(counts.requests + 1 << 12, stop)
            if queue.number > lastNumber - 1 << 12 { queue.beginAnew() }
            if sizes.isUniform {
                queue.serve(columns.ids, positions, sizes, isUniform: true, &counts)
            } else {
                queue.serve(columns.ids, positions, sizes, isUniform: false, &counts)
            }
            monitor.advance(by: positions.count)
            if counts.requests == stop, stop < count { parts.note(counts) }
        }
        return counts
    }

    /// Who entered when.
    private struct Queue: ~Copyable {
        /// The number of each object's last entry.
        private let entries: FixedBuffer<UInt32>
        private let capacity: UInt32
        /// The number of the last entry of all.
        private(set) var number: UInt32

        init(objects: Int, capacity: UInt32) {
            entries = FixedBuffer(repeating: 0, count: objects)
            self.capacity = capacity
            number = capacity
        }

        @inline(__always)
        mutating func serve(
            _ ids: UnsafeBufferPointer<ObjectID>, _ positions: Range<Int>, _ sizes: RequestSizes, isUniform: Bool,
            _ counts: inout ReplayCounts
        ) {
            let before = number
            let last = ids.count &- 1
            var (number, bytesRequested, bytesMissed) = (number, 0, 0)
            for position in positions {
                entries.prefetch(ids[min(position &+ farAhead, last)])
                let id = ids[position]
                let entry = entries[id]
                let isMissed = number &- entry >= capacity
                number &+= isMissed ? 1 : 0
                entries[id] = isMissed ? number : entry
                if !isUniform {
                    let size = sizes.size(at: position)
                    bytesRequested &+= size
                    bytesMissed &+= isMissed ? size : 0
                }
            }
            self.number = number
            let misses = Int(number - before)
            if isUniform {
                let size = sizes.size(at: positions.lowerBound)
                (bytesRequested, bytesMissed) = (positions.count &* size, misses &* size)
            }
            counts.requests += positions.count
            counts.hits += positions.count - misses
            counts.bytesRequested &+= bytesRequested
            counts.bytesHit &+= bytesRequested &- bytesMissed
            counts.bytesWritten &+= bytesMissed
            counts.residentObjects = min(counts.misses, Int(capacity))
            counts.residentWeight = counts.residentObjects
            counts.evictions = counts.misses - counts.residentObjects
        }

        /// Numbers the residents from 1 on, in their order. O(objects).
        mutating func beginAnew() {
            let oldest = number - capacity
            for id in 0..<ObjectID(entries.count) { entries[id] = entries[id] > oldest ? entries[id] - oldest : 0 }
            number = capacity
        }
    }
}
