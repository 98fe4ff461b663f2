/// Which shards run side by side on a machine: the longest first, as many as there are processors and memory for.
package struct ShardSchedule: Sendable {
    /// A shard that is to start.
    package struct Start: Sendable, Hashable {
        /// Its number.
        package var index: Int
        /// How many of its simulations run side by side.
        package var workers: Int
    }

    /// The shards that have not started, the longest first.
    package private(set) var waiting: ArraySlice<Int>
    private let shards: [ShardedPlan.Shard]
    private let jobs: Int
    private let memory: Double
    private var busy = 0
    private var taken = 0.0

    /// Shards of a plan on so many processors, at least 1, with so many bytes of memory.
    package init(_ open: [Int], of shards: [ShardedPlan.Shard], jobs: Int, memory: Double) {
        (self.shards, self.jobs, self.memory) = (shards, jobs, memory)
        waiting = open.sorted { (shards[$1].seconds, $0) < (shards[$0].seconds, $1) }[...]
    }

    private func bytes(_ start: Start) -> Double {
        Double(shards[start.index].traceBytes) + Double(shards[start.index].replayBytes) * Double(start.workers)
    }

    /// The next shard, if there are a processor and memory for it; nil until another ends. A shard that no memory suffices for runs alone.
    ///
    /// Processors for which no further shard has memory work inside the next.
    package mutating func start() -> Start? {
        guard busy < jobs, let index = waiting.first else { return nil }
        var (together, needed) = (0, taken)
        for next in waiting.prefix(jobs - busy) {
            needed += bytes(Start(index: next, workers: 1))
            guard needed <= memory else { break }
            together += 1
        }
        guard together > 0 || busy == 0 else { return nil }
        let room = memory - taken - bytes(Start(index: index, workers: 0))
        let fitting = Int(min(1e9, max(1, room / max(1, Double(shards[index].replayBytes)))))
        let start = Start(index: index, workers: max(1, min((jobs - busy) / max(1, together), fitting)))
        waiting.removeFirst()
        busy += start.workers
        taken += bytes(start)
        return start
    }

    /// Gives back what a shard had.
    package mutating func end(_ start: Start) {
        busy -= start.workers
        taken -= bytes(start)
    }
}
