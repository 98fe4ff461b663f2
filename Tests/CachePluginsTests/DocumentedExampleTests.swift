import Foundation
import Testing
import _CacheTestSupport

@Suite("The examples of plug-ins in the documentation are those that are tested")
struct DocumentedExampleTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOf: SharedFolder.packageRoot.appending(path: path), encoding: .utf8)
    }

    @Test func `the guide shows the example of FIFO as it stands`() throws {
        let guide = try text("Sources/CachePlugins/CachePlugins.docc/CachePlugins.md")
        #expect(guide.contains("```c\n\(try text("Examples/CPolicy/fifo.c"))```"))
    }

    @Test func `the README of the examples compiles files that are there`() throws {
        let paths = try text("Examples/README.md").matches(of: /Examples\/\w+\/\w+\.(?:c|rs)/).map { String($0.output) }
        #expect(Set(paths).count == 5)
        for path in paths {
            #expect(FileManager.default.fileExists(atPath: SharedFolder.packageRoot.appending(path: path).path))
        }
    }
}
