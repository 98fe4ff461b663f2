public import CacheCore

/// Fastly's logs: lines of syslog (`<134>2026-11-25T22:37:41Z cache-ams21 name[62]: …`) whose message is in the common log format,
/// with what follows it, or the JSON object of Fastly's default. Lines without the front are read too.
///
/// Of the JSON object the members `url`, `host`, `client_ip`, `request_method`, `response_status`, `response_body_size` and
/// `timestamp` are read.
public struct FastlyTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "fastly",
        summary: "Fastly's logs: syslog lines (<134>…) around the common log format or the default JSON object.",
        citation: "Fastly, custom log formats", parameters: WebLog.parameters)

    private var log: WebLog
    private var reader = JSONLineReader([
        "url", "host", "client_ip", "request_method", "response_status", "response_body_size", "timestamp",
    ])

    /// Takes what a request is.
    ///
    /// - Throws: `AssayError` with code `usage` for statuses that are none.
    public init(_ parameters: ParameterValues) throws(AssayError) { log = try WebLog(parameters, format: "fastly") }

    /// Fastly closes its files when they are due, and a copy may be cut off.
    public static var isLog: Bool { true }

    /// Recognises the front of syslog before an access log's line or a JSON object.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        let isOne = sample.areLogLines { line in
            guard line.first == 0x3c, let message = message(line) else { return false }
            return message.first == 0x7b || (try? CombinedLine(message)) != nil
        }
        return isOne ? Recognition(.certain) : nil
    }

    /// Reads a line.
    public mutating func read(
        _ line: UnsafeRawBufferPointer, into requests: inout LineRequests
    ) throws(LineFault) {
        guard let message = Self.message(line), !message.isEmpty else {
            throw LineFault(
                expected: "a line of syslog, as <134>2026-11-25T22:37:41Z cache-ams21 name[62]: and the message")
        }
        guard message[0] == 0x7b else { return try log.append(CombinedLine(message), to: &requests) }
        try reader.read(message)
        func text(_ index: Int) -> UnsafeRawBufferPointer? {
            reader.value(index, in: message).flatMap { $0.text.count > 0 ? $0.text : nil }
        }
        guard let url = reader.value(0, in: message), url.text.count > 0, let method = text(3) else {
            return requests.passOver("no url or request_method")
        }
        guard let status = text(4).flatMap(Fields.integer), status < 1000, let bytes = text(5).flatMap(Fields.integer),
            bytes <= UInt64(Int.max), let time = text(6).flatMap(LogTime.iso8601)
        else {
            throw LineFault(
                expected:
                    "the members response_status, response_body_size and timestamp: whole numbers, and 2026-11-25T22:37:41Z"
            )
        }
        let answer = WebRules.Answer(method: method, status: Int(status), bytes: bytes)
        let (host, client) = (text(1), text(2))
        try url.withText(Array.init).lend { (url) throws(LineFault) in
            try log.append(
                WebLog.Request(answer: answer, url: url, timeNanoseconds: time, host: host, client: client),
                to: &requests)
        }
    }

    /// What stands behind the front of syslog, in its older form or the newer one; the line itself if it has none.
    private static func message(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard line.first == 0x3c else { return line }
        guard let close = line.prefix(6).firstIndex(of: 0x3e) else { return nil }
        var rest = SpacedFields(UnsafeRawBufferPointer(rebasing: line[(close + 1)...]))
        guard let first = rest.next() else { return nil }
        if first.elementsEqual([0x31]) {
            // Version 1: time, host, program, process, message's kind, and structured data, which is '-' or in brackets.
            for _ in 0..<5 where rest.next() == nil { return nil }
            let left = rest.remainder
            guard left.first == 0x5b else {
                return left.first == 0x2d ? UnsafeRawBufferPointer(rebasing: left.dropFirst().drop { $0 == 0x20 }) : nil
            }
            return structured(left)
        }
        // The older form ends its front with a colon, within the next few words.
        for _ in 0..<6 {
            guard let word = rest.next() else { return nil }
            if word.last == 0x3a { return rest.remainder }
        }
        return nil
    }

    /// What stands behind structured data, in which quoted values may hold brackets.
    private static func structured(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var index = 1
        while index < text.count, text[index] != 0x5d {
            if text[index] == 0x22 {
                guard let end = EscapedText.end(in: text, from: index + 1) else { return nil }
                index = end
            }
            index += 1
        }
        guard index < text.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: text[(index + 1)...].drop { $0 == 0x20 })
    }
}
