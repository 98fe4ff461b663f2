public import CacheCore
internal import Foundation

/// Public traces with where they are, what they are, and under which terms: what `assay sweep fetch` downloads.
public struct CorpusManifest: Sendable, Hashable {
    /// One file.
    public struct Entry: Sendable, Hashable {
        /// The collection that it belongs to: the folder it is kept in.
        public var corpus: String
        /// Its name in that folder.
        public var name: String
        /// Where it is: `http://` or `https://`.
        public var address: String
        /// The digest of its bytes, 64 hexadecimal digits; nil if nobody states it.
        public var sha256: String?
        /// Its length in bytes; nil if nobody states it.
        public var bytes: Int?
        /// The format of the trace, as on the command line; nil to go by its content.
        public var format: String?
        /// The terms it may be used under.
        public var licence: String
        /// Who recorded and published it.
        public var source: String

        /// Its path under the folder of all.
        public var path: String { "\(corpus)/\(name)" }
    }

    /// What the manifest lists.
    public var description: String
    /// The files, in order.
    public var entries: [Entry]

    /// The longest manifest that is read, in bytes: some 50,000 files.
    private static let bytesMax = 16 << 20
    private static let unknown = "unknown"

    /// Reads a manifest.
    ///
    /// - Throws: `AssayError` with code `badInput` with file and line for a malformed one, `inputOutput` if it cannot be read.
    public init(contentsOf path: String) throws(AssayError) {
        let text = try WorkloadFile.text(of: path, atMost: Self.bytesMax)
        var fields = try WorkloadFields(try WorkloadFile.root(text, path: path, atMost: Self.bytesMax), path: path)
        description = try fields.text("description")
        entries = []
        var seen: Set<String> = []
        for var corpus in try fields.sequence("corpora") {
            for entry in try Self.entries(&corpus) {
                guard seen.insert(entry.path).inserted else {
                    throw corpus.fault("files", "'\(entry.path)' is listed twice")
                }
                entries.append(entry)
            }
        }
        guard !entries.isEmpty else { throw fields.fault("corpora", "a manifest lists at least one file") }
        try fields.finish()
    }

    private static func entries(_ corpus: inout WorkloadFields) throws(AssayError) -> [Entry] {
        let name = try corpus.text("name")
        guard isFileName(name) else { throw corpus.fault("name", notFileName(name)) }
        let licence = try corpus.text("licence")
        let source = try corpus.text("source")
        let format = try corpus.optionalText("format")
        let base = try corpus.optionalText("base")
        var entries: [Entry] = []
        for var file in try corpus.sequence("files") {
            let fileName = try file.text("name")
            guard isFileName(fileName) else { throw file.fault("name", notFileName(fileName)) }
            guard let address = try file.optionalText("address") ?? base.map({ $0 + fileName }) else {
                throw file.fault("name", "the file has no address: add 'address:' here, or 'base:' to its corpus")
            }
            guard ["http://", "https://"].contains(where: address.hasPrefix),
                address.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else {
                throw file.fault("address", "'\(address)' is none that begins with http:// or https://, without spaces")
            }
            let digest = try file.text("sha256")
            let isDigest =
                digest.utf8.count == 64 && digest.allSatisfy { $0.isHexDigit && !$0.isUppercase && $0.isASCII }
            guard isDigest || digest == unknown else {
                throw file.fault("sha256", "expected 64 digits 0-9 and a-f, or 'unknown'")
            }
            let size = try file.text("bytes")
            guard size == unknown || Int(size).map({ $0 > 0 }) ?? false else {
                throw file.fault("bytes", "expected the length of the file, or 'unknown'")
            }
            entries.append(
                Entry(
                    corpus: name, name: fileName, address: address, sha256: isDigest ? digest : nil, bytes: Int(size),
                    format: try file.optionalText("format") ?? format, licence: licence, source: source))
            try file.finish()
        }
        try corpus.finish()
        return entries
    }

    /// Whether a name is that of a file in a folder, on every system, and leads nowhere else.
    private static func isFileName(_ name: String) -> Bool {
        name.utf8.count <= 200 && !name.hasPrefix(".") && !name.hasPrefix("-") && !name.hasSuffix(".part")
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }

    private static func notFileName(_ name: String) -> String {
        "'\(name)' is no name of a file: take letters, digits, '.', '_' and '-', and another beginning than '.' and '-'"
    }
}

extension WorkloadCatalog {
    /// The manifest in a file, or the one of that name in the folder `corpora` of the first folder that has it.
    ///
    /// - Throws: `AssayError` with code `usage` for an unknown name; else as ``CorpusManifest/init(contentsOf:)``.
    public func corpora(_ nameOrPath: String) throws(AssayError) -> CorpusManifest {
        if nameOrPath.contains("/") || Self.isWorkloadFile(nameOrPath) {
            return try CorpusManifest(contentsOf: nameOrPath)
        }
        let folders = directories.map { $0 + "/corpora" }
        for folder in folders where FileManager.default.fileExists(atPath: "\(folder)/\(nameOrPath).yaml") {
            return try CorpusManifest(contentsOf: "\(folder)/\(nameOrPath).yaml")
        }
        let names = WorkloadCatalog(directories: folders).names
        throw AssayError(
            .usage,
            "There is no manifest '\(nameOrPath)'. Give the path of one, or one of: \(names.joined(separator: ", "))."
        )
    }
}
