public import CacheCore

/// Calls of a program as strace prints them, with or without `-f`, `-t`, `-tt`, `-ttt`, `-r`, `-y` and `-o`.
///
/// A request is a call that opened a file, or that read or wrote at least one byte of one; its key is the path. With `block=4096` each
/// block that a read or write touches is a request, with the key `path+block`. Descriptors are followed from the lines that opened them,
/// through `dup` and `fork`; `-y` is surer. A call that another process interrupts in the text counts where it is resumed.
public struct StraceTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "strace",
        summary: "strace's output: files that are opened, read and written; block=4096 for their blocks.",
        citation: "strace(1)", parameters: FileCalls.parameters, fileExtensions: ["strace"])

    /// A program that is ended leaves a line that is cut off.
    public static let isLog = true

    private static let day: Int64 = 86_400_000_000_000
    private static let (pendingMax, pendingBytesMax) = (1 << 12, 1 << 14)

    private var calls: FileCalls
    private var pending: [UInt64: [UInt8]] = [:]
    private var lastTime: Int64 = 0
    private var days: Int64 = 0

    /// Takes the parameters.
    ///
    /// - Throws: `AssayError` with code `usage` for opens in blocks.
    public init(_ parameters: ParameterValues) throws(AssayError) {
        calls = try FileCalls(parameters, format: "strace")
    }

    /// Calls with results, some of them known, tell.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        var knowsOne = false
        let areCalls = sample.areLines { line in
            let text = Prefix(line).rest
            if isMessage(text) || text.starts(with: "<... ".utf8) { return true }
            guard let open = SystemCall.openParenthesis(text) else { return false }
            let name = UnsafeRawBufferPointer(rebasing: text[..<open])
            let isCall = text.hasSuffix(unfinished) || text.suffix(400).containsResult
            if isCall, FileCalls.isKnown(name) || name.elementsEqual("execve".utf8) { knowsOne = true }
            return isCall
        }
        return areCalls && knowsOne ? Recognition(.certain) : nil
    }

    private static let unfinished = Array("<unfinished ...>".utf8)
    private static let resumed = Array(" resumed>".utf8)

    /// Reads one line.
    public mutating func read(
        _ line: UnsafeRawBufferPointer, into requests: inout LineRequests
    ) throws(LineFault) {
        let prefix = Prefix(line)
        let time = time(prefix)
        let text = prefix.rest
        if Self.isMessage(text) {
            if text.starts(with: "+++".utf8) { calls.end(prefix.process) }
            return requests.passOver("signals, ends and messages")
        }
        try calls.adopt(prefix.process, pending: pending)
        if text.hasSuffix(Self.unfinished) {
            guard pending.count < Self.pendingMax, text.count < Self.pendingBytesMax else {
                throw LineFault(
                    expected:
                        "at most \(Self.pendingMax) unfinished calls at once, of \(Self.pendingBytesMax) bytes each")
            }
            pending[prefix.process] = Array(text.dropLast(Self.unfinished.count))
            return
        }
        guard text.starts(with: "<... ".utf8) else {
            return try take(text, prefix.process, time, &requests)
        }
        guard let rest = text.after(Self.resumed) else {
            throw LineFault(expected: "'<... NAME resumed>' and the end of the call")
        }
        guard let begun = pending.removeValue(forKey: prefix.process) else {
            return requests.passOver("ends of calls whose beginnings are not there")
        }
        var fault: LineFault?
        (begun + rest).withUnsafeBytes { whole in
            do throws(LineFault) {
                try take(whole, prefix.process, time, &requests)
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
    }

    private mutating func take(
        _ text: UnsafeRawBufferPointer, _ process: UInt64, _ time: Int64?, _ requests: inout LineRequests
    ) throws(LineFault) {
        guard let call = SystemCall(text) else {
            throw LineFault(
                text, expected: "a call with its result like 'read(3, \"…\", 4096) = 512', as strace prints it")
        }
        try calls.take(call, of: process, at: time, into: &requests)
    }

    /// The time of a line in nanoseconds from any origin; times since the line before are added up.
    private mutating func time(_ prefix: Prefix) -> Int64? {
        guard let time = prefix.time else { return nil }
        switch time {
        case .seconds(let nanoseconds):
            // Dates are beyond 1973; anything less is the time since the line before.
            lastTime = nanoseconds >= 100_000_000_000_000_000 ? nanoseconds : lastTime &+ nanoseconds
        case .clock(let nanoseconds):
            if nanoseconds &+ days * Self.day < lastTime - Self.day / 2 { days += 1 }
            lastTime = nanoseconds &+ days * Self.day
        }
        return lastTime
    }

    /// Whether a text is about the program and no call: an end, a signal, a stack of `-k`.
    private static func isMessage(_ text: UnsafeRawBufferPointer) -> Bool {
        ["+++ ", "--- ", "strace: ", "> "].contains { text.starts(with: $0.utf8) }
    }

    /// What comes before a call: the process, the time and the instruction's address.
    private struct Prefix {
        enum Time {
            case seconds(Int64)
            case clock(Int64)
        }

        var process: UInt64 = 0
        var time: Time?
        var rest: UnsafeRawBufferPointer

        init(_ line: UnsafeRawBufferPointer) {
            rest = line
            skipBlanks()
            if rest.starts(with: "[pid ".utf8), let end = rest.firstIndex(of: 0x5d) {
                var fields = SpacedFields(UnsafeRawBufferPointer(rebasing: rest[5..<end]))
                process = fields.next().flatMap { Fields.integer($0) } ?? 0
                drop(end + 1)
            } else if let (word, number) = word({ Fields.integer($0) }) {
                process = number
                drop(word)
            }
            if let (word, time) = word({ Self.time($0) }) {
                self.time = time
                drop(word)
                // Both times at once: `-r -tt`.
                if rest.starts(with: "(+".utf8), let end = rest.firstIndex(of: 0x29) { drop(end + 1) }
            }
            while rest.first == 0x5b, let end = rest.firstIndex(of: 0x5d), end < 24 { drop(end + 1) }
        }

        private static func time(_ word: UnsafeRawBufferPointer) -> Time? {
            let parts = word.split(separator: 0x3a, omittingEmptySubsequences: false)
            guard parts.count == 3 else {
                guard word.contains(0x2e) else { return nil }
                return Fields.fixedPoint(word, decimals: 9).map { .seconds($0) }
            }
            guard let hour = Fields.integer(UnsafeRawBufferPointer(rebasing: parts[0])), hour < 24,
                let minute = Fields.integer(UnsafeRawBufferPointer(rebasing: parts[1])), minute < 60,
                let second = Fields.fixedPoint(UnsafeRawBufferPointer(rebasing: parts[2]), decimals: 9),
                second < 61_000_000_000
            else { return nil }
            return .clock(Int64(hour * 60 + minute) * 60_000_000_000 + second)
        }

        /// The length of the first word and what it is; nil if it is not that or nothing follows.
        private func word<Value>(_ value: (UnsafeRawBufferPointer) -> Value?) -> (Int, Value)? {
            guard let first = rest.first, first &- 0x30 <= 9, let end = rest.firstIndex(of: 0x20) else { return nil }
            return value(UnsafeRawBufferPointer(rebasing: rest[..<end])).map { (end, $0) }
        }

        private mutating func skipBlanks() { drop(0) }

        private mutating func drop(_ count: Int) {
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count).drop { $0 == 0x20 })
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func hasSuffix(_ bytes: [UInt8]) -> Bool { suffix(bytes.count).elementsEqual(bytes) }

    /// What comes after the first of these bytes; nil if they are not there in the first 64.
    fileprivate func after(_ bytes: [UInt8]) -> Slice<UnsafeRawBufferPointer>? {
        let last = Swift.min(64, count - bytes.count)
        guard last >= 0, let start = (0...last).first(where: { self[$0...].starts(with: bytes) }) else { return nil }
        return self[(start + bytes.count)...]
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Whether there is an equals sign between blanks, after a parenthesis and more blanks.
    fileprivate var containsResult: Bool {
        var before: UInt8 = 0
        for index in indices where self[index] != 0x20 {
            if self[index] == 0x3d, before == 0x29, index > startIndex, self[index - 1] == 0x20 { return true }
            before = self[index]
        }
        return false
    }
}
