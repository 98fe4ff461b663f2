public import CacheCore

/// Calls of programs as `perf trace` prints them: `0.036 ( 0.008 ms): cat/1234 read(fd: 3</etc/hosts>, buf: 0x7f…, count: 4096) = 512`.
///
/// What is a request, and its key, is as for strace. perf leaves out arguments that are 0, and where it does not print names of files a
/// descriptor is followed from the lines before.
public struct PerfTraceTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "perf-trace", aliases: ["perf"],
        summary: "perf trace's output: files that are opened, read and written; block=4096 for their blocks.",
        citation: "perf-trace(1)", parameters: FileCalls.parameters, fileExtensions: ["perf-trace"])

    /// A program that is ended leaves a line that is cut off.
    public static let isLog = true

    private static let (pendingMax, pendingBytesMax) = (1 << 12, 1 << 14)

    private var calls: FileCalls
    private var pending: [UInt64: [UInt8]] = [:]
    private var lastTime: Int64 = 0
    private var isSummary = false

    /// Takes the parameters.
    ///
    /// - Throws: `AssayError` with code `usage` for opens in blocks.
    public init(_ parameters: ParameterValues) throws(AssayError) {
        calls = try FileCalls(parameters, format: "perf-trace")
    }

    /// Times and durations before calls tell.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        let events = sample.lines.prefix { !isSummary($0) }
        guard !events.isEmpty, events.count(where: { Prefix($0) != nil }) * 10 >= events.count * 9 else { return nil }
        return Recognition(.certain)
    }

    private static let continued = Array("... [continued]: ".utf8)
    private static let interrupted = Array("...".utf8)

    /// Reads one line.
    public mutating func read(
        _ line: UnsafeRawBufferPointer, into requests: inout LineRequests
    ) throws(LineFault) {
        guard !isSummary, let prefix = Prefix(line) else {
            isSummary = isSummary || Self.isSummary(line)
            guard isSummary || line.starts(with: "LOST ".utf8) else {
                throw LineFault(
                    expected: "a time, a duration and a call like '0.036 ( 0.008 ms): cat/1234 close(fd: 3) = 0', "
                        + "as perf trace prints them")
            }
            return requests.passOver(isSummary ? "summary" : "lost events")
        }
        // The first lines may belong to calls that began before the recording, at an unknown time.
        if let time = prefix.nanoseconds { lastTime = time }
        try calls.adopt(prefix.thread, pending: pending)
        if prefix.rest.starts(with: Self.continued) {
            guard let begun = pending.removeValue(forKey: prefix.thread),
                let close = prefix.rest.firstIndex(of: 0x29)
            else { return requests.passOver("ends of calls whose beginnings are not there") }
            // After `[continued]: read()` comes the end of the call.
            let whole = begun + prefix.rest[(close + 1)...].drop { $0 == 0x29 }
            var fault: LineFault?
            whole.withUnsafeBytes { whole in
                do throws(LineFault) {
                    try take(whole, prefix.thread, &requests)
                } catch {
                    fault = error
                }
            }
            if let fault { throw fault }
        } else if prefix.rest.suffix(Self.interrupted.count).elementsEqual(Self.interrupted) {
            guard pending.count < Self.pendingMax, prefix.rest.count < Self.pendingBytesMax else {
                throw LineFault(
                    expected:
                        "at most \(Self.pendingMax) interrupted calls at once, of \(Self.pendingBytesMax) bytes each")
            }
            pending[prefix.thread] = Array(prefix.rest.dropLast(Self.interrupted.count))
        } else {
            try take(prefix.rest, prefix.thread, &requests)
        }
    }

    /// Whether a line begins the summary at the end.
    private static func isSummary(_ line: UnsafeRawBufferPointer) -> Bool {
        line.drop { $0 == 0x20 }.starts(with: "Summary of events:".utf8)
    }

    private mutating func take(
        _ text: UnsafeRawBufferPointer, _ thread: UInt64, _ requests: inout LineRequests
    ) throws(LineFault) {
        guard let call = SystemCall(text) else {
            throw LineFault(text, expected: "a call with its result like 'read(fd: 3, buf: 0x7f, count: 64) = 64'")
        }
        try calls.take(call, of: thread, at: lastTime, into: &requests)
    }

    /// What comes before a call: the time in milliseconds, the duration and the thread.
    private struct Prefix {
        /// Nil if it is not known.
        let nanoseconds: Int64?
        var thread: UInt64 = 0
        var rest: UnsafeRawBufferPointer

        init?(_ line: UnsafeRawBufferPointer) {
            var fields = SpacedFields(line)
            guard let time = fields.next(), let close = line.firstIndex(of: 0x29), close + 1 < line.count,
                line[close + 1] == 0x3a, let open = line[..<close].firstIndex(of: 0x28),
                line[(open + 1)..<close].allSatisfy({
                    $0 == 0x20 || $0 == 0x2e || $0 &- 0x30 <= 9 || $0 == 0x6d || $0 == 0x73
                })
            else { return nil }
            nanoseconds = Fields.fixedPoint(time, decimals: 6)
            guard nanoseconds != nil || time.elementsEqual([0x3f]) else { return nil }
            rest = Self.trimmed(line[(close + 2)...])
            guard SystemCall.openParenthesis(rest) == nil else { return }
            // The name of a program may have slashes and blanks in it; the number of its thread comes last.
            var start = rest.startIndex
            while let slash = rest[start...].firstIndex(of: 0x2f) {
                let digits = rest[(slash + 1)...].prefix { $0 &- 0x30 <= 9 }
                if let number = Fields.integer(UnsafeRawBufferPointer(rebasing: digits)),
                    digits.endIndex < rest.endIndex, rest[digits.endIndex] == 0x20
                {
                    let call = Self.trimmed(rest[digits.endIndex...])
                    if SystemCall.openParenthesis(call) != nil || call.starts(with: PerfTraceTraceFormat.continued) {
                        (thread, rest) = (number, call)
                        return
                    }
                }
                start = slash + 1
            }
        }

        private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> UnsafeRawBufferPointer {
            var text = text.drop { $0 == 0x20 }
            while text.last == 0x20 { text.removeLast() }
            return UnsafeRawBufferPointer(rebasing: text)
        }
    }
}
