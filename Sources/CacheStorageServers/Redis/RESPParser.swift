#if Servers
    import NIOCore

    /// Reads RESP3 and RESP2, all types, streamed strings and collections included (Redis serialization protocol 3, 2018).
    ///
    /// A stack of open collections takes the place of recursion, so a reply that comes in many pieces is read once. Nothing is
    /// reserved for lengths that are only announced.
    struct RESPParser: ReplyParser {
        /// What is beyond these ends the connection.
        struct Limits: Sendable {
            /// The longest string, in bytes.
            var stringBytesMax = 512 << 20
            /// The longest line, in bytes.
            var lineBytesMax = 64 << 10
            /// How deep collections may lie in each other.
            var depthMax = 16
            /// The most elements and strings in one reply.
            var elementsMax = 1 << 20
            /// The most bytes in one reply's strings.
            var replyBytesMax = 1 << 30
        }

        private enum Kind {
            case array, set, map, push, attribute
        }

        /// A collection some of whose elements are still to come.
        private struct Open {
            var kind: Kind
            /// How many elements are to come; nil where an end mark tells.
            var remaining: Int?
            var elements: [RESPValue] = []
        }

        private enum StringKind {
            case bulk, error, verbatim, chunk
        }

        private let limits: Limits
        private var open: [Open] = []
        /// A string whose length is known and whose bytes are to come.
        private var awaited: (kind: StringKind, count: Int)?
        /// The chunks of a streamed string.
        private var chunks: [UInt8]?
        private var elementCount = 0
        private var byteCount = 0

        /// A parser at the start of a reply.
        init(limits: Limits = Limits()) { self.limits = limits }

        static func isUnasked(_ reply: RESPValue) -> Bool {
            if case .push = reply { true } else { false }
        }

        mutating func next(from buffer: inout ByteBuffer) throws(ProtocolViolation) -> RESPValue? {
            while true {
                guard let step = try nextStep(&buffer) else { return nil }
                guard case .value(let value) = step else { continue }
                guard let whole = close(value) else { continue }
                elementCount = 0
                byteCount = 0
                return whole
            }
        }

        private enum Step {
            /// A value ended.
            case value(RESPValue)
            /// Something was understood that ends no value.
            case progress
        }

        private mutating func nextStep(_ buffer: inout ByteBuffer) throws(ProtocolViolation) -> Step? {
            if let (kind, count) = awaited {
                guard let bytes = try buffer.readBlock(count) else { return nil }
                awaited = nil
                return try string(kind, bytes)
            }
            guard var line = try buffer.readLine(limit: limits.lineBytesMax) else { return nil }
            guard let mark = line.readInteger(as: UInt8.self) else { throw ProtocolViolation("an empty line") }
            elementCount += 1
            guard elementCount <= limits.elementsMax else {
                throw ProtocolViolation("a reply of more than \(limits.elementsMax) elements")
            }
            let isChunk = mark == UInt8(ascii: ";")
            guard isChunk == (chunks != nil) else {
                throw ProtocolViolation("a chunk out of place, or none in its place")
            }
            return try begin(mark, line.text)
        }

        /// Takes a line's mark and text in.
        private mutating func begin(_ mark: UInt8, _ text: String) throws(ProtocolViolation) -> Step {
            switch mark {
            case UInt8(ascii: "+"): return .value(.simple(text))
            case UInt8(ascii: "-"): return .value(.error(text))
            case UInt8(ascii: ":"): return .value(.integer(try Self.integer(text)))
            case UInt8(ascii: ","): return .value(.double(try Self.double(text)))
            case UInt8(ascii: "("): return .value(.bigNumber(try Self.bigNumber(text)))
            case UInt8(ascii: "#"):
                guard text == "t" || text == "f" else { throw ProtocolViolation("the truth value '\(text)'") }
                return .value(.boolean(text == "t"))
            case UInt8(ascii: "_"):
                guard text.isEmpty else { throw ProtocolViolation("a null with '\(text)' in it") }
                return .value(.null)
            case UInt8(ascii: "$"): return try beginString(.bulk, text)
            case UInt8(ascii: "!"): return try beginString(.error, text)
            case UInt8(ascii: "="): return try beginString(.verbatim, text)
            case UInt8(ascii: ";"): return try beginString(.chunk, text)
            case UInt8(ascii: "*"): return try beginCollection(.array, text)
            case UInt8(ascii: "~"): return try beginCollection(.set, text)
            case UInt8(ascii: "%"): return try beginCollection(.map, text)
            case UInt8(ascii: ">"): return try beginCollection(.push, text)
            case UInt8(ascii: "|"): return try beginCollection(.attribute, text)
            case UInt8(ascii: "."): return try endStreamed(text)
            default: throw ProtocolViolation("a reply that begins with byte \(mark)")
            }
        }

        private mutating func beginString(_ kind: StringKind, _ text: String) throws(ProtocolViolation) -> Step {
            if text == "?", kind == .bulk {
                chunks = []
                return .progress
            }
            if text == "-1", kind == .bulk { return .value(.null) }
            let count = try Self.length(text, limit: limits.stringBytesMax)
            byteCount += count
            guard byteCount <= limits.replyBytesMax, (chunks?.count ?? 0) + count <= limits.stringBytesMax else {
                throw ProtocolViolation("a reply of more than \(limits.replyBytesMax) bytes")
            }
            if kind == .chunk, count == 0 {
                // The end of a streamed string is a length with nothing behind it.
                defer { chunks = nil }
                return .value(.bulk(chunks ?? []))
            }
            awaited = (kind, count)
            return .progress
        }

        private mutating func string(_ kind: StringKind, _ bytes: [UInt8]) throws(ProtocolViolation) -> Step {
            switch kind {
            case .bulk: return .value(.bulk(bytes))
            case .error: return .value(.error(String(decoding: bytes, as: UTF8.self)))
            case .verbatim:
                guard bytes.count >= 4, bytes[3] == UInt8(ascii: ":") else {
                    throw ProtocolViolation("a verbatim string without its format")
                }
                return .value(.verbatim(format: String(decoding: bytes[..<3], as: UTF8.self), Array(bytes[4...])))
            case .chunk:
                chunks?.append(contentsOf: bytes)
                return .progress
            }
        }

        private mutating func beginCollection(_ kind: Kind, _ text: String) throws(ProtocolViolation) -> Step {
            if text == "-1", kind == .array { return .value(.null) }
            guard open.count < limits.depthMax else {
                throw ProtocolViolation("collections more than \(limits.depthMax) deep")
            }
            let perItem = kind == .map || kind == .attribute ? 2 : 1
            var remaining: Int?
            if text != "?" { remaining = try Self.length(text, limit: limits.elementsMax) * perItem }
            if remaining == 0, kind != .attribute { return .value(Self.collection(kind, [])) }
            if remaining != 0 { open.append(Open(kind: kind, remaining: remaining)) }
            return .progress
        }

        private mutating func endStreamed(_ text: String) throws(ProtocolViolation) -> Step {
            guard text.isEmpty, let last = open.last, last.remaining == nil else {
                throw ProtocolViolation("the end of a streamed collection where none is open")
            }
            let isPaired = last.kind == .map || last.kind == .attribute
            guard !isPaired || last.elements.count % 2 == 0 else { throw ProtocolViolation("a key without a value") }
            open.removeLast()
            return last.kind == .attribute ? .progress : .value(Self.collection(last.kind, last.elements))
        }

        /// Puts a value where it belongs; returns the reply if that was its last.
        private mutating func close(_ value: RESPValue) -> RESPValue? {
            var value = value
            while let top = open.indices.last {
                open[top].elements.append(value)
                guard let remaining = open[top].remaining else { return nil }
                open[top].remaining = remaining - 1
                guard remaining == 1 else { return nil }
                let whole = open.removeLast()
                if whole.kind == .attribute { return nil }
                value = Self.collection(whole.kind, whole.elements)
            }
            return value
        }

        private static func collection(_ kind: Kind, _ elements: [RESPValue]) -> RESPValue {
            switch kind {
            case .array, .attribute: .array(elements)
            case .set: .set(elements)
            case .map: .map(elements)
            case .push: .push(elements)
            }
        }

        private static func integer(_ text: String) throws(ProtocolViolation) -> Int64 {
            guard let number = Int64(text) else { throw ProtocolViolation("the whole number '\(text)'") }
            return number
        }

        private static func double(_ text: String) throws(ProtocolViolation) -> Double {
            guard !text.hasPrefix("0x"), let number = Double(text) else {
                throw ProtocolViolation("the number '\(text)'")
            }
            return number
        }

        private static func bigNumber(_ text: String) throws(ProtocolViolation) -> String {
            let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw ProtocolViolation("the big number '\(text)'")
            }
            return text
        }

        private static func length(_ text: String, limit: Int) throws(ProtocolViolation) -> Int {
            guard let length = Int(text), length >= 0 else { throw ProtocolViolation("the length '\(text)'") }
            guard length <= limit else { throw ProtocolViolation("a length of \(length), above the limit of \(limit)") }
            return length
        }
    }
#endif
