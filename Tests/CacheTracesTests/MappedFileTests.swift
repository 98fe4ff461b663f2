import CacheCore
import Foundation
import Testing

@testable import CacheTraces

@Suite struct MappedFileTests {
    @Test func `reading a compiled trace that was cut short under a run ends with an error and not with SIGBUS`()
        async throws
    {
        let result = await #expect(processExitsWith: .exitCode(74), observing: [\.standardErrorContent]) {
            let folder = try TemporaryFolder()
            let text = (0..<100_000).map { "\($0)\n" }.joined()
            let trace = try folder.store.open(path: folder.write("x.txt", Array(text.utf8)))
            try #require(truncate(trace.path, 4096) == 0)
            let sum = trace.columns.ids.reduce(0) { $0 &+ UInt64($1) }
            print("no error: \(sum)")
        }
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(errors.contains("cut short"))
        #expect(errors.contains(".trace"))
    }

    @Test func `a mapping that is gone is not watched any more, and its place is used again`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x", [UInt8](repeating: 7, count: 5000))
        for _ in 0..<1000 {
            let map = try MappedFile(PosixFile(reading: path))
            #expect(map.withBytes { $0[4999] } == 7)
        }
        #expect(try MappedFile(PosixFile(reading: folder.write("empty", []))).bytes.isEmpty)
    }
}
