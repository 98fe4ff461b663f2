import CacheCore
import Foundation
import Testing

@testable import CacheTraces

/// Each decompressor against the tool of its format, where that is installed.
@Suite struct DecoderToolTests {
    struct Tool: Sendable, CustomTestStringConvertible {
        let name: String
        let file: PackedFile
        /// The status with which it warns and gives the content nevertheless.
        var warning: Int32?
        var testDescription: String { name }
        var path: String { "/usr/bin/\(name)" }
    }

    static let tools = [
        Tool(name: "gzip", file: PackedFile.all[0], warning: 2), Tool(name: "zstd", file: PackedFile.all[1]),
        Tool(name: "xz", file: PackedFile.all[2], warning: 2), Tool(name: "bzip2", file: PackedFile.all[3]),
    ]
    static let installed = tools.filter { FileManager.default.isExecutableFile(atPath: $0.path) }

    /// What is appended to a sound file, or put in the place of a part of it.
    private static func variants(of bytes: [UInt8]) -> [[UInt8]] {
        let skippable: [UInt8] = [0x5f, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7]
        var tails: [[UInt8]] = [[], skippable, skippable + bytes, bytes + skippable, Array("garbage".utf8)]
        tails += [1, 2, 3, 4, 8, 10, 512].map { [UInt8](repeating: 0, count: $0) }
        tails += [4, 5].map { [UInt8](repeating: 0, count: $0) + bytes }
        tails += [
            [0, 0, 0, 0, 1], [0x1f], [0x1f, 0x8b], [0x1f, 0x8b, 0x08], [0x1f, 0x8b, 0x07, 0], [0x42], Array("BZ".utf8),
        ]
        tails += [
            Array("BZh".utf8), Array("BZh0".utf8), Array("BZh9".utf8), Array("BZx9".utf8), Array("BZh9garbage".utf8),
        ]
        tails += (1..<12).map { Array(bytes.prefix($0)) }
        var all = tails.map { bytes + $0 } + [bytes + bytes + bytes, skippable + bytes, skippable + skippable]
        all += stride(from: 12, to: bytes.count, by: 3).map { Array(bytes.prefix($0)) }
        return all
    }

    @Test(arguments: installed) func `a file is read, refused and warned of as the format's tool does`(_ tool: Tool)
        throws
    {
        let folder = try TemporaryFolder()
        for (number, bytes) in Self.variants(of: tool.file.bytes).enumerated() {
            let path = try folder.write("\(number).\(tool.file.ending)", bytes)
            // A skippable frame in front is zstd's alone.
            guard bytes.withUnsafeBytes({ Compression.detect($0) })?.fileExtension == tool.file.ending else { continue }
            let process = Process()
            process.executableURL = URL(filePath: tool.path)
            process.arguments = ["-dc", path]
            let (output, errors) = (folder.path + "/output", folder.path + "/errors")
            for file in [output, errors] { try Data().write(to: URL(filePath: file)) }
            process.standardOutput = FileHandle(forWritingAtPath: output)
            process.standardError = FileHandle(forWritingAtPath: errors)
            try process.run()
            process.waitUntilExit()
            let accepts = process.terminationStatus == 0 || process.terminationStatus == tool.warning
            let expected = try [UInt8](Data(contentsOf: URL(filePath: output)))
            let warns = try accepts && !Data(contentsOf: URL(filePath: errors)).isEmpty
            var warnings: [String] = []
            let content = try? Self.content(path) { warnings.append($0) }
            #expect(content == (accepts ? expected : nil), "\(tool.name), variant \(number): \(bytes.count) bytes")
            if accepts { #expect(warnings.isEmpty != warns, "\(tool.name), variant \(number): \(warnings)") }
        }
    }

    private static func content(_ path: String, warn: @escaping (String) -> Void) throws(AssayError) -> [UInt8] {
        var input = try TraceInput.open(path, hashingInto: nil, warn: warn)
        var content: [UInt8] = []
        while try input.fill(atLeast: 1) > 0 {
            content += Array(input.buffered)
            input.consume(input.buffered.count)
        }
        return content
    }
}
