import CacheConformance
import CacheCore
import CacheStorage
import Foundation
import Testing
import _CacheTestSupport

/// A process that is killed in the middle of writing: what was acknowledged is there, what was not is whole or absent.
@Suite("Killed processes")
struct KillTests {
    @Test(
        arguments: [
            "log:", "log:segment-bytes=65536,amplification-max=1.1", "log:durability=power", "mmap:",
            "mmap:grow-bytes=4096", "mmap:sync=full", "file:", "tiered:lower=log,upper-bytes=50000",
        ])
    func `nothing acknowledged is lost and nothing is torn`(name: String) async throws {
        let folder = try TemporaryDirectory()
        let directory = folder.path + "/store"
        let writer = KilledWriter(directory: directory)
        for round in 1...2 {
            let operations = [400, 1_500][round - 1]
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    directory = directory as String, name = name as String, round = round as Int,
                    operations = operations as Int
                ] in
                let store = try StorageConformanceTests.subject(name).open(in: directory)
                KilledWriter(directory: directory).work(on: store, operations: operations, seed: UInt64(round))
            }
            let store = try StorageConformanceTests.subject(name).open(in: directory)
            let (problems, done) = try writer.problems(of: store)
            #expect(problems == [])
            #expect(done >= operations)
            try store.close()
        }
    }

    @Test func `a store that keeps puts in memory is caught`() async throws {
        let folder = try TemporaryDirectory()
        let directory = folder.path + "/store"
        await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory as String] in
            let store = try BackendEntry(CarelessStorage.self).open(directory: directory)
            KilledWriter(directory: directory).work(on: store, operations: 105, seed: 1)
        }
        let store = try BackendEntry(CarelessStorage.self).open(directory: directory)
        #expect(try !KilledWriter(directory: directory).problems(of: store).problems.isEmpty)
    }
}
