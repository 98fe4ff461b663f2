#if Servers
    import NIOCore

    /// Cuts the bytes that a server sends into replies, whatever pieces they come in.
    ///
    /// A parser keeps no more than its limits allow, whatever lengths the other side announces.
    protocol ReplyParser: Sendable {
        /// One whole reply.
        associatedtype Reply: Sendable

        /// The next whole reply, nil if more bytes are needed. Bytes that are understood leave the buffer.
        ///
        /// - Throws: ``ProtocolViolation``, after which nothing more can be read from the connection.
        mutating func next(from buffer: inout ByteBuffer) throws(ProtocolViolation) -> Reply?

        /// Whether the server says this without being asked, so that it answers no request. The default says no.
        static func isUnasked(_ reply: Reply) -> Bool
    }

    extension ReplyParser {
        static func isUnasked(_ reply: Reply) -> Bool { false }
    }

    /// What a server sent that its protocol does not allow, or that is beyond a limit.
    struct ProtocolViolation: Error, Hashable, Sendable, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    extension ByteBuffer {
        /// Takes a line without its CR LF out; nil if its end has not come.
        ///
        /// - Throws: ``ProtocolViolation`` if no end comes within `limit` bytes.
        mutating func readLine(limit: Int) throws(ProtocolViolation) -> ByteBuffer? {
            let found = withUnsafeReadableBytes { bytes in bytes.prefix(limit + 1).firstIndex(of: UInt8(ascii: "\n")) }
            guard let end = found else {
                if readableBytes > limit { throw ProtocolViolation("a line of more than \(limit) bytes") }
                return nil
            }
            guard end > 0, getInteger(at: readerIndex + end - 1, as: UInt8.self) == UInt8(ascii: "\r") else {
                throw ProtocolViolation("a line that does not end in CR LF")
            }
            let line = readSlice(length: end - 1)
            moveReaderIndex(forwardBy: 2)
            return line
        }

        /// Takes `count` bytes and the CR LF behind them out; nil if they have not all come.
        mutating func readBlock(_ count: Int) throws(ProtocolViolation) -> [UInt8]? {
            guard readableBytes >= count + 2 else { return nil }
            guard getInteger(at: readerIndex + count, as: UInt16.self) == 0x0D0A else {
                throw ProtocolViolation("a block of \(count) bytes that does not end in CR LF")
            }
            let bytes = readBytes(length: count)
            moveReaderIndex(forwardBy: 2)
            return bytes
        }

        /// The rest as text; bytes that are no UTF-8 are replaced.
        var text: String { String(decoding: readableBytesView, as: UTF8.self) }
    }
#endif
