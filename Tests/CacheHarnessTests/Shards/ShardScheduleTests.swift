import Testing

@testable import CacheHarness

/// Replays of large traces side by side are ended by the system for their memory: libCacheSim's users size their machines by hand for that.
@Suite("Shards side by side: processors are used, and the expected memory fits")
struct ShardScheduleTests {
    private static let mebibyte = 1 << 20

    /// A shard of so many seconds, whose trace takes so many MiB and each replay as many more.
    private func shard(_ seconds: Double, trace: Int, replay: Int) -> ShardedPlan.Shard {
        ShardedPlan.Shard(
            trace: 0, part: 0, parts: 1, combinations: 8, seconds: seconds, traceBytes: trace * Self.mebibyte,
            replayBytes: replay * Self.mebibyte)
    }

    /// Starts and ends all shards, the one that started first first; whatever runs at a time fits, unless it is one alone that cannot.
    private func run(_ shards: [ShardedPlan.Shard], jobs: Int, mebibytes: Int) -> [[ShardSchedule.Start]] {
        var schedule = ShardSchedule(
            Array(shards.indices), of: shards, jobs: jobs, memory: Double(mebibytes * Self.mebibyte))
        var (running, states): ([ShardSchedule.Start], [[ShardSchedule.Start]]) = ([], [])
        while true {
            while let start = schedule.start() { running.append(start) }
            guard !running.isEmpty else { break }
            states.append(running)
            let bytes = running.reduce(0) {
                $0 + shards[$1.index].traceBytes + $1.workers * shards[$1.index].replayBytes
            }
            #expect(bytes <= mebibytes * Self.mebibyte || running.map(\.workers) == [1], "\(running)")
            #expect(running.reduce(0) { $0 + $1.workers } <= jobs, "\(running)")
            schedule.end(running.removeFirst())
        }
        #expect(schedule.waiting.isEmpty)
        return states
    }

    @Test func `with memory for all, each processor has a shard, the longest first`() {
        let shards = [1.0, 4, 2, 3].map { shard($0, trace: 10, replay: 10) }
        let states = run(shards, jobs: 2, mebibytes: 1000)
        #expect(states.first == [.init(index: 1, workers: 1), .init(index: 3, workers: 1)])
        #expect(states.map(\.count) == [2, 2, 2, 1])
    }

    @Test func `shards that would not fit together wait, and the processors work inside the one that runs`() {
        let shards = [2.0, 1].map { shard($0, trace: 60, replay: 10) }
        let states = run(shards, jobs: 4, mebibytes: 100)
        #expect(states == [[.init(index: 0, workers: 4)], [.init(index: 1, workers: 4)]])
    }

    @Test func `a shard has no more replays side by side than fit`() {
        #expect(run([shard(1, trace: 60, replay: 15)], jobs: 8, mebibytes: 100) == [[.init(index: 0, workers: 2)]])
    }

    @Test func `a shard that no memory suffices for runs alone, and does not keep the others`() {
        let shards = [
            shard(9, trace: 500, replay: 50), shard(1, trace: 10, replay: 10), shard(1, trace: 10, replay: 10),
        ]
        let states = run(shards, jobs: 2, mebibytes: 100)
        #expect(states.first == [.init(index: 0, workers: 1)])
        #expect(Set(states.joined().map(\.index)) == [0, 1, 2])
    }

    /// Every mixture of small plans: `run` checks that what is side by side fits.
    @Test(arguments: 1...4) func `whatever the shards, nothing is lost and memory holds`(_ jobs: Int) {
        let sizes = [1, 30, 70, 120]
        for first in sizes {
            for second in sizes {
                for third in sizes {
                    let shards = [first, second, third].enumerated().map {
                        shard(Double($0 + 1), trace: $1, replay: $1 / 3)
                    }
                    #expect(Set(run(shards, jobs: jobs, mebibytes: 100).joined().map(\.index)) == [0, 1, 2])
                }
            }
        }
    }
}
