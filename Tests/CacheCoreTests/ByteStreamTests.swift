import CacheCore
import Testing

@Suite("ByteStream: every byte once, in order, whatever the buffer")
struct ByteStreamTests {
    @Test(arguments: [0, 1, 15, 16, 17, 1000, 70_000])
    func `reads all bytes in any step`(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for step in [1, 7, 16, 4096] {
            var stream = ByteStream(name: "memory", bytes: bytes)
            var read: [UInt8] = []
            while try stream.fill(atLeast: step) > 0 {
                let take = min(step, stream.buffered.count)
                read.append(contentsOf: stream.buffered.prefix(take))
                stream.consume(take)
                #expect(stream.offset == read.count)
            }
            #expect(read == bytes)
        }
    }

    @Test func `a source that trickles still fills what was asked for`() throws {
        var left = 100
        var stream = ByteStream(name: "trickle", bufferBytes: 16) { (buffer) throws(AssayError) in
            guard left > 0 else { return 0 }
            buffer[0] = UInt8(left)
            left -= 1
            return 1
        }
        #expect(try stream.fill(atLeast: 64) == 64)
        stream.consume(10)
        #expect(stream.buffered.first == 90)
        #expect(try stream.fill(atLeast: 1000) == 90)
    }

    @Test func `an error of the source comes through`() {
        var stream = ByteStream(name: "broken") { (_) throws(AssayError) in throw AssayError(.inputOutput, "gone") }
        #expect(throws: AssayError.self) { try stream.fill(atLeast: 1) }
    }
}
