import CacheCore
import Foundation
import Testing

@testable import CacheTraces

@Suite struct NumberingPipelineTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Keys of both kinds, in runs of every length, over several blocks.
    @Test(arguments: [0, 1, KeyBlock.capacity, KeyBlock.capacity + 1, 9 * KeyBlock.capacity - 5])
    func objectsAreNumberedInTheOrderOfTheTrace(requests: Int) throws {
        var random = SeededGenerator(seed: UInt64(requests))
        var numbers: [[UInt8]: UInt32] = [:]
        var expected: [UInt32] = []
        var compiler = try TraceCompiler(temporary: folder.path + "/temporary")
        var rest = 0
        var isNumber = true
        for _ in 0..<requests {
            if rest == 0 { (rest, isNumber) = (1 + Int(random.next(below: UInt64(700))), !isNumber) }
            rest -= 1
            let key = random.next(below: UInt64(3000))
            let text = isNumber ? bytes(key) : Array("k\(key)".utf8)
            if isNumber {
                try compiler.append(integer: key, RequestAttributes())
            } else {
                try text.withUnsafeBytes { try compiler.append(bytes: $0, RequestAttributes()) }
            }
            expected.append(numbers[text, default: UInt32(numbers.count)])
            numbers[text] = expected.last
        }
        try compiler.finish(as: folder.path + "/trace", digest: "d", sourceDigest: "s", formatDescription: "f")
        let map = try MappedFile(PosixFile(reading: folder.path + "/trace"))
        let header = try #require(map.withBytes(CompiledTraceHeader.init(decoding:)))
        #expect(header.objects == numbers.count)
        #expect(Array(CompiledColumns(map, header).ids) == expected)
        #expect(map.bodyChecksum() == header.bodyChecksum)
    }

    @Test func compilerThatIsLetGoLeavesNothing() throws {
        do {
            var compiler = try TraceCompiler(temporary: folder.path + "/temporary")
            for key in 0..<UInt64(3 * KeyBlock.capacity) { try compiler.append(integer: key, RequestAttributes()) }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    #if os(Linux)
        /// The reader learns from a later block what went wrong with the writing of an earlier one.
        @Test func fullDiskStopsTheReader() throws {
            var compiler = try TraceCompiler(temporary: folder.path + "/temporary")
            try fillDisk(under: folder.path + "/temporary")
            let error = assayError { () throws(AssayError) in
                for key in 0..<UInt64(100 * KeyBlock.capacity) {
                    try compiler.append(integer: key, RequestAttributes())
                }
            }
            #expect(error?.code == .inputOutput)
            #expect(error?.message.contains("Free some space") == true)
        }

        /// Puts a full device in the place of an open file.
        private func fillDisk(under path: String) throws {
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                Int32($0)
            }
            let file = try #require(
                descriptors.first {
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
                })
            let full = open("/dev/full", O_RDWR)
            #expect(dup2(full, file) == file)
            close(full)
        }
    #endif
}
