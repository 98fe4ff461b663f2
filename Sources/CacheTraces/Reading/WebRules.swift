internal import CacheCore

/// What a web server's answer says of a request to a cache: which lines count, what they do, and how large the object is.
///
/// The reasons are in `docs/decisions/0056-what-a-request-of-a-web-log-is.md`.
struct WebRules: Sendable {
    static let parameters = [
        ParameterSpecification(
            "statuses", .text(default: "all"),
            "Which statuses count, joined by '+', as 200+206+304 or 2xx+304; 'all' counts every line."),
        ParameterSpecification(
            "writes", .choice(default: "remove", ["remove", "write", "skip"]),
            "What POST, PUT and PATCH do to the object: remove it (RFC 9111), write it, or nothing."),
    ]

    private let statuses: [Bool]
    private let write: TraceOperation?
    private var sizes = KnownSizes()

    init(_ parameters: ParameterValues, format: String) throws(AssayError) {
        statuses = try Self.statuses(parameters.text("statuses"), format)
        write = ["remove": .remove, "write": .write][parameters.text("writes")]
    }

    /// An answer to a request.
    struct Answer {
        /// The method, as `GET`.
        var method: UnsafeRawBufferPointer
        /// The status from 0 to 999; nil if the log does not say.
        var status: Int?
        /// The bytes sent; nil if the log does not say.
        var bytes: UInt64?
        /// Whether fewer bytes were sent than the answer has.
        var isCutShort = false
    }

    /// What a request for an object does and how large the object is; nil for a line that is passed over, which is counted.
    mutating func attributes(
        _ answer: Answer, key: UnsafeRawBufferPointer, _ requests: inout LineRequests
    ) -> RequestAttributes? {
        if let status = answer.status, !statuses[status] {
            requests.passOver("status \(Self.text(status))")
            return nil
        }
        let method = Method(answer.method)
        guard let operation = method.operation(write) else {
            requests.passOver("method \(Self.shown(answer.method))")
            return nil
        }
        // A write that failed changes nothing.
        if operation != .read, let status = answer.status, status >= 400 {
            requests.passOver("\(Self.shown(answer.method)) with an error")
            return nil
        }
        var attributes = RequestAttributes(operation: operation)
        if let bytes = answer.bytes {
            attributes.sizeBytes = objectSize(answer, bytes, method, operation, key, &requests)
        }
        return attributes
    }

    /// The object's size: what was sent where that was the whole object, or else the last size told of it.
    private mutating func objectSize(
        _ answer: Answer, _ bytes: UInt64, _ method: Method, _ operation: TraceOperation,
        _ key: UnsafeRawBufferPointer, _ requests: inout LineRequests
    ) -> UInt64 {
        let status = answer.status ?? 200
        let isWhole = (200..<400).contains(status) && status != 206 && status != 304
        if isWhole, method == .get, !answer.isCutShort {
            sizes[key] = bytes
            return bytes
        }
        let known = sizes[key]
        if operation == .remove { return known ?? 0 }
        let reason =
            method != .get ? Self.shown(answer.method) : isWhole ? "cut short" : "status \(Self.text(status))"
        let isPart = method == .get && (status == 206 || isWhole)
        let isBodyless = method != .get || status == 304
        let rule =
            known != nil
            ? "take the size that an earlier line told of it"
            : "count as \(isBodyless ? "0 bytes" : "what was sent") where no earlier line told its size"
        requests.remark("Lines that do not send a whole object \(rule)", reason)
        if isPart {
            // The object is at least as large as its largest part.
            sizes[key] = max(known ?? 0, bytes)
            return max(known ?? 0, bytes)
        }
        return known ?? (isBodyless ? 0 : bytes)
    }

    private enum Method {
        case get, head, write, remove, other

        init(_ name: UnsafeRawBufferPointer) {
            self =
                switch name.count > 8 ? 0 : name.reduce(UInt64(0), { $0 << 8 | UInt64($1) }) {
                case Self.word("GET"): .get
                case Self.word("HEAD"): .head
                case Self.word("POST"), Self.word("PUT"), Self.word("PATCH"): .write
                case Self.word("DELETE"), Self.word("PURGE"): .remove
                default: .other
                }
        }

        func operation(_ write: TraceOperation?) -> TraceOperation? {
            switch self {
            case .get, .head: .read
            case .write: write
            case .remove: .remove
            case .other: nil
            }
        }

        @inline(__always)
        private static func word(_ text: StaticString) -> UInt64 {
            var word: UInt64 = 0
            for index in 0..<text.utf8CodeUnitCount { word = word << 8 | UInt64(text.utf8Start[index]) }
            return word
        }
    }

    /// A method for people, at most 16 letters.
    private static func shown(_ method: UnsafeRawBufferPointer) -> String {
        let isWord = method.allSatisfy { (0x61...0x7a).contains($0 | 0x20) || $0 == 0x2d || $0 == 0x5f }
        return isWord && !method.isEmpty ? String(decoding: method.prefix(16), as: UTF8.self) : "none"
    }

    private static func text(_ status: Int) -> String { String("\(1000 + status)".dropFirst()) }

    private static func statuses(_ text: String, _ format: String) throws(AssayError) -> [Bool] {
        var counts = [Bool](repeating: text == "all", count: 1000)
        guard text != "all" else { return counts }
        for word in text.split(separator: "+", omittingEmptySubsequences: false) {
            if word.count == 3, let status = Int(word), status >= 0 {
                counts[status] = true
            } else if word.count == 3, word.hasSuffix("xx"), let hundreds = word.first?.wholeNumberValue {
                for status in hundreds * 100..<hundreds * 100 + 100 { counts[status] = true }
            } else {
                throw AssayError(
                    .usage,
                    "\(format): '\(word)' is no status. Write statuses=2xx+304, statuses=200+206 or statuses=all.")
            }
        }
        return counts
    }
}
