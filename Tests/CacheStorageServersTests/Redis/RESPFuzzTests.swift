import CacheCore
import NIOCore
import Testing
import _CacheTestSupport

@testable import CacheStorageServers

@Suite("Fuzzed replies of Redis", .serialized)
struct RESPFuzzTests {
    @Test func `whatever a server sends is replies or an end of the connection`() throws {
        var random = SeededGenerator(seed: 4)
        let samples = (0..<20).map { _ in RESPText.encode(RESPText.random(&random, depth: 3)) }
        let slots = Array("*1\r\n*3\r\n:0\r\n:100\r\n*2\r\n$1\r\na\r\n:6379\r\n".utf8)
        let words = [
            "*?\r\n", ".\r\n", "$?\r\n", ";4\r\n", "%1\r\n", "|1\r\n", ">2\r\n", "$-1\r\n", "*1048576\r\n", "\r\n",
            ":-1\r\n",
        ]
        let limits = RESPParser.Limits(stringBytesMax: 1 << 20, replyBytesMax: 4 << 20)
        try Fuzzer("resp", samples: samples + [slots], fragments: words).run { bytes in
            var (parser, buffer) = (RESPParser(limits: limits), ByteBuffer())
            for start in stride(from: 0, to: bytes.count, by: 97) {
                buffer.writeBytes(bytes[start..<min(bytes.count, start + 97)])
                while let reply = try parser.next(from: &buffer) {
                    if let slots = RedisSlots(reply, askedOf: "host") { _ = slots.servers }
                    if case .error(let text) = reply { _ = RedisRedirection(text, from: "host") }
                    _ = reply.bytes.map { StoredEnvelope.decode($0) }
                }
                buffer.discardReadBytes()
            }
        }
    }

    @Test(arguments: [(-1, -1), (0, -1), (5, 4), (-5, 3), (0, 16_384)])
    func `a range of slots that is none makes no map`(first: Int64, last: Int64) {
        let node = RESPValue.array([.bulk(Array("a".utf8)), .integer(1)])
        #expect(RedisSlots(.array([.array([.integer(first), .integer(last), node])]), askedOf: "me") == nil)
    }

    @Test func `a map of more ranges than there are slots is none`() {
        let node = RESPValue.array([.bulk(Array("a".utf8)), .integer(1)])
        let range = RESPValue.array([.integer(0), .integer(16_383), node])
        #expect(RedisSlots(.array(Array(repeating: range, count: 16_385)), askedOf: "me") == nil)
    }
}
