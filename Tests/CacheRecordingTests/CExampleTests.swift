import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@Suite("The example in C", .enabled(if: SharedLibrary.hasC, "\(SharedLibrary.withoutC)"))
struct CExampleTests {
    @Test func `it compiles without warnings, and what it records is read`() throws {
        let folder = try TemporaryDirectory()
        let program = try SharedLibrary.program("Examples/CRecording/record.c", with: "Sources/CCacheRecording")
        #expect(try SharedLibrary.run([program, folder.path + "/pages"]) == "written 2000, lost 0\n")
        let files = try RecordedFiles(folder.path)
        #expect(files.requests.count == 2000 && files.requests.allSatisfy { $0.operation == .read })
        // The squares modulo 100.
        #expect(Set(files.requests.map(\.key)).count == 22)
    }
}
