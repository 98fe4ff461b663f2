import CacheCore
import Foundation
import Testing

@testable import CacheTraces

@Suite struct SourceReadingTests {
    private let folder: TemporaryFolder
    private let digests: SourceDigests

    init() throws {
        folder = try TemporaryFolder()
        digests = SourceDigests(folder: folder.path, algorithm: .sha256)
    }

    /// A reading of a file that is taken to have been quiet, so that its digest is found on the way.
    private func quietReading(of path: String) throws -> SourceReading {
        try SourceReading(of: path, digests, nowNanoseconds: .max)
    }

    /// Reads a file by a stream of its content.
    private func digest(_ reading: SourceReading, of path: String) throws(AssayError) -> String {
        try reading.digest { (hash) throws(AssayError) in
            var input = try TraceInput.open(path, hashingInto: hash)
            while try input.fill(atLeast: 1) > 0 { input.consume(input.buffered.count) }
        }
    }

    @Test(arguments: [0, 1, 55, 56, 63, 64, 65, 1 << 18, 1 << 18 + 1, 700_000, 1 << 21 + 7])
    func digestIsTheSHA256OfTheFile(bytes: Int) throws {
        let content = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        let path = try folder.write("file", content)
        let expected = SHA256.hexadecimal(of: content)
        #expect(try digest(quietReading(of: path), of: path) == expected)
        let reading = try SourceReading(of: path, digests)
        #expect(reading.found == expected)
        #expect(try digest(reading, of: path) == expected)
    }

    /// What is hashed is what lies on the disk, not what it stands for.
    @Test(arguments: ["sort-pages.lirs.zst"])
    func digestOfCompressedDataIsThatOfTheFile(name: String) throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let content = try Data(contentsOf: tests.deletingLastPathComponent().appending(path: "Workloads/\(name)"))
        let path = try folder.write(name, Array(content))
        #expect(try digest(quietReading(of: path), of: path) == SHA256.hexadecimal(of: Array(content)))
    }

    @Test func formatThatEndsBeforeTheFileDoesNotEndItsDigest() throws {
        let path = try folder.write("x.txt", Array("1\n2\n".utf8) + [UInt8](repeating: 0x0a, count: 3 << 20))
        let store = TraceStore(directory: folder.path + "/store", formats: [TraceFormatEntry(OneByteFormat.self)])
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
        let expected = try SourceDigests(folder: folder.path, algorithm: .xxh128).digest(of: path)
        #expect(try store.open(path: path, format: "one-byte").sourceDigest == expected)
    }

    @Test func `a reader of another revision reads a file anew`() throws {
        let path = try folder.write("x.txt", Array("12".utf8))
        func key(_ format: TraceFormatEntry) throws -> [UInt8] {
            let store = TraceStore(directory: folder.path + "/store", formats: [format])
            return try store.open(path: path, format: format.descriptor.name).key(of: ObjectID(0))
        }
        let first = try key(TraceFormatEntry(OneByteFormat.self))
        #expect(try key(TraceFormatEntry(LastByteFormat<Zero>.self)) == first)
        #expect(try key(TraceFormatEntry(LastByteFormat<One>.self)) != first)
    }

    private protocol Revision { static var number: Int { get } }
    private enum Zero: Revision { static let number = 0 }
    private enum One: Revision { static let number = 1 }

    /// What `one-byte` has become: the key is the second byte.
    private struct LastByteFormat<R: Revision>: TraceFormat {
        static var descriptor: TraceFormatDescriptor {
            TraceFormatDescriptor(name: "one-byte", summary: "A byte.", citation: "nobody", revision: R.number)
        }

        init(_ parameters: ParameterValues) {}

        func read<Sink: TraceSink & ~Copyable>(_ input: inout ByteStream, into sink: inout Sink) throws(AssayError) {
            _ = try input.fill(atLeast: 2)
            try sink.append(integer: UInt64(input.buffered[1]), RequestAttributes())
            input.consume(2)
        }
    }

    /// Reads one byte and no more.
    private struct OneByteFormat: TraceFormat {
        static let descriptor = TraceFormatDescriptor(name: "one-byte", summary: "A byte.", citation: "nobody")

        init(_ parameters: ParameterValues) {}

        func read<Sink: TraceSink & ~Copyable>(_ input: inout ByteStream, into sink: inout Sink) throws(AssayError) {
            _ = try input.fill(atLeast: 1)
            try sink.append(integer: UInt64(input.buffered[0]), RequestAttributes())
            input.consume(1)
        }
    }

    /// As `xxhsum -H2` prints them.
    @Test(arguments: [
        ("", "99aa06d3014798d86001c324468d497f"), ("abc", "06b05ab6733a618578af5f94892f3950"),
        (String(repeating: "0123456789abcdef", count: 40_000), "ace3fadb4e001a49647767756a83d408"),
    ])
    func digestIsTheXXH3OfTheFile(content: String, expected: String) throws {
        let path = try folder.write("file", Array(content.utf8))
        #expect(try SourceDigests(folder: folder.path, algorithm: .xxh128).digest(of: path) == "xxh128:\(expected)")
    }

    @Test func digestsOfTwoKindsDoNotPassForEachOther() throws {
        let path = try folder.write("file", Array("abc".utf8))
        // Long quiet, so that both are remembered.
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
        let other = SourceDigests(folder: folder.path, algorithm: .xxh128)
        let (first, second) = (try digests.digest(of: path), try other.digest(of: path))
        #expect(first != second)
        #expect(try digests.digest(of: path) == first)
        #expect(try other.digest(of: path) == second)
    }

    @Test func changeIsNoticedWhoeverSawIt() throws {
        let path = try folder.write("file", Array("before".utf8))
        for reading in [try quietReading(of: path), try SourceReading(of: path, digests)] {
            _ = try folder.write("file", Array("after \(UUID())".utf8))
            let error = assayError { () throws(AssayError) in _ = try digest(reading, of: path) }
            #expect(error?.code == .inputOutput)
            #expect(error?.message.contains("changed") == true)
        }
    }

    /// The file is as it was, so what was noted of it is wrong; a change would show in its identity.
    @Test func damagedNoteIsWrittenAnew() throws {
        let path = try folder.write("file", Array("abc".utf8))
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
        let expected = try digests.digest(of: path)
        digests.remember(path, try digests.identity(of: path), String(expected.reversed()))
        let reading = try quietReading(of: path)
        #expect(reading.found != expected)
        #expect(try digest(reading, of: path) == expected)
        #expect(try quietReading(of: path).found == expected)
    }

    @Test func fileThatIsNotThereIsRefusedAtOnce() {
        let error = assayError { () throws(AssayError) in _ = try SourceReading(of: "/nonexistent", digests) }
        #expect(error?.code == .inputOutput)
    }
}
