public import CacheCore

/// A trace format of which each line says itself what it asks for.
///
/// ### Purpose
/// The format reads one line; the loop, the places of errors, malformed lines that are skipped, and lines that are passed over
/// and counted are the same for all.
///
/// ### Implementers' notes
/// What a line tells the ones after it, such as the names of columns, lives in the format, which is a value of its own for
/// each file. A line that is well formed and no request is passed over with its reason.
public protocol LineTraceFormat: TraceFormat {
    /// Reads a line that is not empty, without its end, and appends its requests.
    ///
    /// - Throws: `LineFault` for a malformed line; what was appended of it is dropped.
    mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault)

    /// Appends what the last lines have left to append, once all are read; nothing unless a format says otherwise.
    ///
    /// - Throws: `LineFault` for lines that are no trace of this format when taken together.
    mutating func finish(_ requests: inout LineRequests) throws(LineFault)

    /// Whether the file may be copied while it is written, so that a malformed last line without a line feed is passed over.
    static var isLog: Bool { get }
}

extension LineTraceFormat {
    /// Appends nothing.
    public mutating func finish(_ requests: inout LineRequests) {}

    /// A file is whole.
    public static var isLog: Bool { false }
}

extension TraceSample {
    /// Whether nearly all lines are as `isOne` says, but for a last one that a copy has cut off.
    func areLogLines(_ isOne: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        guard isWhole, lines.count > 1, bytes.last != 0x0a else { return areLines(isOne) }
        return lines.dropLast().count(where: isOne) * 10 >= (lines.count - 1) * 9
    }
}

/// What is wrong with a line.
public struct LineFault: Error {
    /// The part of the line that is wrong, to be shown; nil for the line.
    let found: String?
    /// What was expected there.
    let expected: String

    /// A line is not as `expected`, which ends a sentence without its full stop: "a whole number of bytes".
    public init(expected: String) {
        found = nil
        self.expected = expected
    }

    /// A field of a line is not as `expected`.
    public init(_ field: UnsafeRawBufferPointer, expected: String) {
        found = Fields.shown(field)
        self.expected = expected
    }
}

extension LineTraceFormat {
    /// Reads every line.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        var format: any LineTraceFormat = self
        try readLines(&input, as: &format, into: &sink)
    }
}

/// The loop of all formats of lines, compiled once a sink: a line takes longer to read than a call does.
@inline(never)
private func readLines<Sink: TraceSink & ~Copyable>(
    _ input: inout ByteStream, as format: inout any LineTraceFormat, into sink: inout Sink
) throws(AssayError) {
    let isLog = type(of: format).isLog
    var lines = LineReader()
    var requests = LineRequests()
    while let whole = try lines.next(&input) {
        let line = Fields.withoutCarriageReturn(whole)
        guard line.count > 0 else { continue }
        do throws(LineFault) {
            try format.read(line, into: &requests)
        } catch {
            requests.clear()
            if isLog, lines.number > 1, lines.isCutOff {
                requests.passOver("the last, which is cut off")
            } else {
                let found = error.found ?? Fields.shown(line)
                try sink.refuse(
                    AssayError(.badInput, "Found \(found); expected \(error.expected).", at: lines.location(input)))
            }
        }
        try requests.send(to: &sink)
    }
    do throws(LineFault) {
        try format.finish(&requests)
    } catch {
        throw AssayError(
            .badInput, "Found \(error.found ?? "the end"); expected \(error.expected).", at: lines.location(input))
    }
    try requests.send(to: &sink)
    requests.tell(&sink)
}
