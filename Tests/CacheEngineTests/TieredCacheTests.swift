import CacheCore
import CacheEngine
import CachePolicies
import Testing

@Suite("Memory over a backend")
struct TieredCacheTests {
    typealias Tiers = TieredCache<[UInt8], [UInt8]>

    static func make(
        _ storage: FaultyStorage, _ writing: Tiers.Writing = .through, capacity: Int = 3,
        clock: VirtualClock = VirtualClock(wallNanoseconds: 1000), life: Int64? = nil
    ) throws -> Tiers {
        var options = CacheOptions<[UInt8], [UInt8]>(capacity: .objects(capacity))
        options.clock = clock
        if let life { options.expiry = .afterWrite(.nanoseconds(life)) }
        return try Tiers(options, policy: ReplayTests.entry("lru"), over: storage, codec: .bytes, writing: writing)
    }

    /// Programs against a dictionary with deadlines: the lower tier never evicts, so every value must be found.
    static func difference(_ writing: Tiers.Writing, seed: UInt64, losesRemovals: Bool = false) throws -> String? {
        let clock = VirtualClock(wallNanoseconds: 1000)
        let storage = FaultyStorage()
        let cache = try make(storage, writing, clock: clock, life: 50)
        var model: [[UInt8]: (value: [UInt8], deadline: Int64)] = [:]
        var now: Int64 = 0
        var generator = SeededGenerator(seed: seed)
        for step in 0..<600 {
            let key = [UInt8(generator.next(below: 10))]
            switch generator.next(below: 14) {
            case 0..<4:
                let value = try cache.value(for: key)
                if value != model[key]?.value { return "step \(step): get \(key) was \(value ?? []) " }
            case 4..<8:
                let value = [UInt8(step & 0xFF), UInt8(step >> 8)]
                try cache.put(value, for: key)
                model[key] = (value, now + 50)
            case 8:
                let removed = losesRemovals ? model[key] != nil : try cache.remove(key)
                if removed != (model.removeValue(forKey: key) != nil) { return "step \(step): remove \(key)" }
            case 9: if try cache.contains(key) != (model[key] != nil) { return "step \(step): contains \(key)" }
            case 10: cache.dropMemory()
            case 11: if generator.next(below: 2) == 0 { try cache.flush() }
            case 12 where generator.next(below: 10) == 0:
                try cache.removeAll()
                model = [:]
            default:
                let jump = Int64(generator.next(below: 12))
                clock.advance(nanoseconds: jump)
                // Somebody sets the machine's clock, which moves no deadline.
                clock.setWall(nanoseconds: Int64(generator.next(below: 2000)))
                now += jump
                model = model.filter { $0.value.deadline > now }
            }
            if step % 20 == 0, Set(try cache.keys) != Set(model.keys) { return "step \(step): keys" }
        }
        try cache.close()
        let left = Set(storage.entries.filter { $0.value.expiresAtNanoseconds! > now + 1000 }.keys)
        return left == Set(model.keys) ? nil : "at the end the backend holds \(left)"
    }

    @Test(arguments: [Tiers.Writing.through, .back(waiting: 16), .back(waiting: 1000)])
    func `agrees with a dictionary`(_ writing: Tiers.Writing) throws {
        for seed in 0..<UInt64(30) {
            let difference = try Self.difference(writing, seed: seed)
            #expect(difference == nil, "seed \(seed)")
        }
    }

    @Test func `a cache whose removals reach no tier is found out`() throws {
        #expect(try Self.difference(.through, seed: 1, losesRemovals: true) != nil)
    }

    @Test func `a value from the backend is promoted with the time that it has left`() throws {
        let clock = VirtualClock(wallNanoseconds: 1000)
        let storage = FaultyStorage()
        let cache = try Self.make(storage, clock: clock, life: 50)
        try cache.put([7], for: [1])
        clock.advance(nanoseconds: 30)
        cache.dropMemory()
        #expect(try cache.value(for: [1]) == [7] && cache.upperCount == 1)
        let reads = storage.gets
        #expect(try cache.value(for: [1]) == [7])
        #expect(storage.gets == reads)
        clock.advance(nanoseconds: 20)
        #expect(try cache.value(for: [1]) == nil)
        #expect(storage.entries.isEmpty)
        #expect(cache.lowerStatistics.hits == 1 && cache.lowerStatistics.misses == 1)
        #expect(cache.upperStatistics.hits == 1 && cache.upperStatistics.misses == 2)
    }

    @Test func `eviction from memory leaves the backend's copy`() throws {
        let storage = FaultyStorage()
        let cache = try Self.make(storage)
        for key in UInt8(0)..<20 { try cache.put([key], for: [key]) }
        #expect(cache.upperCount == 3 && storage.entries.count == 20)
        for key in UInt8(0)..<20 { #expect(try cache.value(for: [key]) == [key]) }
    }

    @Test func `a failing backend is a typed error, and what it has kept is served`() throws {
        let storage = FaultyStorage()
        let cache = try Self.make(storage)
        try cache.put([1], for: [1])
        storage.fail(.full)
        #expect(code { try cache.remove([1]) } == .full)
        #expect(code { try cache.removeAll() } == .full)
        #expect(code { _ = try cache.value(for: [9]) } == .full)
        #expect(try cache.value(for: [1]) == [1])
        #expect(code { try cache.put([2], for: [1]) } == .full)
        #expect(!cache.upperContains([1]))
        storage.fail(nil)
        #expect(try cache.value(for: [1]) == [1])
        #expect(try cache.value(for: [9]) == nil)
        #expect(code { try cache.put([UInt8](repeating: 0, count: 2000), for: [1]) } == .valueRefused)
        #expect(try cache.value(for: [1]) == nil)
        #expect(cache.lowerStatistics.failures == 5)
    }

    @Test func `writing back: reads see what waits, the last write of a key is written, a failure keeps it waiting`()
        throws
    {
        let storage = FaultyStorage()
        let cache = try Self.make(storage, .back(waiting: 1000))
        for value in UInt8(0)..<10 { try cache.put([value], for: [1]) }
        #expect(storage.entries.isEmpty && cache.waitingCount == 1)
        cache.dropMemory()
        #expect(try cache.value(for: [1]) == [9])
        storage.fail(.inputOutput)
        #expect(code { try cache.flush() } == .inputOutput)
        #expect(code { try cache.close() } == .inputOutput)
        #expect(!cache.isClosed && cache.waitingCount == 1)
        storage.fail(nil)
        try cache.close()
        #expect(storage.puts == 1)
        #expect(storage.entries[[1]]?.value == [9])
        #expect(code { try cache.put([1], for: [2]) } == .closed)
        #expect(code { _ = try cache.value(for: [2]) } == .closed)
    }

    @Test func `options that the lower tier cannot keep are refused`() throws {
        var options = CacheOptions<[UInt8], [UInt8]>(capacity: .objects(3))
        options.expiry = .afterAccess(.seconds(1))
        #expect(throws: AssayError.self) {
            try Tiers(options, policy: ReplayTests.entry("lru"), over: FaultyStorage(), codec: .bytes)
        }
    }

    @Test func `from many threads, writes and reads of one key agree`() async throws {
        let storage = FaultyStorage()
        let cache = try Self.make(storage, capacity: 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in UInt8(0)..<4 {
                group.addTask {
                    // Each thread owns a key, and pushes the others' out of memory.
                    for value in UInt8(0)..<250 {
                        try await cache.put([value], for: [thread])
                        #expect(try await cache.value(for: [thread]) == [value])
                        _ = try await cache.value(for: [value % 4])
                        if value % 7 == 0 {
                            try await cache.remove([thread])
                            #expect(try await cache.value(for: [thread]) == nil)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await cache.flush()
        for thread in UInt8(0)..<4 { #expect(try await cache.value(for: [thread]) == storage.entries[[thread]]?.value) }
    }

    @Test(arguments: [false, true])
    func `a read that writes overtake does not see what memory does not have yet`(_ loads: Bool) throws {
        let storage = FaultyStorage()
        let cache = try Self.make(storage)
        // It has missed memory. Now comes a whole write, and the half of another that the backend sees first.
        storage.beforeNextGet {
            _ = try? cache.put([1], for: [0])
            try? storage.put(StoredEntry([2]), for: [0])
        }
        let value = try loads ? cache.blockingValue(for: [0]) { _ in [3] } : cache.value(for: [0])
        #expect(try value == [1] && cache.value(for: [0]) == [1])
        let statistics = cache.upperStatistics
        #expect(statistics.misses == 0 && statistics.hits == 2 && statistics.loadsOvertaken == 1)
        #expect(statistics.loadFailures == 0)
    }

    @Test func `setting the wall clock moves no deadline, in the backend either`() throws {
        let storage = FaultyStorage()
        let clock = VirtualClock(wallNanoseconds: 1000)
        let cache = try Self.make(storage, clock: clock, life: 50)
        for jump in [-900, 5000, -3000] as [Int64] {
            try cache.put([1], for: [0])
            clock.setWall(nanoseconds: clock.wallNanoseconds() + jump)
            cache.dropMemory()
            clock.advance(nanoseconds: 49)
            #expect(try cache.value(for: [0]) == [1])
            clock.advance(nanoseconds: 1)
            #expect(try cache.value(for: [0]) == nil)
        }
    }
}
