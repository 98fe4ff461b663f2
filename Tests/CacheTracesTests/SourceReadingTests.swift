import CacheCore
import Foundation
import Testing

@testable import CacheTraces

@Suite struct SourceReadingTests {
    private let folder: TemporaryFolder
    private let digests: SourceDigests

    init() throws {
        folder = try TemporaryFolder()
        digests = SourceDigests(folder: folder.path)
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
