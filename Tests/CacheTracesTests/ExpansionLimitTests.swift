import CacheCore
import Foundation
import Testing

@testable import CacheTraces

@Suite struct ExpansionLimitTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Frames of zstd, 11 bytes each, of one byte that is repeated 131,072 times.
    private func bomb(frames: Int) throws -> String {
        let frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38, 0x03, 0x00, 0x10, 0x0a]
        return try folder.write("bomb.lirs.zst", (0..<frames).flatMap { _ in frame })
    }

    private func store(_ limit: ExpansionLimit) -> TraceStore {
        var store = folder.store
        store.expansion = limit
        return store
    }

    @Test func `the factor holds above what is small in itself`() {
        let limit = ExpansionLimit(factor: 100)
        #expect(limit.contentBytes(ofFileBytes: 0) == 1 << 28)
        #expect(limit.contentBytes(ofFileBytes: 10_000_000) == 1_000_000_000)
        #expect(limit.contentBytes(ofFileBytes: .max) == .max)
        #expect(limit.requests(ofFileBytes: 17) == 1 << 25)
        #expect(limit.requests(ofFileBytes: 1_000_000) == 100_000_000)
    }

    @Test func `the environment raises the factor, and nonsense there is told`() throws {
        #expect(try ExpansionLimit.standard { _ in nil }.factor == 100)
        #expect(try ExpansionLimit.standard { $0 == "ASSAY_MAX_EXPANSION" ? "5000" : nil }.factor == 5000)
        for text in ["0", "-1", "many", "1e3"] {
            let error = assayError { () throws(AssayError) in _ = try ExpansionLimit.standard { _ in text } }
            #expect(error?.code == .usage)
        }
    }

    /// The same decoder that reads traces, with a limit that a small file reaches.
    @Test func `content beyond the limit is refused where it is reached`() throws {
        let path = try folder.write("x.gz", PackedFile.all[0].bytes)
        let file = HashedFile(try PosixFile(reading: path), nil)
        let source = DecodingSource(
            named: path, { (buffer) throws(AssayError) in try file.read(into: buffer) }, try GzipDecoder(),
            bytesMax: { _ in 15 })
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
        defer { buffer.deallocate() }
        let error = assayError { () throws(AssayError) in while try source.read(into: buffer) > 0 {} }
        #expect(error?.code == .badInput)
        #expect(error?.location?.source == path)
        #expect(error?.message.contains("ASSAY_MAX_EXPANSION") == true)
    }

    @Test func `a small file that becomes large is refused and leaves nothing`() throws {
        let path = try bomb(frames: 10)
        let limit = ExpansionLimit(factor: 100, bytesAlways: 1 << 20)
        let error = assayError { () throws(AssayError) in _ = try store(limit).open(path: path) }
        #expect(error?.code == .badInput)
        #expect(error?.location?.source == path)
        #expect(error?.message.contains("ASSAY_MAX_EXPANSION") == true, "\(String(describing: error))")
        #expect(FileTree.names(in: folder.path + "/store").sorted() == ["locks", "sources"])
        #expect(try store(ExpansionLimit(factor: 20_000, bytesAlways: 1 << 20)).open(path: path).requests == 0)
        // What is small in itself always may.
        #expect(try folder.store.open(path: bomb(frames: 8)).requests == 0)
    }

    @Test func `more requests than a file of its size records are refused before they fill the disk`() throws {
        var compiler = try TraceCompiler(temporary: folder.path + "/temporary", requestsMax: 100_000)
        let error = assayError { () throws(AssayError) in
            for key in 0..<UInt64(200_000) { try compiler.append(integer: key, RequestAttributes()) }
        }
        #expect(error?.code == .badInput)
        #expect(error?.message.contains("100000 requests") == true)
    }

    /// 17 bytes that state 2^32 requests.
    @Test func `an access of more blocks than any disk takes at once is damage`() throws {
        let path = try folder.write("x.arc", Array("0 4294967296 0 0\n".utf8))
        let error = assayError { () throws(AssayError) in _ = try folder.store.open(path: path) }
        #expect(error?.code == .badInput)
        #expect(error?.message.contains("count from 1 to 2^24") == true)
    }

    @Test func `many large accesses end at the limit`() throws {
        let path = try folder.write("x.arc", Array((0..<40).map { "\($0) 10000 0 0\n" }.joined().utf8))
        let error = assayError { () throws(AssayError) in
            _ = try store(ExpansionLimit(factor: 100, requestsAlways: 50_000)).open(path: path)
        }
        #expect(error?.message.contains("states more than 51000 requests") == true, "\(String(describing: error))")
        #expect(error?.location?.source == path)
        #expect(try folder.store.open(path: path).requests == 400_000)
    }
}
