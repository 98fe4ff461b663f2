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

    /// A reading of a file that is taken to have been quiet, so that another thread looks for its digest.
    private func quietReading(of path: String) throws -> SourceReading {
        try SourceReading(of: path, digests, nowNanoseconds: .max)
    }

    @Test(arguments: [0, 1, 55, 56, 63, 64, 65, 1 << 18, 1 << 18 + 1, 700_000])
    func digestIsTheSHA256OfTheFile(bytes: Int) throws {
        let content = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        let path = try folder.write("file", content)
        let expected = SHA256.hexadecimal(of: content)
        #expect(try quietReading(of: path).confirmed() == expected)
        let reading = try SourceReading(of: path, digests)
        #expect(reading.found == expected)
        #expect(try reading.confirmed() == expected)
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
            let error = assayError { () throws(AssayError) in _ = try reading.confirmed() }
            #expect(error?.code == .inputOutput)
            #expect(error?.message.contains("changed") == true)
        }
    }

    @Test func fileThatIsNotThereIsRefusedAtOnce() {
        let error = assayError { () throws(AssayError) in _ = try SourceReading(of: "/nonexistent", digests) }
        #expect(error?.code == .inputOutput)
    }
}
