public import CacheCore

/// All objects in an order of which a cache of any capacity holds the first ones.
protocol PriorityStack: ~Copyable {
    /// Asks for an object and returns its distance before, itself included; -1 if it was not in the stack.
    mutating func request(_ id: ObjectID, size: Int) -> Int
    /// Hints that an object will be asked for in a while.
    func prefetch(_ id: ObjectID)
    /// Hints that an object whose hint was given before will be asked for soon.
    func prefetchCounts(_ id: ObjectID)
}

/// One pass over a trace that yields the hits of a stack algorithm at every capacity.
///
/// Its time is that of a few replays, whatever the number of capacities.
public enum StackPass {
    /// How many requests ahead the stack is told of, twice: first for the object's place, then for what it points to.
    private static var farAhead: Int { 24 }
    private static var nearAhead: Int { 10 }
    private static var block: Int { 1 << 11 }

    /// The exact curve of a policy in objects; nil if the monitor asked to stop before the end. The first `warmUp` requests are
    /// made and not counted.
    ///
    /// O(1) a request for LRU and MRU, O(log n) for LFU and LIFO; for MIN as for ``CriticalStack``. Beside 8 bytes an object for
    /// the tally, and 8 more where sizes differ, each order takes what its stack says.
    public static func curve(
        _ order: StackOrder, _ columns: RequestColumns, warmUp: Int = 0, monitor: ReplayMonitor = ReplayMonitor()
    ) -> StackCurve? {
        switch order {
        case .leastRecentlyUsed, .leastRecentlyUsedAmongEqualSizes:
            var stack = RecencyLog(objects: columns.objects.count)
            return curve(&stack, columns, warmUp: warmUp, monitor)
        case .mostRecentlyUsed:
            var stack = SwapStack(objects: columns.objects.count)
            return curve(&stack, columns, warmUp: warmUp, monitor)
        case .nearestNextUse, .nearestNextUseWithBypass:
            var stack = CriticalStack(
                objects: columns.objects.count, bypasses: order == .nearestNextUseWithBypass)
            return curve(&stack, columns, warmUp: warmUp, monitor)
        case .mostFrequentThenLatest, .mostFrequentThenEarliest:
            var stack = FrequencyStack(
                columns.ids, objects: columns.objects.count, isLatestFirst: order == .mostFrequentThenLatest)
            return curve(&stack, columns, warmUp: warmUp, monitor)
        case .firstEntered, .frozen:
            var stack = EntryStack(objects: columns.objects.count, isFrozen: order == .frozen)
            return curve(&stack, columns, warmUp: warmUp, monitor)
        }
    }

    /// The curve of LRU in bytes at some capacities; nil if the monitor asked to stop before the end. The first `warmUp` requests
    /// are made and not counted.
    ///
    /// O(log n) a request with eight-fold steps. 48 to 84 bytes an object of the trace.
    public static func byteCurve(
        _ columns: RequestColumns, capacities: [Int], warmUp: Int = 0, monitor: ReplayMonitor = ReplayMonitor()
    ) -> ByteStackCurve? {
        var stack = WeightedRecencyLog(objects: columns.objects.count)
        var tally = LadderTally(CapacityLadder(capacities))
        guard pass(&stack, columns, warmUp, &tally, monitor) else { return nil }
        return ByteStackCurve(
            requests: tally.requests, bytesRequested: tally.bytesRequested, capacities: tally.ladder.capacities,
            hits: tally.cumulated, largestSize: stack.largestSize, hasChangingSizes: stack.hasChangingSizes)
    }

    /// The curve in objects that a stack yields.
    static func curve<Stack: PriorityStack & ~Copyable>(
        _ stack: inout Stack, _ columns: RequestColumns, warmUp: Int = 0, _ monitor: ReplayMonitor
    ) -> StackCurve? {
        var tally = DistanceTally(
            objects: columns.objects.count, uniformSize: columns.sizes == nil ? columns.uniformSize : nil)
        return pass(&stack, columns, warmUp, &tally, monitor) ? StackCurve(tally) : nil
    }

    /// Returns false if the monitor asked to stop before the end.
    private static func pass<Stack: PriorityStack & ~Copyable, Tally: StackTally & ~Copyable>(
        _ stack: inout Stack, _ columns: RequestColumns, _ warmUp: Int, _ tally: inout Tally, _ monitor: ReplayMonitor
    ) -> Bool {
        let (ids, sizes) = (columns.ids, RequestSizes(columns))
        let distances = UnsafeMutablePointer<Int>.allocate(capacity: block)
        defer { distances.deallocate() }
        var start = 0
        while start < ids.count {
            if monitor.isStopping { return false }
            let end = min(start &+ block, ids.count)
            let lastTold = max(start, min(end, ids.count &- farAhead))
            func ask(_ position: Int) {
                let distance = stack.request(ids[position], size: sizes.size(at: position))
                distances[position &- start] = distance
                tally.prefetch(distance)
            }
            for position in start..<lastTold {
                stack.prefetch(ids[position &+ farAhead])
                stack.prefetchCounts(ids[position &+ nearAhead])
                ask(position)
            }
            for position in lastTold..<end { ask(position) }
            // Apart from the stack's work, when what was asked for has come.
            for position in min(max(start, warmUp), end)..<end {
                tally.record(distances[position &- start], size: sizes.size(at: position))
            }
            monitor.advance(by: end &- start)
            start = end
        }
        return true
    }
}
