internal import CacheCore

/// Which calls of a program are requests, and what they ask for.
///
/// A request is a call that opened a file, or that read or wrote at least one byte of one; its key is the path. With `block=4096` reads and
/// writes are a request for each block that they touch, and opening asks for none. The files behind descriptors are those that the tool
/// prints beside them, or else those that earlier lines opened; what has neither, and pipes, sockets and terminals, is passed over.
struct FileCalls {
    static let parameters: [ParameterSpecification] = [
        BlockSize.parameter(otherwise: "each call one request for its path"),
        ParameterSpecification(
            "calls", .choice(default: "all", ["all", "opens", "data"]),
            "Which calls are requests: opens, those that read or write data, or all."),
    ]

    /// The longest path that systems take, in bytes.
    private static let longestPath = 4096

    private let blockBytes: UInt64
    private let hasOpens: Bool
    private let hasData: Bool
    /// What to do about descriptors whose files are unknown.
    private let hint: String
    private var processes = OpenFiles()

    /// Takes the parameters.
    ///
    /// - Throws: `AssayError` with code `usage` for opens in blocks.
    init(_ parameters: ParameterValues, format: String) throws(AssayError) {
        blockBytes = BlockSize.bytes(parameters)
        let calls = parameters.text("calls")
        guard blockBytes == 0 || calls != "opens" else {
            throw AssayError(.usage, "\(format): block and calls=opens do not go together, as opening reads no block.")
        }
        hasOpens = calls != "data" && blockBytes == 0
        hasData = calls != "opens"
        hint = format == "strace" ? "; strace -y prints them" : ""
    }

    /// Whether a call is one of those that are followed or requests.
    static func isKnown(_ name: UnsafeRawBufferPointer) -> Bool {
        kinds[String(decoding: name, as: UTF8.self)] != nil
    }

    private enum Kind {
        /// The places of the directory, if there is one, and of the path.
        case open(directory: Int?, path: Int)
        /// The place of the offset, if there is one.
        case data(TraceOperation, offset: Int?)
        case close, duplicate, control, seek, fork
    }

    private static let kinds: [String: Kind] = [
        "open": .open(directory: nil, path: 0), "creat": .open(directory: nil, path: 0),
        "openat": .open(directory: 0, path: 1), "openat2": .open(directory: 0, path: 1),
        "read": .data(.read, offset: nil), "readv": .data(.read, offset: nil),
        "pread": .data(.read, offset: 3), "pread64": .data(.read, offset: 3), "preadv": .data(.read, offset: 3),
        "preadv2": .data(.read, offset: 3), "write": .data(.write, offset: nil), "writev": .data(.write, offset: nil),
        "pwrite": .data(.write, offset: 3), "pwrite64": .data(.write, offset: 3), "pwritev": .data(.write, offset: 3),
        "pwritev2": .data(.write, offset: 3), "close": .close, "dup": .duplicate, "dup2": .duplicate,
        "dup3": .duplicate, "fcntl": .control, "fcntl64": .control, "lseek": .seek, "_llseek": .seek, "clone": .fork,
        "clone3": .fork, "fork": .fork, "vfork": .fork,
    ]

    /// Takes a call of a process, which made it at this time.
    ///
    /// - Throws: `LineFault` for a range of blocks that is none, or a process with too many descriptors.
    mutating func take(
        _ call: SystemCall, of process: UInt64, at nanoseconds: Int64?, into requests: inout LineRequests
    ) throws(LineFault) {
        guard let kind = Self.kinds[String(decoding: call.name, as: UTF8.self)] else {
            return requests.passOver("other calls")
        }
        guard let result = call.result, let value = result.number, value >= 0 else {
            return requests.passOver("calls that failed or did not return")
        }
        let number = call.argument(0, "fd").map { $0.number ?? -1 } ?? 0
        switch kind {
        case .open(let directory, let path):
            try open(call, directory, path, result, Int64(value), process, nanoseconds, &requests)
            return
        case .data(let operation, let offset):
            return try data(call, operation, offset, UInt64(value), number, process, nanoseconds, &requests)
        case .close: processes.close(number, of: process)
        case .duplicate:
            let copied = call.argument(0, "fildes") ?? call.argument(0, "oldfd")
            try processes.duplicate(copied?.number ?? 0, as: value, of: process)
        case .control:
            let command = call.argument(1, "cmd")?.text ?? call.name
            if Self.contains(command, "DUPFD") { try processes.duplicate(number, as: value, of: process) }
        case .seek:
            // 32-bit systems return the place elsewhere.
            processes.seek(number, to: call.name.count == 5 ? UInt64(value) : nil, of: process)
        case .fork:
            let shares = call.arguments.contains { Self.contains($0.text, "FILES") }
            try processes.fork(process, as: UInt64(value), sharing: shares)
        }
        requests.passOver("calls that open, read or write nothing")
    }

    private mutating func open(
        _ call: SystemCall, _ directory: Int?, _ place: Int, _ result: SystemCall.Value, _ number: Int64,
        _ process: UInt64, _ nanoseconds: Int64?, _ requests: inout LineRequests
    ) throws(LineFault) {
        var path = result.filePath
        if path == nil, let written = (call.argument(place, "filename") ?? call.argument(place, "pathname"))?.path {
            let folder = directory.flatMap { call.argument($0, "dfd") }
            let folderPath = folder.flatMap {
                $0.filePath ?? $0.number.flatMap { processes.file($0, of: process)?.path }
            }
            let isRelative = written.first != 0x2f
            path = isRelative ? (folderPath.map { $0 + [0x2f] } ?? []) + written : written
        }
        let appends = call.arguments.contains { Self.contains($0.text, "APPEND") && $0.path == nil }
        if path?.count ?? 0 > Self.longestPath { path = nil }
        try processes.open(OpenFiles.File(path: path, position: appends ? nil : 0), as: number, of: process)
        guard hasOpens else { return requests.passOver("opens") }
        guard let path else { return requests.passOver("opens of files whose names are not printed") }
        Self.append(path, RequestAttributes(timeNanoseconds: nanoseconds, operation: .read), &requests)
    }

    private mutating func data(
        _ call: SystemCall, _ operation: TraceOperation, _ offset: Int?, _ length: UInt64, _ number: Int64,
        _ process: UInt64, _ nanoseconds: Int64?, _ requests: inout LineRequests
    ) throws(LineFault) {
        let argument = call.argument(0, "fd")
        let printed = argument?.filePath
        if argument?.file != nil, printed == nil {
            return requests.passOver("reads and writes of pipes, sockets and terminals")
        }
        let file = processes.file(number, of: process)
        var place = file?.position
        if let offset {
            // perf trace leaves out arguments that are 0.
            place = call.argument(offset, "pos").map { $0.number.flatMap { UInt64(exactly: $0) } } ?? 0
        } else {
            processes.advance(number, by: length, of: process)
        }
        guard length > 0 else { return requests.passOver("reads and writes of no bytes") }
        guard hasData else { return requests.passOver("reads and writes") }
        guard let path = printed ?? file?.path else {
            return requests.passOver(
                "reads and writes of descriptors whose files are unknown\(hint)")
        }
        let attributes = RequestAttributes(timeNanoseconds: nanoseconds, operation: operation)
        guard blockBytes > 0 else { return Self.append(path, attributes, &requests) }
        guard let place else {
            return requests.passOver(
                "reads and writes at a place that is unknown, as the opening is not there or appends")
        }
        var fault: LineFault?
        path.withUnsafeBytes { volume in
            do throws(LineFault) {
                try requests.appendBlocks(
                    volume: volume, offsetBytes: place, lengthBytes: length, blockBytes: blockBytes, attributes)
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
    }

    private static func append(_ path: [UInt8], _ attributes: RequestAttributes, _ requests: inout LineRequests) {
        path.withUnsafeBytes { requests.append($0, attributes) }
    }

    private static func contains(_ text: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
        text.count <= 1 << 12 && String(decoding: text, as: UTF8.self).contains("\(word)")
    }

    /// A process ended.
    mutating func end(_ process: UInt64) { processes.end(process) }

    /// A process that calls is seen for the first time while another one waits for `fork`, or its kin, to return.
    mutating func adopt(_ process: UInt64, pending: [UInt64: [UInt8]]) throws(LineFault) {
        guard !processes.isKnown(process) else { return }
        let parent = pending.first { _, text in
            text.withUnsafeBytes { text in
                guard let open = SystemCall.openParenthesis(text),
                    case .fork = Self.kinds[String(decoding: text[..<open], as: UTF8.self)]
                else { return false }
                return true
            }
        }
        let shares = parent.map { parent in parent.value.withUnsafeBytes { Self.contains($0, "FILES") } } ?? false
        try processes.fork(parent?.key ?? 0, as: process, sharing: shares)
    }
}
