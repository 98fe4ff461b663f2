import CacheCore
import CachePolicies
import Foundation
import Testing

@testable import CacheHarness

@Suite("Lifecycle: what a killed process leaves is opened and counted")
struct LifecycleTests {
    /// A store of one file that is written at each put, and so survives a kill.
    private final class PlainFile: StorageBackend {
        static let descriptor = BackendDescriptor(
            name: "plain-file", summary: "", citation: "", parameters: [], needsDirectory: true)
        let claims = StorageClaims()
        private let path: String

        init(_ configuration: BackendConfiguration) throws(StoreError) {
            guard let directory = configuration.directory else { throw StoreError(.unavailable, "no directory") }
            path = directory
            do {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            } catch { throw StoreError(.inputOutput, "\(error)") }
        }

        private func file(_ key: [UInt8]) -> String { path + "/" + String(decoding: key, as: UTF8.self) }
        func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
            FileManager.default.contents(atPath: file(key)).map { StoredEntry([UInt8]($0)) }
        }
        func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
            _ = FileManager.default.createFile(atPath: file(key), contents: Data(entry.value))
        }
        func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
            (try? FileManager.default.removeItem(atPath: file(key))) != nil
        }
        func removeAll() throws(StoreError) { for key in try keys() { _ = try remove(key) } }
        func keys() throws(StoreError) -> [[UInt8]] {
            ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).map { [UInt8]($0.utf8) }
        }
        func count() throws(StoreError) -> Int { try keys().count }
        func close() throws(StoreError) {}
    }

    private static func run(_ backend: any StorageBackend.Type) -> LiveRun {
        let trace = MemoryTrace(ids: (0..<200).map { ObjectID($0 % 40) })
        let policy = BuiltinPolicies.all.first { $0.descriptor.name == "fifo" }!
        let configuration = PolicyConfiguration(
            capacity: .objects(25), objects: trace.columns.objects,
            parameters: ParameterValues(defaults: policy.descriptor.parameters))
        let entry = backend == PlainFile.self ? BackendEntry(PlainFile.self) : BackendEntry(LeakyStorage.self)
        return LiveRun(
            .init(
                policy: policy, configuration: configuration, backend: entry,
                backendParameters: ParameterValues(defaults: entry.descriptor.parameters)),
            columns: trace.columns, keys: trace.keys, valueBytes: 32)
    }

    @Test func `entries of a killed process are recovered, and found again after closing`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "lifecycle-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory as String] in
            try Self.run(PlainFile.self).fillAndDie(directory: directory)
        }
        let figures = try Self.run(PlainFile.self).recovery(directory: directory)
        #expect(figures.entriesBeforeKill == 25 && figures.entriesRecovered == 25 && figures.entriesOpened == 25)
        #expect(figures.recoverNanoseconds > 0 && figures.openNanoseconds > 0)
        // What is lost is told: a third of the files go.
        let names = try FileManager.default.contentsOfDirectory(atPath: directory + "/store")
        for name in names.prefix(8) { try FileManager.default.removeItem(atPath: directory + "/store/" + name) }
        let fewer = try Self.run(PlainFile.self).recovery(directory: directory)
        #expect(fewer.entriesBeforeKill == 25 && fewer.entriesRecovered == 17)
    }

    @Test func `a store that keeps nothing is not killed, and without a fill there is nothing to recover`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "lifecycle-\(UUID().uuidString)").path
        try Self.run(LeakyStorage.self).fillAndDie(directory: directory)
        let error = #expect(throws: AssayError.self) { try Self.run(PlainFile.self).recovery(directory: directory) }
        #expect(error?.code == .inputOutput)
    }
}
