import CacheCore

/// Seeded traces with a few hot objects, many cold ones and runs of new ones.
enum RandomTraces {
    /// Requests for at most `objects` objects; sizes from `smallestSize` to `largestSize`, and one object larger than any
    /// cache. With `changing` each request of an object has a size of its own. Costs differ from
    /// request to request. With `expiring` time passes, and objects live for a while or without end.
    static func trace(
        seed: UInt64, requests: Int, objects: Int, smallestSize: Int = 0, largestSize: Int = 12, changing: Bool = false,
        expiring: Bool = false
    ) -> TestTrace {
        var generator = SeededGenerator(seed: seed)
        var ids: [UInt32] = []
        var scan = 0
        while ids.count < requests {
            switch generator.next(below: 8) {
            case 0: ids.append(UInt32(generator.next(below: objects)))
            case 1:
                for _ in 0..<6 {
                    ids.append(UInt32(scan % objects))
                    scan += 1
                }
            default:
                let hot = generator.next(below: max(1, objects / 4))
                ids.append(UInt32(generator.next(below: hot + 1)))
            }
        }
        let span = largestSize - smallestSize + 1
        var sizes = (0..<objects).map { _ in UInt32(smallestSize + generator.next(below: span)) }
        sizes[objects / 2] = 1_000_000
        var costGenerator = SeededGenerator(seed: ~seed)
        let costs = (0..<objects).map { _ in Self.costs[costGenerator.next(below: Self.costs.count)] }
        var clock = SeededGenerator(seed: seed ^ 0xC10C)
        var now = Int64(0)
        let times = ids.map { _ in
            now += Int64(clock.next(below: 4))
            return now
        }
        let lives = ids.map { _ in Self.lives[clock.next(below: Self.lives.count)] }
        return TestTrace(
            ids: ids,
            sizes: ids.map { changing ? UInt32(smallestSize + generator.next(below: span)) : sizes[Int($0)] },
            costs: ids.map { changing ? Self.costs[costGenerator.next(below: Self.costs.count)] : costs[Int($0)] },
            times: expiring ? times : nil, timesToLive: expiring ? lives : nil)
    }

    private static let costs = [1, 1, 1, 0, 0.25, 2.5, 3, 40, 255.5, 256, 700, 70_000, 1e12]

    private static let lives: [Int64] = [0, 1, 5, 20, 60, 300]

    /// Every trace of that many requests for at most `objects` objects, up to renaming: ids in order of appearance.
    static func all(length: Int, objects: UInt32) -> [[UInt32]] {
        var traces: [[UInt32]] = [[]]
        for _ in 0..<length {
            traces = traces.flatMap { trace in
                let next = trace.max().map { $0 + 1 } ?? 0
                return (0...min(next, objects - 1)).map { trace + [$0] }
            }
        }
        return traces
    }
}
