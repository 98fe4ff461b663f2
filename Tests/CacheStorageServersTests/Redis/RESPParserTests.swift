import CacheCore
import NIOCore
import Testing

@testable import CacheStorageServers

/// The protocol of Redis: every type, in any pieces, and what a hostile server might send.
@Suite("RESP parser")
struct RESPParserTests {
    /// Feeds pieces and returns the replies that came out.
    private func replies(
        _ pieces: [ArraySlice<UInt8>], limits: RESPParser.Limits = .init()
    ) throws(ProtocolViolation) -> [RESPValue] {
        var parser = RESPParser(limits: limits)
        var buffer = ByteBuffer()
        var replies: [RESPValue] = []
        for piece in pieces {
            buffer.writeBytes(piece)
            while let reply = try parser.next(from: &buffer) { replies.append(reply) }
            buffer.discardReadBytes()
        }
        return replies
    }

    private func reply(_ text: String) throws(ProtocolViolation) -> [RESPValue] { try replies([Array(text.utf8)[...]]) }

    @Test(arguments: 0..<200)
    func `a reply cut at every place comes out whole`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let values = (0..<3).map { _ in RESPText.random(&random, depth: 3) }
        let bytes = values.flatMap(RESPText.encode)
        for cut in 0...bytes.count {
            #expect(try replies([bytes[..<cut], bytes[cut...]]) == values)
        }
        #expect(try replies(bytes.indices.map { bytes[$0...$0] }) == values)
        // The last byte completes the last reply, so that nothing is answered too early.
        #expect(try replies([bytes.dropLast()]) == values.dropLast())
    }

    @Test(arguments: [
        ("$-1\r\n", RESPValue.null), ("*-1\r\n", .null), ("_\r\n", .null), (",inf\r\n", .double(.infinity)),
        ("!5\r\nERR x\r\n", .error("ERR x")), ("=8\r\ntxt:a\r\nb\r\n", .verbatim(format: "txt", Array("a\r\nb".utf8))),
        ("$?\r\n;2\r\nab\r\n;3\r\n\r\nc\r\n;0\r\n", .bulk(Array("ab\r\nc".utf8))),
        ("*?\r\n:1\r\n*?\r\n.\r\n+x\r\n.\r\n", .array([.integer(1), .array([]), .simple("x")])),
        ("%?\r\n+a\r\n:1\r\n.\r\n", .map([.simple("a"), .integer(1)])),
        ("|1\r\n+ttl\r\n:3\r\n:7\r\n", .integer(7)), ("|0\r\n:7\r\n", .integer(7)),
        ("*2\r\n|1\r\n+k\r\n*1\r\n:9\r\n:1\r\n:2\r\n", .array([.integer(1), .integer(2)])),
        ("(3492890328409238509324850943850943825024385\r\n", .bigNumber("3492890328409238509324850943850943825024385")),
    ])
    func `forms with a meaning of their own`(text: String, value: RESPValue) throws {
        #expect(try reply(text) == [value])
        #expect(try replies(Array(text.utf8).map { [$0][...] }) == [value])
    }

    @Test(arguments: [
        "?\r\n", "\r\n", ":x\r\n", ":1\n", "$-2\r\n", "$x\r\n", "$3\r\nabcd\r\n", "*-2\r\n", "#x\r\n", "_x\r\n",
        ",x\r\n",
        "(x\r\n", "(\r\n", "=2\r\nab\r\n", ".\r\n", "*1\r\n.\r\n", "%?\r\n+a\r\n.\r\n", ";1\r\na\r\n", "$?\r\n:1\r\n",
        ":99999999999999999999\r\n", "$99999999999999999999\r\n",
    ])
    func `what is no reply is refused`(text: String) {
        #expect(throws: ProtocolViolation.self) { try reply(text) }
    }

    @Test(arguments: [
        "$1025\r\n", "*17\r\n", "%17\r\n", "+" + String(repeating: "x", count: 200),
        String(repeating: "*1\r\n", count: 6),
        String(repeating: ":1\r\n", count: 1) + "*16\r\n"
            + String(
                repeating: "*16\r\n", count: 2),
        "*3\r\n$900\r\n" + String(repeating: "x", count: 900) + "\r\n$900\r\n",
        "$?\r\n" + String(repeating: ";600\r\n" + String(repeating: "x", count: 600) + "\r\n", count: 2),
    ])
    func `announcements beyond the limits end the connection at once`(text: String) {
        let limits = RESPParser.Limits(
            stringBytesMax: 1_024, lineBytesMax: 100, depthMax: 4, elementsMax: 16, replyBytesMax: 1_500)
        let isNested = text.hasPrefix(":1")
        if isNested {
            // Two collections of 16 within the elements' limit are still open: nothing was reserved, nothing answered.
            #expect(throws: Never.self) { try replies([Array(text.utf8)[...]], limits: limits) }
            let full = text + String(repeating: ":1\r\n", count: 40)
            #expect(throws: ProtocolViolation.self) { try replies([Array(full.utf8)[...]], limits: limits) }
        } else {
            #expect(throws: ProtocolViolation.self) { try replies([Array(text.utf8)[...]], limits: limits) }
        }
    }

    @Test(arguments: 0..<300)
    func `random bytes never trap`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let letters = Array("*$%~>|=!;:,(#_+-.?019\r\n\r\n\r\ntx".utf8)
        let bytes = (0..<400).map { _ in letters[random.next(below: letters.count)] }
        _ = try? replies([bytes[...]], limits: .init(stringBytesMax: 64, depthMax: 4, elementsMax: 64))
        // A true reply with one byte altered.
        var altered = RESPText.encode(RESPText.random(&random, depth: 3))
        altered[random.next(below: altered.count)] = letters[random.next(below: letters.count)]
        _ = try? replies([altered[...]])
    }
}
