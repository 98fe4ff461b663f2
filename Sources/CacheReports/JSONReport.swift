public import CacheCore
internal import Foundation

/// `results.json`: a run as it was recorded, from which every other report can be rendered again.
///
/// Keys are sorted and the text is indented, so that two runs can be compared with a text tool.
public enum JSONReport {
    /// The results as indented JSON with sorted keys, ending with a newline.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number.
    public static func render(_ results: RunResults) throws(AssayError) -> String {
        try encode(results, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]) + "\n"
    }

    /// Curves as indented JSON with sorted keys, ending with a newline.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number.
    public static func render(_ results: CurveResults) throws(AssayError) -> String {
        try encode(results, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]) + "\n"
    }

    /// Advice as indented JSON with sorted keys, ending with a newline.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number.
    public static func render(_ results: AdviceResults) throws(AssayError) -> String {
        try encode(results, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]) + "\n"
    }

    /// Verdicts on histories as indented JSON with sorted keys, ending with a newline.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number.
    public static func render(_ results: HistoryResults) throws(AssayError) -> String {
        try encode(results, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]) + "\n"
    }

    /// A bench as indented JSON with sorted keys, ending with a newline.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number.
    public static func render(_ results: BenchResults) throws(AssayError) -> String {
        try encode(results, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]) + "\n"
    }

    /// What systems did under their workloads as indented JSON with sorted keys, ending with a newline.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number.
    public static func render(_ results: SystemResults) throws(AssayError) -> String {
        try encode(results, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]) + "\n"
    }

    /// What a trace holds as indented JSON with sorted keys, ending with a newline.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number.
    public static func render(_ profile: TraceProfile) throws(AssayError) -> String {
        try encode(profile, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]) + "\n"
    }

    /// Results of any kind as indented JSON with sorted keys, ending with a newline.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number.
    static func encoded(_ results: some ReportedResults) throws(AssayError) -> String {
        try encode(results, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]) + "\n"
    }

    /// A bench on one line, for embedding.
    static func renderCompact(_ results: BenchResults) throws(AssayError) -> String {
        try encode(results, [.sortedKeys, .withoutEscapingSlashes])
    }

    /// The results on one line, for embedding.
    static func renderCompact(_ results: RunResults) throws(AssayError) -> String {
        try encode(results, [.sortedKeys, .withoutEscapingSlashes])
    }

    /// Reads a run's results from a file.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if the file cannot be read, and with code `badInput` if it is not
    ///   JSON, not the results of a run, damaged, or written by a newer Assay.
    public static func read(from path: String) throws(AssayError) -> RunResults {
        try decode(try contents(of: path), from: path)
    }

    /// Reads whatever can be rendered again from a file: a run's results, curves, advice, a bench or a run of systems.
    ///
    /// - Throws: `AssayError` as ``read(from:)`` does.
    public static func readAny(from path: String) throws(AssayError) -> RecordedResults {
        let data = try contents(of: path)
        return switch try header(of: data, from: path, kinds: [.run, .curves, .advice, .bench, .systems]) {
        case .run: .run(try decode(RunResults.self, data, from: path))
        case .curves: .curves(try decode(CurveResults.self, data, from: path))
        case .advice: .advice(try decode(AdviceResults.self, data, from: path))
        case .bench: .bench(try decode(BenchResults.self, data, from: path))
        case .systems: .systems(try decode(SystemResults.self, data, from: path))
        }
    }

    /// Reads results from JSON bytes; `source` names them in errors.
    ///
    /// - Throws: `AssayError` with code `badInput` as ``read(from:)`` does.
    static func decode(_ data: Data, from source: String) throws(AssayError) -> RunResults {
        _ = try header(of: data, from: source, kinds: [.run])
        return try decode(RunResults.self, data, from: source)
    }

    /// The longest file of results that is read, in bytes: 1 GiB.
    public static let bytesMax = 1 << 30

    private static func contents(of path: String) throws(AssayError) -> Data {
        Data(try InputFile.read(path, atMost: bytesMax, "results"))
    }

    /// What a file holds, if that is one of the kinds asked for in a version that can be read.
    private static func header(
        of data: Data, from source: String, kinds: [RecordedKind]
    ) throws(AssayError) -> RecordedKind {
        let place = AssayError.Location(source)
        let wanted = kinds.map(\.origin).joined(separator: ", or ")
        guard let header = try? JSONDecoder().decode(Header.self, from: data) else {
            let syntaxError = syntaxError(of: data)
            let found = syntaxError == nil ? "JSON, but not the results of a run" : "not JSON"
            throw AssayError(.badInput, "This is \(found). Give \(wanted).", at: place, cause: syntaxError)
        }
        let kind = header.kind
        let newest = (kind ?? .run).currentSchemaVersion
        if let version = header.schemaVersion, version > newest {
            throw AssayError(
                .badInput,
                "These results have schema version \(version); this Assay reads up to \(newest). "
                    + "Read them with the Assay that wrote them, or update this one.",
                at: place)
        }
        guard let kind, header.schemaVersion != nil, kinds.contains(kind) else {
            let found =
                header.comparedCells != nil
                ? "a gate's verdict, not a run"
                : kind.map { "\($0.name), not a run" } ?? "JSON, but not the results of a run"
            throw AssayError(.badInput, "This is \(found). Give \(wanted).", at: place)
        }
        return kind
    }

    private static func decode<Results: Decodable>(
        _: Results.Type, _ data: Data, from source: String
    ) throws(AssayError) -> Results {
        try FigureLimits.check(data, from: source)
        do {
            return try JSONDecoder().decode(Results.self, from: data)
        } catch {
            throw AssayError(
                .badInput, "The results are damaged. Restore the file, or record it again.", at: .init(source),
                cause: describe(error))
        }
    }

    private static func encode(
        _ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting
    ) throws(AssayError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw AssayError(.internalError, "A figure is not a finite number.", cause: describe(error))
        }
    }
}

/// Results that reports can be rendered from again.
public enum RecordedResults: Sendable {
    /// What `assay run` wrote.
    case run(RunResults)
    /// What `assay curve` wrote.
    case curves(CurveResults)
    /// What `assay advise` wrote.
    case advice(AdviceResults)
    /// What `assay bench` wrote.
    case bench(BenchResults)
    /// What `assay run --system` wrote.
    case systems(SystemResults)

    /// The name under which the command that wrote them keeps their JSON.
    public var fileName: String {
        switch self {
        case .run: BuiltinReports.fileNames[0]
        case .curves: CurveResults.kind.json
        case .advice: AdviceReports.fileNames[0]
        case .bench: BenchReports.fileNames[0]
        case .systems: SystemReports.fileNames[0]
        }
    }
}

/// A kind of file that results are kept in.
private enum RecordedKind {
    case run, curves, advice, bench, systems

    /// What it holds.
    var name: String {
        switch self {
        case .run: "the results of a run"
        case .curves: "the result of 'assay curve'"
        case .advice: "the result of 'assay advise'"
        case .bench: "the result of 'assay bench'"
        case .systems: "the result of 'assay run --system'"
        }
    }

    /// The file and what writes it.
    var origin: String {
        switch self {
        case .run: "the results.json that 'assay run' wrote"
        case .curves: "the curve.json that 'assay curve' wrote"
        case .advice: "the advice.json that 'assay advise' wrote"
        case .bench: "the bench.json that 'assay bench' wrote"
        case .systems: "the systems.json that 'assay run --system' wrote"
        }
    }

    var currentSchemaVersion: Int {
        switch self {
        case .run: RunResults.currentSchemaVersion
        case .curves: CurveResults.currentSchemaVersion
        case .advice: AdviceResults.currentSchemaVersion
        case .bench: BenchResults.currentSchemaVersion
        case .systems: SystemResults.currentSchemaVersion
        }
    }
}

/// The keys that tell the kinds of file apart.
private struct Header: Decodable {
    /// Accepts any value.
    struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }

    var schemaVersion: Int?
    var cells: Anything?
    var environment: Anything?
    var commandLine: Anything?
    var comparedCells: Anything?
    var curves: Anything?
    var advice: Anything?
    var subjects: Anything?
    var systems: Anything?

    var kind: RecordedKind? {
        guard environment != nil, commandLine != nil else { return nil }
        if cells != nil { return .run }
        if systems != nil { return .systems }
        return curves != nil ? .curves : advice != nil ? .advice : subjects != nil ? .bench : nil
    }
}

extension JSONReport {
    private static func syntaxError(of data: Data) -> String? {
        do {
            _ = try JSONSerialization.jsonObject(with: data)
            return nil
        } catch {
            return describe(error)
        }
    }

    /// An error in words, with the place inside the JSON.
    private static func describe(_ error: any Error) -> String {
        switch error {
        case let error as DecodingError: return error.inWords
        case EncodingError.invalidValue(let value, let context):
            return "'\(DecodingError.path(context.codingPath))' is \(value)"
        default:
            let detail = (error as NSError).userInfo["NSDebugDescription"] as? String
            return detail ?? error.localizedDescription
        }
    }
}
