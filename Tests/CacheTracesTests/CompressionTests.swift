import CacheCore
import Foundation
import Testing

@testable import CacheTraces

/// The same five lines, packed by each tool.
struct PackedFile: Sendable, CustomTestStringConvertible {
    static let content = Array("10\n20\n30\n10\nkey\n".utf8)
    static let all = [
        PackedFile(ending: "gz", base64: "H4sIAAAAAAACAzM04DIy4DI24DI04MpOreQCACrUAPwQAAAA"),
        PackedFile(ending: "zst", base64: "KLUv/QRogQAAMTAKMjAKMzAKMTAKa2V5Chp6KNA="),
        PackedFile(
            ending: "xz",
            base64: "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAPMTAKMjAKMzAKMTAKa2V5CgCUE+Inp1f/GQABKBDlC2xgH7bzfQEAAAAABFla"),
        PackedFile(
            ending: "bz2",
            base64: "QlpoOTFBWSZTWZv/MSUAAATJgAAQeAACCAAgIAAhKaGmhDAiWD1phFPF3JFOFCQm/8xJQA=="),
    ]

    let ending: String
    let bytes: [UInt8]

    init(ending: String, base64: String) {
        self.ending = ending
        bytes = Array(Data(base64Encoded: base64) ?? Data())
    }

    var testDescription: String { ending }
}

@Suite struct CompressionTests {
    private func content(_ path: String) throws(AssayError) -> [UInt8] {
        var input = try TraceInput.open(path)
        var content: [UInt8] = []
        while true {
            let count = try input.fill(atLeast: 1)
            if count == 0 { return content }
            content += Array(input.buffered)
            input.consume(count)
        }
    }

    @Test(arguments: PackedFile.all)
    func packedFileReadsAsItsContent(_ file: PackedFile) throws {
        let folder = try TemporaryFolder()
        #expect(try content(folder.write("x.txt." + file.ending, file.bytes)) == PackedFile.content)
        // The first bytes decide, whatever the name says.
        #expect(try content(folder.write("y.txt", file.bytes)) == PackedFile.content)
    }

    @Test(arguments: PackedFile.all)
    func severalMembersAreOneFile(_ file: PackedFile) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x." + file.ending, file.bytes + file.bytes + file.bytes)
        #expect(try content(path) == PackedFile.content + PackedFile.content + PackedFile.content)
    }

    @Test(arguments: PackedFile.all)
    func everyShorterFileIsRefused(_ file: PackedFile) throws {
        let folder = try TemporaryFolder()
        for length in 0..<file.bytes.count {
            let path = try folder.write("x.txt." + file.ending, file.bytes.prefix(length))
            let error = assayError { () throws(AssayError) in _ = try content(path) }
            #expect(error?.code == .badInput, "\(length) bytes")
            #expect(error?.location?.source == path)
            #expect(error?.message.contains("again") == true)
        }
    }

    @Test(arguments: PackedFile.all)
    func everyShorterSecondMemberIsRefused(_ file: PackedFile) throws {
        let folder = try TemporaryFolder()
        for length in 1..<file.bytes.count {
            let path = try folder.write("x.txt." + file.ending, file.bytes + file.bytes.prefix(length))
            let error = assayError { () throws(AssayError) in _ = try content(path) }
            #expect(error?.code == .badInput, "\(length) bytes of the second")
        }
    }

    @Test(arguments: PackedFile.all)
    func noFlippedBitChangesTheContentInSilence(_ file: PackedFile) throws {
        let folder = try TemporaryFolder()
        var refused = 0
        for position in 0..<file.bytes.count {
            for bit in 0..<8 {
                var bytes = file.bytes
                bytes[position] ^= 1 << UInt8(bit)
                let path = try folder.write("x.txt." + file.ending, bytes)
                do throws(AssayError) {
                    #expect(try content(path) == PackedFile.content, "byte \(position), bit \(bit)")
                } catch {
                    refused += 1
                    #expect(error.code == .badInput)
                }
            }
        }
        // Only fields that mean nothing, such as gzip's time, may change unseen.
        #expect(refused > file.bytes.count * 4)
    }

    /// As the formats' own tools have it: gzip and bzip2 warn, zstd and xz refuse.
    @Test(arguments: PackedFile.all)
    func `what follows the data is ignored with a warning, or refused, as the tool does`(
        _ file: PackedFile
    ) throws {
        let folder = try TemporaryFolder()
        // Longer than the buffer, so that the garbage goes on behind it.
        for garbage in ["garbage", "gg", "\0garbage", String(repeating: "g", count: 300_000)] {
            let path = try folder.write("x.\(file.ending)", file.bytes + Array(garbage.utf8))
            var read: CompiledTrace?
            let error = assayError { () throws(AssayError) in
                read = try folder.store.open(path: path, format: "plain")
            }
            if ["zst", "xz"].contains(file.ending) {
                #expect(error?.code == .badInput)
            } else {
                #expect(error == nil)
                #expect(read?.requests == 5)
                #expect(read?.notes.count == 1)
                #expect(read?.notes.first?.contains("ends at byte \(file.bytes.count) of") == true)
            }
        }
        // Whoever opens the compiled trace is told as well.
        let path = try folder.write("y.bz2", PackedFile.all[3].bytes + Array("garbage".utf8))
        for _ in 0..<2 { #expect(try folder.store.open(path: path, format: "plain").notes.count == 1) }
    }

    @Test(arguments: [1, 4, 511, 1 << 18, 1 << 18 + 1]) func `zeros that pad gzip mean nothing`(count: Int) throws {
        let folder = try TemporaryFolder()
        let zeros = [UInt8](repeating: 0, count: count)
        let path = try folder.write("x.gz", PackedFile.all[0].bytes + zeros)
        let trace = try folder.store.open(path: path, format: "plain")
        #expect(trace.requests == 5)
        #expect(trace.notes == [])
        // A member behind zeros is none to gzip.
        let more = try folder.write("y.gz", PackedFile.all[0].bytes + zeros + PackedFile.all[0].bytes)
        #expect(try folder.store.open(path: more, format: "plain").requests == 5)
        #expect(try folder.store.open(path: more, format: "plain").notes.count == 1)
        // Of xz padding has whole words; bzip2 and zstd know none.
        let xz = try folder.write("x.xz", PackedFile.all[2].bytes + zeros)
        #expect((try? content(xz)) == (count.isMultiple(of: 4) ? PackedFile.content : nil))
    }

    @Test func zstdMayBeginWithASkippableFrame() throws {
        let folder = try TemporaryFolder()
        let file = PackedFile.all[1]
        let skippable: [UInt8] = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]
        #expect(try content(folder.write("x.txt.zst", skippable + file.bytes)) == PackedFile.content)
        for length in 4..<skippable.count {
            let path = try folder.write("x.txt.zst", skippable.prefix(length))
            let error = assayError { () throws(AssayError) in _ = try content(path) }
            #expect(error?.code == .badInput, "\(length) bytes")
        }
    }

    @Test func plainFileNamedAsCompressedIsRefused() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.txt.gz", Array("1\n2\n".utf8))
        let error = assayError { () throws(AssayError) in _ = try content(path) }
        #expect(error?.code == .badInput)
        #expect(error?.message.contains(".gz") == true)
    }

    @Test func wordsThatBeginLikeBzip2AreNotCompressed() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.txt", Array("BZhello\nBZh9\n".utf8))
        #expect(try content(path) == Array("BZhello\nBZh9\n".utf8))
    }

    @Test func missingFileIsAnInputError() {
        let error = assayError { () throws(AssayError) in _ = try content("/nonexistent/x.gz") }
        #expect(error?.code == .inputOutput)
    }

    @Test(arguments: PackedFile.all, ["plain", "csv:key=1"])
    func everyFormatReadsEveryCompression(_ file: PackedFile, format: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x." + file.ending, file.bytes)
        let trace = try folder.store.open(path: path, format: format)
        #expect(trace.requests == 5)
        #expect(trace.objects == 4)
        #expect(Array(trace.columns.ids) == [0, 1, 2, 0, 3])
    }

    @Test func damagedCompressionDoesNotBlameTheFormat() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.txt.gz", PackedFile.all[0].bytes.dropLast(3))
        let error = assayError { () throws(AssayError) in _ = try folder.store.open(path: path) }
        #expect(error?.message.contains("cut short") == true)
        #expect(error?.message.contains("--format") == false)
    }
}
