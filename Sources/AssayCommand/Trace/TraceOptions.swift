import ArgumentParser
import CacheCore
import CacheTraces
import Foundation

extension TraceReadingOptions {
    /// What an argument may be that names a trace.
    static let argument: ArgumentHelp =
        "The path of a trace, the name of a workload, - for standard input, or a pattern in quotes with --join."

    /// Opens what an argument names as one trace.
    func open(_ trace: String) throws(AssayError) -> TraceOpener.Opened { try openOne([trace]) }

    /// Makes a trace of others; `description` stands where a file's format stands.
    func make(
        _ description: String, _ body: (inout TraceBuilder) throws(AssayError) -> Void
    ) throws(AssayError) -> CompiledTrace {
        var builder = try TraceBuilder(in: TraceStore(directory: compiledTraces))
        try body(&builder)
        return try builder.finish(description)
    }

    /// Makes a trace of the requests of another that are wanted.
    func make(
        _ description: String, of trace: CompiledTrace, where isWanted: (Int) -> Bool
    ) throws(AssayError) -> CompiledTrace {
        try make(description) { (builder) throws(AssayError) in
            var source = TraceSource(trace)
            for position in 0..<trace.requests where isWanted(position) { try builder.append(position, of: &source) }
        }
    }
}

/// The options of every command that writes traces.
struct TraceWritingOptions: ParsableArguments {
    /// The formats that are written, sorted by name.
    static let writers: [any TraceWriter] = (BuiltinTraceWriters.all + [ParquetTraceWriter()]).sorted {
        $0.descriptor.name < $1.descriptor.name
    }

    @Option(
        help: ArgumentHelp(
            "The format to write: \(writers.map(\.descriptor.name).joined(separator: ", ")) (default: by the file's ending).",
            valueName: "format"), completion: .list(writers.map(\.descriptor.name)))
    var to: String?

    /// The writer that was named, or that the file's ending means.
    func writer(for path: String) throws(AssayError) -> any TraceWriter {
        let names = Self.writers.map(\.descriptor.name)
        if let to {
            if let writer = Self.writers.first(where: { $0.descriptor.name == to.lowercased() }) { return writer }
            let near = nearestName(to: to, among: names).map { " Did you mean '\($0)'?" } ?? ""
            throw AssayError(
                .usage, "No format to write is named '\(to)'. There are \(names.joined(separator: ", ")).\(near)",
                at: .init("--to"))
        }
        let endings = Self.writers.flatMap { writer in writer.descriptor.fileExtensions.map { ($0, writer) } }
        let name = path.lowercased()
        let found = endings.filter { name.hasSuffix("." + $0.0) }.max { $0.0.count < $1.0.count }
        guard let found else {
            throw AssayError(
                .usage,
                "The name does not tell the format to write. Name it with --to: \(names.joined(separator: ", ")).",
                at: .init(path))
        }
        return found.1
    }

    /// Writes a trace, and tells what was written, what the format leaves out and how the file is read again.
    func write(_ trace: CompiledTrace, to path: String) throws(AssayError) {
        let writer = try writer(for: path)
        try writer.write(trace, to: path)
        Console.print("\(path): \(trace.requests) requests for \(trace.objects) objects")
        for loss in writer.losses(of: trace) { Console.error("assay: \(loss)") }
        if let format = writer.readingFormat(of: trace) { Console.error("assay: read it with --format \(format)") }
    }
}

/// Spans and points of time on the command line.
enum TraceTime {
    /// A span such as `250ms`, `10s`, `5min`, `2h` or `1d`, in nanoseconds, at least 1; a plain number counts seconds.
    static func span(_ text: String, _ option: String) throws(AssayError) -> Int64 {
        guard let span = nanoseconds(text), span > 0 else {
            throw AssayError(
                .usage, "'\(text)' is no span of time. Write seconds, or a number with ns, us, ms, s, min, h or d.",
                at: .init(option))
        }
        return span
    }

    /// A time of the trace's own clock in seconds, or with a `+` a span after its first request.
    static func point(_ text: String, after first: Int64, _ option: String) throws(AssayError) -> Int64 {
        if text.hasPrefix("+") {
            let span = text == "+0" ? 0 : try span(String(text.dropFirst()), option)
            return saturatingSum(first, span)
        }
        guard let point = nanoseconds(text) else {
            throw AssayError(
                .usage,
                "'\(text)' is no time. Write the trace's own seconds (1700000000), or a span after its first request (+10min).",
                at: .init(option))
        }
        return point
    }

    private static func nanoseconds(_ text: String) -> Int64? {
        let units: [(String, Double)] = [
            ("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("min", 60e9), ("s", 1e9), ("h", 3600e9), ("d", 86_400e9),
        ]
        let unit = units.first { text.hasSuffix($0.0) }
        let digits = unit.map { text.dropLast($0.0.count) } ?? text[...]
        // Whole seconds stay exact where a floating-point number would not hold their nanoseconds.
        if let whole = Int64(digits), let factor = Int64(exactly: unit?.1 ?? 1e9) {
            let (product, overflow) = whole.multipliedReportingOverflow(by: factor)
            return overflow ? nil : product
        }
        guard let number = Double(digits), number.isFinite else { return nil }
        return Int64(exactly: (number * (unit?.1 ?? 1e9)).rounded())
    }
}
