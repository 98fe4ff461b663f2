import CacheCore
import CacheTraces
import CacheWorkloads
import Foundation
import Testing
import _CacheTestSupport

/// The workloads that come with the project are what their page says.
@Suite struct BundledWorkloadsTests {
    private static let folder = SharedFolder.packageRoot.appending(path: "Workloads").path
    static let catalog = WorkloadCatalog(directories: [folder])

    @Test func everyFileBelongsToAWorkloadAndAPage() throws {
        let page = try String(contentsOfFile: Self.folder + "/README.md", encoding: .utf8)
        var known: Set = ["README.md", "suites", "corpora"]
        for workload in try Self.catalog.all() {
            known.insert(workload.name + ".yaml")
            #expect(workload.licence == "CC0-1.0")
            #expect(page.contains("| `\(workload.name)` |"), "\(workload.name) is not in README.md")
            if case .recorded(let recording) = workload.source {
                known.insert(URL(filePath: recording.path).lastPathComponent)
                #expect(page.contains(recording.sha256), "the checksum of \(workload.name) is not in README.md")
                let size = try FileManager.default.attributesOfItem(atPath: recording.path)[.size] as? Int
                #expect(size ?? .max < 300_000)
            }
        }
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: Self.folder)) == known)
    }

    /// Requests and objects as README.md states them.
    @Test(arguments: [
        ("build-files", 78_233, 842), ("sqlite-pages", 221_302, 4_682), ("sort-pages", 138_619, 1_805),
        ("loop", 300_000, 10_000),
    ])
    func countsAgreeWithThePage(name: String, requests: Int, objects: Int) throws {
        let cache = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: cache) }
        let located = try TraceLocator(catalog: Self.catalog).open(name, store: TraceStore(directory: cache))
        #expect(located.trace.requests == requests)
        #expect(located.trace.objects == objects)
    }

    @Test func recordedPathsAreLogical() throws {
        let cache = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: cache) }
        let located = try TraceLocator(catalog: Self.catalog).open("build-files", store: TraceStore(directory: cache))
        let roots = ["package/", "build/", "toolchain/", "system/", "temporary/"]
        for id in 0..<UInt32(located.trace.objects) {
            let key = String(decoding: located.trace.key(of: id), as: UTF8.self)
            #expect(roots.contains { key.hasPrefix($0) }, "\(key)")
        }
    }
}
