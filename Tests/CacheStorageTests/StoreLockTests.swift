import CacheCore
import CacheStorage
import Foundation
import Testing
import _CacheTestSupport

@Suite("A store's directory is free when the store has been closed")
struct StoreLockTests {
    /// Duplicates the descriptors of the files in a directory, as a process does that is forked and has not yet started its
    /// program: a lock belongs to all of them.
    private static func duplicates(in directory: String) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            guard let path, path.hasPrefix(directory), let descriptor = Int32(number) else { return nil }
            return dup(descriptor)
        }
    }

    @Test(arguments: ["file", "log", "mmap"])
    func `even while a process is being started`(_ name: String) throws {
        let entry = try #require(BuiltinStorage.all.first { $0.descriptor.name == name })
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let store = try entry.open(directory: directory.path)
        #expect(throws: StoreError.self) { try entry.open(directory: directory.path) }
        let copies = try Self.duplicates(in: directory.path)
        defer { for copy in copies { close(copy) } }
        try #require(!copies.isEmpty)
        try store.close()
        try entry.open(directory: directory.path).close()
    }
}
