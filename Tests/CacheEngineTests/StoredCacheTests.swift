import CacheCore
import CacheEngine
import CachePolicies
import CacheStorage
import Foundation
import Testing

@Suite("A policy in memory over values in a backend")
struct StoredCacheTests {
    typealias Bytes = StoredCache<[UInt8], [UInt8]>

    static func make(
        _ capacity: Capacity, _ storage: any StorageBackend, policy: String = "lru",
        clock: VirtualClock = VirtualClock()
    ) throws -> Bytes {
        var options = CacheOptions<[UInt8], Int>(capacity: capacity)
        options.clock = clock
        return try Bytes(options, policy: ReplayTests.entry(policy), storage: storage, codec: .bytes)
    }

    @Test(arguments: ["lru", "sieve", "s3fifo", "arc", "w-tinylfu"])
    func `memory and backend stay in step`(_ policy: String) throws {
        let storage = FaultyStorage()
        let cache = try Self.make(.bytes(200), storage, policy: policy)
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<3000 {
            let key = [UInt8(generator.next(below: 40))]
            switch generator.next(below: 8) {
            case 0..<3:
                if let value = try cache.value(for: key) { #expect(value.allSatisfy { $0 == key[0] }) }
            case 3..<7: try cache.put([UInt8](repeating: key[0], count: generator.next(below: 30)), for: key)
            default: try cache.remove(key)
            }
            #expect(storage.entries.count == cache.count)
            #expect(storage.entries.reduce(0) { $0 + $1.key.count + $1.value.value.count } == cache.weight)
        }
        #expect(Set(storage.entries.keys) == Set(cache.keys))
        cache.removeAll()
        #expect(storage.entries.isEmpty)
    }

    @Test func `what is in the backend is taken over, as far as it fits and is valid`() throws {
        let storage = FaultyStorage()
        for key in UInt8(0)..<10 {
            try storage.put(StoredEntry([key], expiresAtNanoseconds: key == 9 ? 5 : nil), for: [key])
        }
        let cache = try Self.make(.objects(4), storage, clock: VirtualClock(wallNanoseconds: 10))
        #expect(Set(cache.keys) == [[5], [6], [7], [8]])
        #expect(Set(storage.entries.keys) == Set(cache.keys))
        #expect(cache.statistics == CacheStatistics())
        try cache.close()
        #expect(storage.entries.count == 4)
        #expect(code { _ = try cache.value(for: [5]) } == .closed)
        #expect(code { try cache.put([1], for: [5]) } == .closed)
    }

    @Test func `what stays of too much does not depend on the order in which the backend lists it`() throws {
        var kept: Set<[[UInt8]]> = []
        for _ in 0..<8 {
            // A dictionary lists its keys in an order of its own each time.
            let storage = FaultyStorage()
            for key in UInt8(0)..<100 { try storage.put(StoredEntry([key]), for: [key]) }
            kept.insert(try Self.make(.objects(4), storage).keys.sorted { $0[0] < $1[0] })
        }
        #expect(kept == [[[96], [97], [98], [99]]])
    }

    /// A key whose hash is another one in each process, as a string's is.
    private struct Name: Hashable, Sendable {
        let bytes: [UInt8]
        let process: Int

        static func == (one: Name, other: Name) -> Bool { one.bytes == other.bytes }
        func hash(into hasher: inout Hasher) {
            hasher.combine(process)
            hasher.combine(bytes)
        }

        static func codec(process: Int) -> CacheCodec<Name, [UInt8]> {
            CacheCodec(
                encodeKey: { $0.bytes }, decodeKey: { Name(bytes: $0, process: process) }, encodeValue: { $0 },
                decodeValue: { $0 })
        }
    }

    @Test func `a full cache that is opened in another process has lost nothing`() throws {
        let storage = FaultyStorage()
        let options = CacheOptions<Name, Int>(capacity: .objects(64))
        func open(_ process: Int) throws -> StoredCache<Name, [UInt8]> {
            try StoredCache(
                options, policy: ReplayTests.entry("lru"), storage: storage, codec: Name.codec(process: process))
        }
        let first = try open(1)
        for number in UInt8(0)..<200 { try first.put([number], for: Name(bytes: [number], process: 1)) }
        let kept = Set(first.keys.map(\.bytes))
        try #require(kept.count == 64)
        for process in 2..<10 {
            let again = try open(process)
            #expect(Set(again.keys.map(\.bytes)) == kept)
            #expect(try kept.allSatisfy { try again.value(for: Name(bytes: $0, process: process)) == $0 })
        }
    }

    @Test func `failures are typed, and corrupt nothing`() throws {
        let storage = FaultyStorage()
        let cache = try Self.make(.objects(3), storage)
        for key in UInt8(0)..<3 { try cache.put([key], for: [key]) }
        storage.fail(.inputOutput)
        #expect(code { _ = try cache.value(for: [0]) } == .inputOutput)
        #expect(code { try cache.put([9], for: [1]) } == .inputOutput)
        #expect(try cache.remove([2]))
        storage.fail(nil)
        #expect(try cache.value(for: [0]) == [0])
        #expect(try cache.value(for: [1]) == nil)
        #expect(try cache.value(for: [2]) == nil)
        try cache.flush()
        #expect(storage.entries.keys.sorted { $0[0] < $1[0] } == [[0]])
        #expect(code { try cache.put([UInt8](repeating: 0, count: 2000), for: [0]) } == .valueRefused)
        #expect(cache.count == 0 && storage.entries.isEmpty)
    }

    @Test func `bytes that are no value are thrown once`() throws {
        let storage = FaultyStorage()
        let codec = CacheCodec<[UInt8], Int>(
            encodeKey: { $0 }, decodeKey: { $0 }, encodeValue: { [UInt8($0)] },
            decodeValue: { bytes in
                guard bytes.count == 1 else { throw LoadFailure() }
                return Int(bytes[0])
            })
        let cache = try StoredCache(
            CacheOptions<[UInt8], Int>(capacity: .objects(3)), policy: ReplayTests.entry("lru"), storage: storage,
            codec: codec)
        try cache.put(7, for: [1])
        #expect(try cache.value(for: [1]) == 7)
        try storage.put(StoredEntry([1, 2]), for: [1])
        #expect(code { _ = try cache.value(for: [1]) } == .corrupt)
        #expect(try cache.value(for: [1]) == nil)
        #expect(storage.entries.isEmpty)
    }

    @Test func `expiry reaches the backend`() throws {
        let (storage, clock) = (FaultyStorage(), VirtualClock(wallNanoseconds: 100))
        let cache = try Self.make(.objects(3), storage, clock: clock)
        try cache.put([1], for: [1], expiring: .after(.nanoseconds(10)))
        #expect(storage.entries[[1]]?.expiresAtNanoseconds == 110)
        clock.advance(nanoseconds: 10)
        #expect(try cache.value(for: [1]) == nil)
        #expect(storage.entries.isEmpty)
    }

    /// A lock for the whole cache would keep everybody waiting for one slow read of the disk.
    @Test func `while the backend reads one key others are written, and what they evict leaves the backend`() throws {
        let storage = FaultyStorage()
        let cache = try Self.make(.objects(1), storage)
        try cache.put([0], for: [0])
        storage.beforeNextGet {
            let written = DispatchSemaphore(value: 0)
            // One of them may share the lock of the key that is read, and waits.
            for key in UInt8(1)..<9 {
                Thread.detachNewThread {
                    _ = try? cache.put([key], for: [key])
                    written.signal()
                }
            }
            written.wait()
        }
        #expect(try cache.value(for: [0]) == [0])
        try cache.flush()
        // Those that waited come after this.
        while storage.entries.keys.map({ $0 }) != cache.keys || cache.statistics.writes < 9 { try cache.flush() }
        #expect(cache.keys != [[0]] && cache.count == 1)
    }

    @Test func `from many threads over the dictionary backend`() async throws {
        let storage = try #require(BuiltinStorage.all.first { $0.descriptor.name == "dictionary" }).open(directory: nil)
        let options = CacheOptions<[UInt8], Int>(capacity: .objects(20))
        let cache = try Bytes(options, policy: ReplayTests.entry("s3fifo"), storage: storage, codec: .bytes)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(thread))
                    for _ in 0..<2000 {
                        let key = [UInt8(generator.next(below: 60))]
                        switch generator.next(below: 5) {
                        case 0: try cache.remove(key)
                        case 1..<3: try cache.put(key + key, for: key)
                        default: if let value = try cache.value(for: key) { #expect(value == key + key) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(try storage.keys()) == Set(cache.keys))
    }
}
