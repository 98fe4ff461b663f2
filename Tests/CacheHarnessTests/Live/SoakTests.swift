import CacheCore
import CachePolicies
import Foundation
import Testing

@testable import CacheHarness

@Suite("Soak: growth is told")
struct SoakTests {
    /// A store that leaves a file for each removal, or does not remove.
    private final class Faulty: StorageBackend {
        static let descriptor = BackendDescriptor(
            name: "faulty", summary: "", citation: "",
            parameters: [
                ParameterSpecification("fault", .choice(default: "", ["", "litters", "keeps"]), "what it does")
            ],
            needsDirectory: true)
        let claims = StorageClaims()
        private let inner: LeakyStorage
        private let directory: String
        private let fault: String

        init(_ configuration: BackendConfiguration) throws(StoreError) {
            directory = configuration.directory ?? ""
            fault = configuration.parameters.text("fault")
            inner = try LeakyStorage(
                BackendConfiguration(
                    directory: nil, parameters: ParameterValues(defaults: LeakyStorage.descriptor.parameters)))
            do {
                try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            } catch { throw StoreError(.inputOutput, "\(error)") }
        }

        func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? { try inner.get(key) }
        func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) { try inner.put(entry, for: key) }
        func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
            if fault == "keeps" { return try inner.contains(key) }
            if fault == "litters" {
                _ = FileManager.default.createFile(atPath: "\(directory)/\(UUID())", contents: Data([1]))
            }
            return try inner.remove(key)
        }
        func removeAll() throws(StoreError) { try inner.removeAll() }
        func keys() throws(StoreError) -> [[UInt8]] { try inner.keys() }
        func count() throws(StoreError) -> Int { try inner.count() }
        func close() throws(StoreError) { try inner.close() }
    }

    private static func soak(_ fault: String) throws -> LiveRun.Soak {
        let directory = FileManager.default.temporaryDirectory.appending(path: "soak-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let trace = MemoryTrace(ids: (0..<60).map { ObjectID($0 % 20) })
        let policy = try #require(BuiltinPolicies.all.first { $0.descriptor.name == "fifo" })
        let entry = BackendEntry(Faulty.self)
        var parameters = ParameterValues(defaults: entry.descriptor.parameters)
        try parameters.set("fault", fault, of: "faulty")
        let run = LiveRun(
            .init(
                policy: policy,
                configuration: PolicyConfiguration(
                    capacity: .objects(10), objects: trace.columns.objects,
                    parameters: ParameterValues(defaults: policy.descriptor.parameters)),
                backend: entry, backendParameters: parameters), columns: trace.columns, keys: trace.keys,
            valueBytes: 32)
        return try run.soak(directory: directory, warmUpSeconds: 0, seconds: 1e-6)
    }

    @Test(arguments: ["", "litters"])
    func `a store that leaves files behind is not stable`(_ fault: String) throws {
        let soak = try Self.soak(fault)
        #expect(soak.requests > 0 && (soak.after.files > soak.before.files) == (fault == "litters"))
        if fault == "litters" { #expect(!soak.isStable) }
    }

    @Test func `a store that keeps what the cache removed is told`() {
        let error = #expect(throws: AssayError.self) { try Self.soak("keeps") }
        #expect(error?.code == .verdict)
    }

    @Test func `bytes and descriptors that grow are not stable, and what is freed is`() {
        func footprint(_ bytes: Int, descriptors: Int = 5) -> LiveRun.Footprint {
            LiveRun.Footprint(
                fullBytes: bytes, clearedBytes: bytes, descriptors: descriptors, files: 0, diskBytes: 0)
        }
        func isStable(_ before: LiveRun.Footprint, _ after: LiveRun.Footprint) -> Bool {
            LiveRun.Soak(before: before, after: after, requests: 1, seconds: 1).isStable
        }
        #expect(isStable(footprint(1_000_000), footprint(1_000_000 + LiveRun.Soak.toleratedBytes)))
        #expect(!isStable(footprint(1_000_000), footprint(1_000_001 + LiveRun.Soak.toleratedBytes)))
        #expect(isStable(footprint(1_000_000), footprint(10)))
        #expect(!isStable(footprint(0), footprint(0, descriptors: 6)))
    }
}
