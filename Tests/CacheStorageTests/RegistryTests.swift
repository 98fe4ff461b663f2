import CacheCore
import CacheStorage
import Foundation
import Testing
import _CacheTestSupport

/// A backend is one file and one registration line; a forgotten line fails here.
@Suite("Storage registry")
struct StorageRegistryTests {
    @Test func `every storage file of the module is registered`() throws {
        let folder = SharedFolder.packageRoot.appending(path: "Sources/CacheStorage")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix("Storage.swift") && $0 != "BuiltinStorage.swift" }
            .map { $0.dropLast("Storage.swift".count).lowercased() }
        #expect(Set(files) == Set(BuiltinStorage.all.map(\.descriptor.name)))
    }

    @Test func `descriptors are complete and sorted`() {
        let names = BuiltinStorage.embedded.map(\.descriptor.name)
        #expect(names == names.sorted())
        for entry in BuiltinStorage.all {
            #expect(entry.descriptor.summary.hasSuffix("."))
            #expect(!entry.descriptor.citation.isEmpty)
        }
    }
}
