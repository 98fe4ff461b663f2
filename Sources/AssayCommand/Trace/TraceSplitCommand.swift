import ArgumentParser
import CacheCore
import CacheTraces
import Foundation

/// `assay trace split`: writes a trace in parts.
struct TraceSplitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "split", abstract: "Write a trace in parts: by time, by requests or by tenant.",
        discussion: """
            Parts are named after the file: 'day.csv' becomes day-0001.csv, day-0002.csv and so on, or with --tenant \
            day-NAME.csv. Parts of time are counted from the first request, and one without requests is not written.
            """)

    /// More parts are a mistake in an option, or a shell loop's business.
    private static let partsMax = 1000

    @Argument(help: TraceReadingOptions.argument)
    var trace: String

    @Argument(help: "The file after which the parts are named.")
    var file: String

    @Option(help: ArgumentHelp("The length of a part, as 10min or 1h.", valueName: "span"))
    var window: String?

    @Option(help: ArgumentHelp("The requests of a part.", valueName: "number"))
    var requests: Int?

    @Flag(help: "A part for each tenant.")
    var tenant = false

    @OptionGroup var writing: TraceWritingOptions
    @OptionGroup var reading: TraceReadingOptions

    func validate() throws {
        guard [window != nil, requests != nil, tenant].count(where: \.self) == 1 else {
            throw ValidationError("Give one of --window, --requests and --tenant.")
        }
        if let requests, requests < 1 { throw ValidationError("--requests must be at least 1.") }
    }

    /// The requests of a part: those within the positions that are of it.
    private struct Part {
        var name: String
        var positions: Range<Int>
    }

    func run() throws {
        _ = try writing.writer(for: file)
        let opened = try reading.open(trace).compiled
        let (partOf, names) = try division(opened)
        var parts: [Int: Part] = [:]
        for position in 0..<opened.requests {
            let part = partOf(position)
            if let known = parts[part] {
                parts[part] = Part(name: known.name, positions: known.positions.lowerBound..<position + 1)
                continue
            }
            guard parts.count < Self.partsMax else {
                throw AssayError(.usage, "There would be more than \(Self.partsMax) parts. Make them larger.")
            }
            parts[part] = Part(name: try path(names(part)), positions: position..<position + 1)
        }
        let sorted = parts.sorted { $0.key < $1.key }
        if let taken = sorted.first(where: { FileManager.default.fileExists(atPath: $0.value.name) }) {
            throw AssayError(
                .inputOutput, "The file is there already; remove it or choose another name.",
                at: .init(taken.value.name))
        }
        for (number, part) in sorted {
            let made = try reading.make("split") { (builder) throws(AssayError) in
                var source = TraceSource(opened)
                for position in part.positions where partOf(position) == number {
                    try builder.append(position, of: &source)
                }
            }
            try writing.write(made, to: part.name)
        }
    }

    /// Which part a request is in, and what the part is called.
    private func division(
        _ trace: CompiledTrace
    ) throws(AssayError) -> (partOf: (Int) -> Int, names: (Int) -> String) {
        func number(_ part: Int) -> String {
            String(repeating: "0", count: max(0, 4 - "\(part + 1)".count)) + "\(part + 1)"
        }
        if let requests { return ({ $0 / requests }, number) }
        if let window {
            let span = UInt64(try TraceTime.span(window, "--window"))
            guard let times = trace.timesNanoseconds, let first = times.min() else {
                throw AssayError(.usage, "The trace states no times, or all are equal.", at: .init("--window"))
            }
            return ({ Int(clamping: UInt64(bitPattern: times[$0] &- first) / span) }, number)
        }
        let names = trace.tenantNames.map(Self.fileName)
        guard let tenants = trace.columns.tenants else {
            throw AssayError(.usage, "The trace states no tenants.", at: .init("--tenant"))
        }
        return (
            { Int(tenants[$0]) },
            { part in
                let isUnique = names.count { $0 == names[part] } == 1
                return isUnique ? names[part] : "\(names[part])-\(part + 1)"
            }
        )
    }

    /// A tenant's name with what a file name does not carry well replaced.
    private static func fileName(_ name: String) -> String {
        let safe = name.unicodeScalars.map { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "._-".unicodeScalars.contains(scalar)
                ? String(scalar) : "_"
        }.joined()
        return safe.isEmpty ? "_" : String(safe.prefix(80))
    }

    /// The file's name with that of a part before its ending.
    private func path(_ part: String) throws(AssayError) -> String {
        let ending = try writing.writer(for: file).descriptor.fileExtensions.filter {
            file.lowercased().hasSuffix("." + $0)
        }.max { $0.count < $1.count }
        guard let ending else { return "\(file)-\(part)" }
        return "\(file.dropLast(ending.count + 1))-\(part)\(file.suffix(ending.count + 1))"
    }
}
