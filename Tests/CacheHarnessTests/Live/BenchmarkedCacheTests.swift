import CacheCore
import Foundation
import Synchronization
import Testing

@testable import CacheHarness

@Suite("Complete caches under load")
struct BenchmarkedCacheTests {
    /// A dictionary that forgets everything when it is full.
    private final class Forgetful: BenchmarkedCache {
        enum Defect { case none, mixesUp, refuses, ends, hangs, isUncounted, isGone }

        private let entries = Mutex<(values: [[UInt8]: [UInt8]], evicted: Int)>(([:], 0))
        private let room: Int
        private let defect: Defect

        init(room: Int, _ defect: Defect) {
            self.room = room
            self.defect = defect
        }

        func value(for key: [UInt8]) throws(StoreError) -> [UInt8]? {
            guard defect != .isGone else { throw StoreError(.crashed, "its process is gone") }
            return entries.withLock { defect == .mixesUp ? $0.values.values.first : $0.values[key] }
        }

        func put(_ value: [UInt8], for key: [UInt8]) throws(StoreError) {
            guard defect != .refuses else { throw StoreError(.valueRefused, "it takes nothing") }
            guard defect != .ends else { throw StoreError(.crashed, "its process is gone") }
            guard defect != .hangs else { throw StoreError(.hung, "no answer within 1 s") }
            entries.withLock { entries in
                if entries.values.count == room {
                    entries.evicted += room
                    entries.values = [:]
                }
                entries.values[key] = value
            }
        }

        func remove(_ key: [UInt8]) -> Bool { entries.withLock { $0.values.removeValue(forKey: key) != nil } }
        func count() -> Int? { [.isUncounted, .isGone].contains(defect) ? nil : entries.withLock { $0.values.count } }
        func evictions() -> Int? { defect == .isUncounted ? nil : entries.withLock { $0.evicted } }
        func removeAll() { entries.withLock { $0.values = [:] } }
        func close() {}
    }

    private func run(_ defect: Forgetful.Defect, _ load: BenchLoad = BenchLoad(), room: Int = 20) -> LiveRun {
        let entry = BenchmarkedCacheEntry(name: "forgetful", needsDirectory: false) { (directory, capacity) in
            #expect(directory == nil && capacity == .objects(room))
            return Forgetful(room: capacity.amount, defect)
        }
        let trace = MemoryTrace.skewed()
        let configuration = PolicyConfiguration(
            capacity: .objects(room), objects: trace.columns.objects, parameters: ParameterValues(defaults: []))
        return LiveRun(
            LiveRun.Subject(entry, configuration: configuration), columns: trace.columns, keys: trace.keys,
            valueBytes: nil, load: load)
    }

    @Test(arguments: [1, 3])
    func `what it does is counted and timed`(threads: Int) throws {
        var load = BenchLoad()
        load.threads = threads
        load.requests = 6000
        let timing = try run(.none, load).timing(directory: "unused")
        #expect(timing.counts.requests == 6000 && (1..<6000).contains(timing.counts.hits))
        #expect((1...20).contains(timing.counts.residentObjects))
        #expect(timing.counts.residentWeight == timing.counts.residentObjects)
        #expect(timing.counts.evictions > 0 && timing.counts.evictions % 20 == 0)
        let operations = timing.bench.latency.reduce(0) { $0 + $1.distribution.summary.operations }
        #expect(operations > 6000)
        if threads == 1 {
            let stored = timing.counts.requests - timing.counts.hits
            #expect(stored - timing.counts.residentObjects == timing.counts.evictions)
        }
    }

    @Test func `evictions that the cache does not count are not given`() throws {
        let counts = try run(.isUncounted).timing(directory: "unused").counts
        #expect(counts.countedEvictions == nil)
        let written = try JSONEncoder().encode(counts)
        #expect(!String(decoding: written, as: UTF8.self).contains("evictions"))
        #expect(try JSONDecoder().decode(ReplayCounts.self, from: written) == counts)
        #expect(try run(.none).timing(directory: "unused").counts.countedEvictions != nil)
    }

    @Test func `its memory is counted, of which no part is a policy's`() throws {
        let memory = try run(.none).memory(directory: "unused", measuresLeak: true)
        #expect(memory.figures.entries == memory.counts.residentObjects && memory.figures.entries > 0)
        #expect(memory.figures.policyBytes == nil && memory.figures.diskBytes == nil)
        #expect(memory.figures.payloadBytes > 0)
    }

    @Test func `a value of another key is a verdict, and one that refuses everything has nothing`() throws {
        let error = #expect(throws: AssayError.self) { try run(.mixesUp).timing(directory: "unused") }
        #expect(error?.code == .verdict)
        let timing = try run(.refuses).timing(directory: "unused")
        #expect(timing.counts.hits == 0 && timing.counts.bytesWritten == 0 && timing.counts.residentObjects == 0)
        // Every miss was offered and refused, which is said.
        #expect(timing.refusedOffers == timing.counts.requests)
        #expect(try run(.none).timing(directory: "unused").refusedOffers == nil)
    }

    @Test func `one whose process ends has crashed, and one that counts nothing is asked for its objects`() throws {
        let error = #expect(throws: AssayError.self) { try run(.ends).timing(directory: "unused") }
        #expect(error?.code == .crashed && error.map { CellFailure($0).kind } == .crashed)
        let late = #expect(throws: AssayError.self) { try run(.hangs).timing(directory: "unused") }
        #expect(late?.code == .crashed && late.map { CellFailure($0).kind } == .hung)
        let counts = try run(.isUncounted).timing(directory: "unused").counts
        #expect(try counts.residentObjects == run(.none).timing(directory: "unused").counts.residentObjects)
    }

    @Test func `one that cannot be asked for its objects has no count`() throws {
        let error = #expect(throws: AssayError.self) { try run(.isGone).timing(directory: "unused") }
        #expect(
            error?.code == .crashed && error?.message == "the entries could not be counted",
            "\(String(describing: error))")
    }
}
