import CacheCore
import NIOCore
import Testing
import _CacheTestSupport

@testable import CacheStorageServers

@Suite("Fuzzed replies of memcached", .serialized)
struct MetaFuzzTests {
    @Test func `whatever a server sends is replies or an end of the connection`() throws {
        let samples = [
            "HD f1 c3\r\n", "VA 5 f0\r\nabcde\r\n", "EN\r\n", "NF\r\n",
            "STAT item_size_max 1048576\r\nSTAT a b c\r\nEND\r\n",
            "SERVER_ERROR out of memory\r\n",
        ].map { Array($0.utf8) }
        let words = ["VA ", "STAT ", "END\r\n", "\r\n", "VA 1000\r\n", "VA -1\r\n", "MN\r\n", "STAT\r\n", " "]
        try Fuzzer("meta", samples: samples + [samples.flatMap(\.self)], fragments: words).run { bytes in
            var (parser, buffer) = (MetaParser(valueBytesMax: 1 << 20), ByteBuffer())
            for start in stride(from: 0, to: bytes.count, by: 7) {
                buffer.writeBytes(bytes[start..<min(bytes.count, start + 7)])
                while let reply = try parser.next(from: &buffer) {
                    if case .value(let bytes, _) = reply { _ = StoredEnvelope.decode(bytes) }
                }
                buffer.discardReadBytes()
            }
        }
    }
}
