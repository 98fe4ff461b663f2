#if Servers
    import NIOCore

    /// A reply of memcached's meta protocol, or to `stats`.
    enum MetaReply: Sendable, Equatable {
        /// A code of two letters without a value, and the flags behind it.
        case status(String, flags: [String])
        /// A value and the flags before it.
        case value([UInt8], flags: [String])
        /// Names and values of `stats`.
        case statistics([String: String])
        /// A line that begins with ERROR, CLIENT_ERROR or SERVER_ERROR.
        case error(String)
    }

    /// Reads replies of memcached's meta protocol and the table that `stats` prints (memcached's doc/protocol.txt).
    struct MetaParser: ReplyParser {
        /// The longest line, in bytes: keys have 250 at most, and flags are few.
        static let lineBytesMax = 4_096
        /// The most rows of a table.
        static let rowsMax = 4_096

        private let valueBytesMax: Int
        private var awaited: (count: Int, flags: [String])?
        private var rows: [String: String]?

        /// A parser at the start of a reply that accepts values of so many bytes.
        init(valueBytesMax: Int) { self.valueBytesMax = valueBytesMax }

        mutating func next(from buffer: inout ByteBuffer) throws(ProtocolViolation) -> MetaReply? {
            while true {
                if let (count, flags) = awaited {
                    guard let bytes = try buffer.readBlock(count) else { return nil }
                    awaited = nil
                    return .value(bytes, flags: flags)
                }
                guard let line = try buffer.readLine(limit: Self.lineBytesMax)?.text else { return nil }
                if let reply = try take(line) { return reply }
            }
        }

        /// Takes a line in; returns the reply if the line ends it.
        private mutating func take(_ line: String) throws(ProtocolViolation) -> MetaReply? {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "STAT": try takeRow(line)
            case "END":
                defer { rows = nil }
                return .statistics(rows ?? [:])
            case _ where rows != nil: throw ProtocolViolation("the line '\(line)' within a table")
            case "VA":
                guard words.count >= 2, let count = Int(words[1]), count >= 0 else {
                    throw ProtocolViolation("a value without its length")
                }
                guard count <= valueBytesMax else {
                    throw ProtocolViolation("a value of \(count) bytes, above the limit of \(valueBytesMax)")
                }
                awaited = (count, Array(words[2...]))
            case "HD", "EN", "NF", "NS", "EX", "MN": return .status(words[0], flags: Array(words[1...]))
            case "ERROR", "CLIENT_ERROR", "SERVER_ERROR": return .error(line)
            default: throw ProtocolViolation("the line '\(line.prefix(80))'")
            }
            return nil
        }

        private mutating func takeRow(_ line: String) throws(ProtocolViolation) {
            let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count >= 2 else { throw ProtocolViolation("a row of a table without a name") }
            var table = rows ?? [:]
            rows = [:]
            table[String(parts[1])] = parts.count == 3 ? String(parts[2]) : ""
            rows = table
            guard table.count <= Self.rowsMax else {
                throw ProtocolViolation("a table of more than \(Self.rowsMax) rows")
            }
        }
    }
#endif
