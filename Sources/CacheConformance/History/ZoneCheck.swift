/// Decides one key's history of unique writes without a search.
///
/// A value's *zone* lies between the first return and the last call among its write and the reads that saw it. If the return
/// comes first, the value certainly ruled throughout the zone (a forward zone); otherwise all of them can happen at one
/// moment within it (a backward zone), and so can each removal and each final miss. An order exists exactly if no value is
/// read before its write is called, forward zones do not overlap, and no other zone lies inside a forward one (Gibbons and
/// Korach, "Testing Shared Memories", 1997). O(n log n).
struct ZoneCheck {
    /// What the zones say.
    enum Outcome {
        /// An order exists.
        case linearizable
        /// None exists; the witness is two zones or one read.
        case impossible(witness: [HistoryOperation], reason: ZoneFault)
        /// The zones contradict nothing, but not everything is in them.
        case undecided
    }

    /// What is wrong with zones.
    enum ZoneFault {
        /// A value was read that nobody wrote.
        case unwritten
        /// A value was read before its write was called.
        case early
        /// Two values certainly ruled at the same time.
        case overlap
        /// A value was written or found missing while another certainly ruled.
        case inside
    }

    private struct Zone {
        /// The write; -1 for the absence at the beginning.
        var write: Int32
        /// The operation that returned first, -1 for the beginning.
        var first: Int32
        /// The operation that was called last.
        var last: Int32
        var firstReturn: Int64
        var lastCall: Int64
        var isForward: Bool { firstReturn < lastCall }
    }

    private let semantics: HistorySemantics
    /// The zone of each value of the key in hand, valid where the stamp is current.
    private var zoneOfValue: [Int32]
    private var stamps: [Int32]
    private var stamp: Int32 = 0
    private var zones: [Zone] = []

    /// A check for histories with value numbers below `values`.
    init(_ semantics: HistorySemantics, values: Int) {
        self.semantics = semantics
        zoneOfValue = [Int32](repeating: -1, count: values)
        stamps = [Int32](repeating: 0, count: values)
    }

    /// Judges operations of one key; nil if they are not of the kinds that zones are made of, or a value is written twice.
    mutating func judge(_ operations: [HistoryOperation]) -> Outcome? {
        stamp += 1
        zones.removeAll(keepingCapacity: true)
        guard addWrites(operations) else { return nil }
        var isWhole = true
        let hasRemoval = operations.contains { $0.kind == .remove }
        for (index, operation) in operations.enumerated() where !operation.isPending {
            switch operation.kind {
            case .put: break
            case .get where operation.result > 0:
                guard let zone = zone(of: operation.result) else {
                    return .impossible(witness: [operation], reason: .unwritten)
                }
                extend(zone, by: Int32(index), operation)
                let write = zones[zone].write
                if write >= 0, operation.returnTime < operations[Int(write)].callTime {
                    return .impossible(witness: [operation, operations[Int(write)]], reason: .early)
                }
            case .remove:
                addPoint(Int32(index), operation)
                if operation.result == HistoryOperation.yes || operation.result == 0 && semantics == .exact {
                    isWhole = false
                }
            case .contains where operation.result > 0: isWhole = false
            default:
                if operation.result == HistoryOperation.unknown { continue }
                // A miss.
                if semantics == .exact, !hasRemoval {
                    extendBeginning(by: Int32(index), operation)
                } else if semantics != .lossy {
                    addPoint(Int32(index), operation)
                    if semantics == .exact { isWhole = false }
                }
            }
        }
        return verdict(operations, isWhole)
    }

    /// Makes a zone of every write. A pending one counts only for those who read it.
    private mutating func addWrites(_ operations: [HistoryOperation]) -> Bool {
        for (index, operation) in operations.enumerated() {
            switch operation.kind {
            case .get, .contains, .remove: continue
            case .put:
                let value = Int(operation.argument)
                guard value > 0, value < stamps.count, stamps[value] != stamp else { return false }
                stamps[value] = stamp
                zoneOfValue[value] = Int32(zones.count)
                zones.append(
                    Zone(
                        write: Int32(index), first: Int32(index), last: Int32(index),
                        firstReturn: operation.returnTime, lastCall: operation.callTime))
            default: return false
            }
        }
        return true
    }

    private func zone(of value: Int32) -> Int? {
        Int(value) < stamps.count && stamps[Int(value)] == stamp ? Int(zoneOfValue[Int(value)]) : nil
    }

    private mutating func extend(_ zone: Int, by index: Int32, _ operation: HistoryOperation) {
        if operation.returnTime < zones[zone].firstReturn {
            zones[zone].firstReturn = operation.returnTime
            zones[zone].first = index
        }
        if operation.callTime > zones[zone].lastCall {
            zones[zone].lastCall = operation.callTime
            zones[zone].last = index
        }
    }

    private mutating func addPoint(_ index: Int32, _ operation: HistoryOperation) {
        zones.append(
            Zone(
                write: index, first: index, last: index, firstReturn: operation.returnTime,
                lastCall: operation.callTime))
    }

    /// The absence at the beginning is a value that was written before everything.
    private mutating func extendBeginning(by index: Int32, _ operation: HistoryOperation) {
        if zone(of: 0) == nil {
            stamps[0] = stamp
            zoneOfValue[0] = Int32(zones.count)
            zones.append(Zone(write: -1, first: -1, last: index, firstReturn: .min, lastCall: operation.callTime))
        }
        extend(Int(zoneOfValue[0]), by: index, operation)
    }

    private func verdict(_ operations: [HistoryOperation], _ isWhole: Bool) -> Outcome {
        let forward = zones.filter(\.isForward).sorted {
            ($0.firstReturn, $0.lastCall) < ($1.firstReturn, $1.lastCall)
        }
        for (a, b) in zip(forward, forward.dropFirst()) where b.firstReturn < a.lastCall {
            return .impossible(witness: witness(a, b, operations), reason: .overlap)
        }
        for zone in zones where !zone.isForward {
            // The last forward zone that begins before this one; forward zones are disjoint here, so no other can hold it.
            var (low, high) = (0, forward.count)
            while low < high {
                let middle = (low + high) / 2
                if forward[middle].firstReturn < zone.lastCall { low = middle + 1 } else { high = middle }
            }
            guard low > 0, zone.firstReturn < forward[low - 1].lastCall else { continue }
            return .impossible(witness: witness(forward[low - 1], zone, operations), reason: .inside)
        }
        return isWhole ? .linearizable : .undecided
    }

    private func witness(_ a: Zone, _ b: Zone, _ operations: [HistoryOperation]) -> [HistoryOperation] {
        let indices = Set([a.write, a.first, a.last, b.write, b.first, b.last].filter { $0 >= 0 })
        return indices.map { operations[Int($0)] }.sorted {
            ($0.callTime, $0.returnTime) < ($1.callTime, $1.returnTime)
        }
    }
}
