import CacheCore
import CacheEngine
import Dispatch
import Testing

@Suite("The asynchronous face of a cache over a backend")
struct StoredCacheAsyncTests {
    @Test func `does what the blocking face does`() async throws {
        let storage = FaultyStorage()
        let cache = try StoredCacheTests.make(.objects(2), storage)
        #expect(try await cache.value(for: [1]) == nil)
        #expect(try await cache.put([10], for: [1]).isStored)
        #expect(try await cache.value(for: [1]) == [10])
        #expect(try await cache.remove([1]))
        #expect(try await cache.remove([1]) == false)
        for key in UInt8(1)...3 { try await cache.put([key], for: [key]) }
        #expect(Set(storage.entries.keys) == [[2], [3]])
        storage.fail(.inputOutput)
        await #expect(throws: StoreError.self) { try await cache.value(for: [2]) }
        storage.fail(nil)
        try await cache.flush()
        try await cache.close()
        await #expect(throws: StoreError.closed) { try await cache.value(for: [2]) }
    }

    /// More reads than there are threads for tasks wait for the backend; a task that frees them must still run.
    @Test func `a backend that waits blocks no thread that tasks need`() async throws {
        let storage = FaultyStorage()
        let cache = try StoredCacheTests.make(.objects(64), storage)
        try await cache.put([7], for: [1])
        let gate = DispatchSemaphore(value: 0)
        let readers = 32
        let opened = try await withThrowingTaskGroup(of: Bool.self) { group in
            storage.beforeNextGet { _ = gate.wait(timeout: .now() + .seconds(1800)) }
            for _ in 0..<readers { group.addTask { try await cache.value(for: [1]) == [7] } }
            group.addTask {
                gate.signal()
                return true
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(opened == readers + 1)
    }
}
