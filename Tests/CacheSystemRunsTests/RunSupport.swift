import CacheCore
import CacheHarness
import CachePolicies
import CacheStorage
import CacheSystemRuns
import CacheTraces
import Foundation
import Testing
import _CacheTestSupport

/// A run that was driven to its end.
struct Driven: Sendable {
    var counts: SystemCounts
    var figures: [SystemFigure]
    var entries: Int

    func figure(_ name: String) -> Double? { figures.first { $0.name == name }?.value }
    subscript(outcome: SystemOutcome) -> Int { counts.outcomes[outcome, default: 0] }
}

/// What a system is run with, small.
func setup(
    _ name: String, _ settings: [String: String], in directory: String, seed: UInt64 = 1, scale: Double = 1,
    backend: BackendEntry? = nil
) throws -> (entry: SystemRunEntry, setup: SystemRunSetup) {
    let entry = try #require(BuiltinSystemRuns.all.first { $0.name == name })
    var values = ParameterValues(defaults: entry.settings)
    for (setting, text) in settings { try values.set(setting, text, of: name) }
    let lru = try #require(BuiltinPolicies.all.first { $0.descriptor.name == "lru" })
    let stores = BuiltinStorage.embedded
    let store = try #require(stores.first { $0.descriptor.name == (name == "record-cache" ? "log" : "file") })
    return (
        entry,
        SystemRunSetup(
            policy: lru, backend: backend ?? store, directory: directory, values: values, seed: seed, scale: scale)
    )
}

/// Does something that waits for tasks, on a thread that is none of theirs: tests run on those, and would all wait for one another.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}

/// Drives a system through its workload in uneven blocks.
func driven(
    _ name: String, _ settings: [String: String], seed: UInt64 = 1, scale: Double = 1, backend: BackendEntry? = nil
) async throws -> Driven {
    try await onThread { try drivenHere(name, settings, seed: seed, scale: scale, backend: backend) }
}

private func drivenHere(
    _ name: String, _ settings: [String: String], seed: UInt64, scale: Double, backend: BackendEntry?
) throws -> Driven {
    let directory = try TemporaryDirectory()
    let (entry, setup) = try setup(
        name, settings, in: directory.path + "/run", seed: seed, scale: scale, backend: backend)
    let system = try entry.make(setup)
    let sheet = SystemCallRecorder()
    try system.open()
    var first = 0
    while first < system.stepCount {
        let last = min(system.stepCount, first + 1 + first / 3)
        try system.drive(first..<last, sheet)
        first = last
    }
    let result = Driven(
        counts: sheet.counts(system.origin), figures: try system.figures(), entries: try system.entries())
    try system.close()
    return result
}

/// Keys with the popularity that runs draw.
func drawnObjects(_ count: Int, of objects: Int, exponent: Double, seed: UInt64 = 1) -> [Int] {
    var generator = ZipfGenerator(objects: objects, exponent: exponent, seed: seed)
    return (0..<count).map { _ in Int(generator.next()) }
}

/// A dictionary that gives back entries of other keys, with one byte changed: whatever believes it is wrong.
final class LyingStorage: StorageBackend {
    static let descriptor = BackendDescriptor(
        name: "lying", summary: "Changes a byte of what it gives.", citation: "", needsDirectory: true)

    private let store: any StorageBackend

    init(_ configuration: BackendConfiguration) throws(StoreError) {
        store = try BackendEntry(DictionaryStorage.self).open(directory: nil)
    }

    var claims: StorageClaims { store.claims }
    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        guard var entry = try store.get(key), !entry.value.isEmpty else { return nil }
        entry.value[entry.value.count / 2] ^= 1
        return entry
    }
    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) { try store.put(entry, for: key) }
    func remove(_ key: [UInt8]) throws(StoreError) -> Bool { try store.remove(key) }
    func removeAll() throws(StoreError) { try store.removeAll() }
    func count() throws(StoreError) -> Int { try store.count() }
    func keys() throws(StoreError) -> [[UInt8]] { try store.keys() }
    func close() throws(StoreError) { try store.close() }
}
