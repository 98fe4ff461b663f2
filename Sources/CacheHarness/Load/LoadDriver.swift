internal import CacheCore

/// Makes the requests of a load, one thread's worth a call.
struct LoadDriver<Target: LoadTarget, Clock: LoadClock>: Sendable {
    let target: Target
    let clock: Clock
    let requests: LoadRequests
    let ledger: PayloadLedger
    let origin: LoadOrigin<Clock>
    let verifies: Bool
    /// Whether other threads write at the same time.
    let isShared: Bool

    /// A driver of the load over a target; `ledger` says what is written.
    init(
        _ load: BenchLoad, _ target: Target, _ requests: LoadRequests, _ ledger: PayloadLedger, seed: UInt64,
        clock: Clock
    ) {
        self.target = target
        self.clock = clock
        self.requests = requests
        self.ledger = ledger
        origin = LoadOrigin(load, requests.columns, seed: seed, clock: clock)
        verifies = load.verifies
        isShared = load.threads > 1
    }

    /// Makes requests in a closed loop without looking at a clock.
    func drive(_ cursor: LoadCursor) throws(AssayError) -> LoadCounts {
        var counts = LoadCounts()
        // What is not a hit is counted and hits follow at the end, so that a hit costs the harness one sum.
        var (misses, bytesMissed, notReads) = (0, 0, 0)
        while let block = cursor.nextBlock() {
            counts.requests &+= block.count
            for position in block {
                let place = requests.place(position)
                let (id, size) = (requests.columns.ids[place], requests.valueBytes(at: place))
                let operation = requests.operation(position, at: place)
                guard operation == .read else {
                    notReads &+= 1
                    if operation == .write {
                        counts.writes &+= 1
                        try put(id, size, &counts)
                    } else {
                        counts.removalCalls &+= 1
                        if try target.remove(id) { counts.removals &+= 1 }
                    }
                    continue
                }
                counts.bytesRequested &+= size
                if let value = try target.get(id) {
                    if verifies { try verify(value, id, position) }
                    if requests.reweighs, value.count != size { try put(id, size, &counts) }
                    continue
                }
                misses &+= 1
                bytesMissed &+= size
                if requests.loadsMisses {
                    try origin.load(id, at: place) { () throws(AssayError) in try put(id, size, &counts) }
                }
            }
        }
        counts.reads = counts.requests &- notReads
        counts.hits = counts.reads &- misses
        counts.bytesHit = counts.bytesRequested &- bytesMissed
        return counts
    }

    /// Offers the next version of an object's value.
    func put(_ id: ObjectID, _ size: Int, _ counts: inout LoadCounts) throws(AssayError) {
        counts.offers &+= 1
        let (isStored, evictions) = try target.put(id, ledger.nextOffer(id, valueBytes: size))
        if isStored { counts.bytesWritten &+= size }
        if evictions > 0 { counts.evictingOffers &+= 1 }
    }

    /// Makes requests in a closed loop and times calls of the target; making and verifying values, and the origin, stay
    /// outside of the timed part.
    func timedDrive(_ cursor: LoadCursor, _ sheet: inout LatencyByOperation) throws(AssayError) -> LoadCounts {
        var counts = LoadCounts()
        while let block = cursor.nextBlock() {
            for position in block {
                let place = requests.place(position)
                let (id, size) = (requests.columns.ids[place], requests.valueBytes(at: place))
                switch requests.operation(position, at: place) {
                case .remove:
                    let choice = sheet.next(.removal)
                    let start = choice.isTimed ? clock.nowNanoseconds() : nil
                    counts.removalCalls &+= 1
                    if try target.remove(id) { counts.removals &+= 1 }
                    sheet.record(.remove, choice, start.map { clock.nowNanoseconds() &- $0 })
                case .write:
                    counts.writes &+= 1
                    try timedPut(id, size, &sheet, &counts)
                case .read:
                    counts.reads &+= 1
                    counts.bytesRequested &+= size
                    let choice = sheet.next(.read)
                    let start = choice.isTimed ? clock.nowNanoseconds() : nil
                    let value = try target.get(id)
                    let time = start.map { clock.nowNanoseconds() &- $0 }
                    sheet.record(value == nil ? .miss : .hit, choice, time)
                    if let value {
                        if verifies { try verify(value, id, position) }
                        counts.hits &+= 1
                        counts.bytesHit &+= size
                        if requests.reweighs, value.count != size { try timedPut(id, size, &sheet, &counts) }
                    } else if requests.loadsMisses {
                        try origin.load(id, at: place) { () throws(AssayError) in
                            try timedPut(id, size, &sheet, &counts)
                        }
                    }
                }
            }
            counts.requests &+= block.count
        }
        return counts
    }

    private func timedPut(
        _ id: ObjectID, _ size: Int, _ sheet: inout LatencyByOperation, _ counts: inout LoadCounts
    ) throws(AssayError) {
        let offer = ledger.nextOffer(id, valueBytes: size)
        let choice = sheet.next(.write)
        let start = choice.isTimed ? clock.nowNanoseconds() : nil
        let (isStored, evictions) = try target.put(id, offer)
        let time = start.map { clock.nowNanoseconds() &- $0 }
        counts.offers &+= 1
        if evictions > 0 { counts.evictingOffers &+= 1 }
        sheet.record(evictions > 0 ? .evictingPut : .put, choice, time)
        if isStored { counts.bytesWritten &+= size }
    }

    /// Compares a hit's bytes with what was written.
    ///
    /// - Throws: `AssayError` with code `verdict` if they differ.
    func verify(_ value: [UInt8], _ id: ObjectID, _ position: Int) throws(AssayError) {
        guard !ledger.isValid(value, for: id, isShared: isShared) else { return }
        let expected = ledger.expected(id).count
        let length = value.count == expected ? "the right length" : "\(value.count) bytes instead of \(expected)"
        throw AssayError(
            .verdict, "the backend returned wrong bytes (\(length)) for object \(id) at request \(position)")
    }
}
