import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@Suite("Files that are read whole")
struct InputFileTests {
    @Test func `a file is read up to its limit and not beyond, and whatever never ends is refused`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file"
        try Data(repeating: 7, count: 3 << 20).write(to: URL(filePath: path))
        #expect(try InputFile.read(path, atMost: 3 << 20, "history").count == 3 << 20)
        for (file, limit) in [(path, 1 << 20), ("/dev/zero", 2 << 20)] {
            let error = #expect(throws: AssayError.self) { try InputFile.read(file, atMost: limit, "history") }
            #expect(error?.code == .badInput && error?.message.contains("\(limit >> 20) MiB") == true)
        }
        let missing = #expect(throws: AssayError.self) { try InputFile.read(path + "x", atMost: 1, "history") }
        #expect(missing?.code == .inputOutput)
    }
}
