import CacheCore
import NIOCore
import Testing

@testable import CacheStorageServers

/// The protocol of memcached, in any pieces, and what a hostile server might send.
@Suite("Meta parser")
struct MetaParserTests {
    private func replies(_ pieces: [ArraySlice<UInt8>]) throws(ProtocolViolation) -> [MetaReply] {
        var parser = MetaParser(valueBytesMax: 1_000)
        var buffer = ByteBuffer()
        var replies: [MetaReply] = []
        for piece in pieces {
            buffer.writeBytes(piece)
            while let reply = try parser.next(from: &buffer) { replies.append(reply) }
            buffer.discardReadBytes()
        }
        return replies
    }

    private func text(_ reply: MetaReply) -> [UInt8] {
        switch reply {
        case .status(let code, let flags): Array(([code] + flags).joined(separator: " ").utf8) + [13, 10]
        case .value(let bytes, let flags):
            Array((["VA", "\(bytes.count)"] + flags).joined(separator: " ").utf8) + [13, 10] + bytes + [13, 10]
        case .error(let line): Array(line.utf8) + [13, 10]
        case .statistics(let table): Array(table.map { "STAT \($0) \($1)\r\n" }.joined().utf8) + Array("END\r\n".utf8)
        }
    }

    private func random(_ random: inout SeededGenerator) -> MetaReply {
        let flags = (0..<random.next(below: 3)).map { "f\($0)" }
        switch random.next(below: 4) {
        case 0: return .status(["HD", "EN", "NF", "NS", "EX", "MN"][random.next(below: 6)], flags: flags)
        case 1:
            let letters = Array("\r\nEND VA 1\0".utf8)
            return .value((0..<random.next(below: 20)).map { _ in letters[random.next(below: 11)] }, flags: flags)
        case 2: return .error(["ERROR", "CLIENT_ERROR bad", "SERVER_ERROR out of memory"][random.next(below: 3)])
        default: return .statistics(["a": "1", "b c": "", "d": "x y"].filter { !$0.key.contains(" ") })
        }
    }

    @Test(arguments: 0..<200)
    func `a reply cut at every place comes out whole`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let values = (0..<4).map { _ in random(&generator) }
        let bytes = values.flatMap(text)
        for cut in 0...bytes.count { #expect(try replies([bytes[..<cut], bytes[cut...]]) == values) }
        #expect(try replies(bytes.indices.map { bytes[$0...$0] }) == values)
        #expect(try replies([bytes.dropLast()]) == values.dropLast())
    }

    @Test(arguments: [
        "XX\r\n", "VA\r\n", "VA x\r\n", "VA -1\r\n", "VA 1001\r\n", "VA 99999999999999999999\r\n", "VA 1\r\nab\r\n",
        "\r\n", "HD\n", "STAT a 1\r\nHD\r\n", "STAT\r\n", String(repeating: "x", count: 5_000),
        (0..<5_000).map { "STAT \($0) 1\r\n" }.joined(),
    ])
    func `what is no reply, or beyond the limits, is refused`(text: String) {
        #expect(throws: ProtocolViolation.self) { try replies([Array(text.utf8)[...]]) }
    }

    @Test(arguments: 0..<300)
    func `random bytes never trap`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let words = ["VA ", "HD", "STAT ", "END", "1", "0", " ", "\r\n", "\r\n", "x", "\n", "ERROR"]
        let text = (0..<60).map { _ in words[random.next(below: words.count)] }.joined()
        _ = try? replies([Array(text.utf8)[...]])
    }
}
