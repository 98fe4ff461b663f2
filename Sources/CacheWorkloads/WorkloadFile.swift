internal import CacheCore
internal import CacheTraces
internal import Foundation
internal import Yams

/// Reads workload files.
enum WorkloadFile {
    /// The workload that a YAML file describes.
    ///
    /// - Throws: `AssayError` with code `badInput` and file and line, or `inputOutput` if it cannot be read.
    static func read(_ path: String) throws(AssayError) -> Workload {
        let text = try text(of: path)
        let url = URL(filePath: path)
        return try workload(
            named: url.deletingPathExtension().lastPathComponent, text, path: path,
            folder: url.deletingLastPathComponent().path)
    }

    /// The longest file that is read, in bytes: a hundred times what a long one has.
    static let bytesMax = 1 << 16

    /// The text of a YAML file.
    static func text(of path: String, atMost bytesMax: Int = bytesMax) throws(AssayError) -> String {
        do {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: URL(filePath: path).resolvingSymlinksInPath().path)
            guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? Int,
                size <= bytesMax
            else {
                throw AssayError(
                    .badInput, "The file must be a regular one of at most \(bytesMax) bytes. Check the path.",
                    at: AssayError.Location(path))
            }
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch let error as AssayError {
            throw error
        } catch {
            throw AssayError(
                .inputOutput, "The file cannot be read. Check the path and that it is UTF-8 text.",
                at: AssayError.Location(path), cause: error.localizedDescription)
        }
    }

    /// The workload that a text describes.
    static func workload(
        named name: String, _ text: String, path: String, folder: String
    ) throws(AssayError) -> Workload {
        try workload(
            named: name, try WorkloadFields(try root(text, path: path), path: path), path: path, folder: folder)
    }

    /// The workload that the fields of a file describe.
    static func workload(
        named name: String, _ fields: WorkloadFields, path: String, folder: String
    ) throws(AssayError) -> Workload {
        var fields = fields
        let kind = try fields.text("kind")
        let description = try fields.text("description")
        let origin = try fields.text("origin")
        let licence = try fields.text("licence")
        let source: Workload.Source
        switch kind {
        case "generated": source = .generated(try specification(&fields, path: path))
        case "recorded": source = .recorded(try recording(&fields, folder: folder))
        case "system": source = .system(try system(&fields))
        default: throw fields.fault("kind", "'\(kind)' is none of generated, recorded, system")
        }
        try fields.finish()
        return Workload(
            name: name, description: description, origin: origin, licence: licence, source: source, path: path)
    }

    /// The only document of a YAML text. It nests at most 1,000 deep, which the parser sees to.
    ///
    /// - Throws: `AssayError` with code `badInput` for what is no YAML, is longer than ``bytesMax``, or has aliases: a few lines of them
    ///   stand for more nodes than memory holds.
    static func root(_ text: String, path: String, atMost bytesMax: Int = bytesMax) throws(AssayError) -> Node {
        guard text.utf8.count <= bytesMax else {
            throw AssayError(
                .badInput, "The text is longer than \(bytesMax) bytes; a workload or a suite is not.",
                at: AssayError.Location(path))
        }
        if let alias = alias(in: text) {
            throw AssayError(
                .badInput,
                "Aliases of YAML are not read: write what '&\(alias.name)' stands for instead of '*\(alias.name)'.",
                at: AssayError.Location(path, line: alias.line))
        }
        do {
            if let node = try Yams.compose(yaml: text) { return node }
        } catch let error as YamlError {
            throw malformed(error, path)
        } catch {
            throw AssayError(
                .badInput, "This is not YAML.", at: AssayError.Location(path), cause: "\(error)")
        }
        throw AssayError(.badInput, "The workload file is empty.", at: AssayError.Location(path, line: 1))
    }

    /// An alias in a YAML text: `*name` where `&name` is as well, wherever they stand.
    private static func alias(in text: String) -> (name: Substring, line: Int)? {
        func names(after mark: Character, in text: Substring) -> [Substring] {
            text.split(separator: mark, omittingEmptySubsequences: false).dropFirst().map { rest in
                rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
            }
        }
        let anchors = Set(names(after: "&", in: text[...]).filter { !$0.isEmpty })
        guard !anchors.isEmpty else { return nil }
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        for (index, line) in lines.enumerated() {
            if let name = names(after: "*", in: line).first(where: anchors.contains) { return (name, index + 1) }
        }
        return nil
    }

    private static func malformed(_ error: YamlError, _ path: String) -> AssayError {
        let (problem, line): (String, Int?) =
            switch error {
            case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
                .composer(_, let problem, let mark, _):
                (problem, mark.line)
            case .duplicatedKeysInMapping(let keys, let context):
                ("a field stands there twice: " + keys.joined(separator: ", "), context.mark.line)
            default: ("\(error)", nil)
            }
        let said = problem.contains("nesting level") ? "it nests more than 1,000 deep" : "this is not YAML: \(problem)"
        return AssayError(
            .badInput, said.prefix(1).uppercased() + said.dropFirst() + ".", at: AssayError.Location(path, line: line))
    }

    /// A workload of a system, whose settings are for the system to understand.
    private static func system(_ fields: inout WorkloadFields) throws(AssayError) -> SystemWorkload {
        SystemWorkload(
            system: try fields.text("system"), policy: try fields.optionalText("policy") ?? "lru",
            backend: try fields.optionalText("backend"), settings: try fields.rest())
    }

    private static func recording(_ fields: inout WorkloadFields, folder: String) throws(AssayError) -> Recording {
        let file = try fields.text("file")
        let format = try fields.text("format")
        let sha256 = try fields.text("sha256")
        guard sha256.utf8.count == 64, sha256.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) else {
            throw fields.fault("sha256", "expected 64 hexadecimal digits in lower case, as sha256sum prints them")
        }
        return Recording(
            path: file.hasPrefix("/") ? file : folder + "/" + file, format: format, sha256: sha256,
            howRecorded: try fields.text("how-recorded"))
    }
}
