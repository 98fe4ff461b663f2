import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@Suite("The examples in the documentation are these files, and they work")
struct DocumentedExampleTests {
    @Test(
        arguments: [
            ("WritingAnEvictionPolicy", "DocumentedPolicy"), ("WritingAStorageBackend", "DocumentedBackend"),
        ])
    func `the first example of each article is compiled here as it stands`(_ article: String, _ file: String) throws {
        let root = SharedFolder.packageRoot
        let text = try String(
            contentsOf: root.appending(path: "Sources/CacheCore/CacheCore.docc/\(article).md"), encoding: .utf8)
        let code = try String(
            contentsOf: root.appending(path: "Tests/CacheCoreTests/\(file).swift"), encoding: .utf8)
        #expect(text.contains("```swift\n\(code)```"))
    }

    @Test func `the documented policy evicts what was admitted last`() throws {
        let entry = PolicyEntry(unit: LIFOPolicy<UnitSizes>.self, bytes: LIFOPolicy<ByteSizes>.self)
        let policy = try entry.open(
            PolicyConfiguration(
                capacity: .objects(2), objects: ObjectSpace(count: 3), parameters: ParameterValues(defaults: [])))
        var victims = VictimList()
        for id in [0, 1, 2] as [ObjectID] { _ = policy.insert(Request(id: id), evicting: &victims) }
        #expect(victims.evicted == [1])
        #expect(policy.touch(Request(id: 0)) && policy.touch(Request(id: 2)))
    }

    @Test func `the documented backend stores, removes and closes`() throws {
        let backend = try BackendEntry(DictionaryBackend.self).open(directory: nil)
        try backend.put(StoredEntry([1, 2]), for: [9])
        #expect(try backend.get([9])?.value == [1, 2])
        #expect(try backend.remove([9]))
        #expect(try !backend.contains([9]))
        try backend.close()
        let error = #expect(throws: StorageError.self) { try backend.get([9]) }
        #expect(error?.code == .closed)
    }
}
