public import CacheCore
package import Foundation

/// Results as JSON, from which every report can be made again.
///
/// Keys are sorted and the text is indented, so that two results can be compared with a text tool.
public enum JSONReport {
    /// Results as indented JSON with sorted keys, ending with a newline.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number.
    public static func render(_ results: some Encodable) throws(AssayError) -> String {
        try encode(results, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]) + "\n"
    }

    /// Results on one line, for embedding.
    package static func renderCompact(_ results: some Encodable) throws(AssayError) -> String {
        try encode(results, [.sortedKeys, .withoutEscapingSlashes]) + "\n"
    }

    /// Reads results of any of ``ReportKinds`` from a file.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if the file cannot be read, and with code `badInput` if it is not JSON, not of
    ///   these kinds, damaged, or written by a newer Assay.
    public static func read(from path: String) throws(AssayError) -> any ReportedResults {
        try decode(Data(try InputFile.read(path, atMost: bytesMax, "results")), from: path)
    }

    /// Reads results from JSON bytes; `source` names them in errors.
    ///
    /// - Throws: `AssayError` with code `badInput` as ``read(from:)`` does.
    package static func decode(_ data: Data, from source: String) throws(AssayError) -> any ReportedResults {
        try decode(try type(of: data, from: source), data, from: source)
    }

    /// The longest file of results that is read, in bytes: 1 GiB.
    public static let bytesMax = 1 << 30

    /// The kind of results that a file holds, if it can be read in its version.
    private static func type(of data: Data, from source: String) throws(AssayError) -> any ReportedResults.Type {
        let place = AssayError.Location(source)
        let wanted = ReportKinds.all.map { "the \($0.kind.json) that '\($0.kind.command)' wrote" }
            .joined(separator: ", or ")
        guard let header = try? JSONDecoder().decode(Header.self, from: data) else {
            let syntaxError = syntaxError(of: data)
            let found = syntaxError == nil ? "JSON, but no results" : "not JSON"
            throw AssayError(.badInput, "This is \(found). Give \(wanted).", at: place, cause: syntaxError)
        }
        let type = ReportKinds.all.first {
            header.members.isSuperset(of: ["environment", "commandLine", $0.kind.member])
        }
        let newest = (type ?? RunResults.self).kind.currentSchemaVersion
        if let version = header.schemaVersion, version > newest {
            throw AssayError(
                .badInput,
                "These results have schema version \(version); this Assay reads up to \(newest). "
                    + "Read them with the Assay that wrote them, or update this one.",
                at: place)
        }
        guard let type, header.schemaVersion != nil else {
            let found = header.members.contains("comparedCells") ? "a gate's verdict" : "JSON, but no results"
            throw AssayError(.badInput, "This is \(found). Give \(wanted).", at: place)
        }
        return type
    }

    private static func decode<Results: ReportedResults>(
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

/// The members of a JSON object, which tell the kinds of results apart.
private struct Header: Decodable {
    private struct Member: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    var schemaVersion: Int?
    var members: Set<String>

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        self.members = Set(members.allKeys.map(\.stringValue))
        schemaVersion = try members.decodeIfPresent(Int.self, forKey: Member(stringValue: "schemaVersion"))
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
