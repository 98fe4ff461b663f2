import CMemoryProbe
import Foundation
import Testing

@testable import CacheHarness

@Suite("AllocationMeter: exact or silent")
struct AllocationMeterTests {
    @Test func `an allocation of known size moves the counter by about that much`() async {
        // In a process of its own: other tests allocate meanwhile.
        await #expect(processExitsWith: .success) {
            let meter = try #require(AllocationMeter.best(), "no allocation counter works here")
            let before = meter.allocatedBytes()
            let memory = assay_probe_malloc(50_000_000)
            let during = meter.allocatedBytes()
            assay_probe_free(memory)
            #expect((49_000_000...55_000_000).contains(during - before))
        }
    }

    @Test func `jemalloc is not loaded into processes that are timed`() {
        var bytes: UInt64 = 0
        let isPreloaded = ProcessInfo.processInfo.environment["LD_PRELOAD"]?.contains("jemalloc") == true
        #expect((assay_jemalloc_allocated(&bytes) != 0) == isPreloaded)
    }
}

@Suite("DiskUsage: what a directory takes")
struct DiskUsageTests {
    @Test func `files are counted in blocks at every depth`() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "usage-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        try FileManager.default.createDirectory(at: root.appending(path: "a/b"), withIntermediateDirectories: true)
        #expect(DiskUsage.of(root.path) == DiskUsage(allocatedBytes: 0, files: 0))
        try Data(repeating: 1, count: 10_000).write(to: root.appending(path: "a/b/file"))
        let usage = DiskUsage.of(root.path)
        #expect(usage.files == 1)
        #expect((8192...65_536).contains(usage.allocatedBytes))
        #expect(DiskUsage.of(root.path + "/none") == DiskUsage())
    }
}
