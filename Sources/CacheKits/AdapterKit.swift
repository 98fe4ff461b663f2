import CEmbeddedFiles
public import CacheCore
import Foundation

/// What an adapter's author gets for a language: the subject protocol in one file, and a skeleton over a small cache that works.
public struct AdapterKit: Sendable {
    /// The language's name on the command line.
    public let language: String
    /// The program that runs or compiles it, as it is looked for on `PATH`.
    public let tool: String
    /// What makes the subject, in its folder; nil where nothing needs to be made.
    let build: String?
    /// The command that serves the subject in a folder.
    let command: @Sendable (_ folder: String) -> String
    private let files: [(name: String, file: @Sendable () -> EmbeddedFile)]

    /// Every language that has a kit.
    public static let all: [AdapterKit] = [
        AdapterKit(
            language: "python", tool: "python3", build: nil, command: { "python3 -B \($0)/subject.py" },
            files: [
                ("assay_subject.py", embedded_assay_subject_py), ("subject.py", embedded_subject_py),
            ]),
        AdapterKit(
            language: "node", tool: "node", build: nil, command: { "node \($0)/subject.js" },
            files: [
                ("assay-subject.js", embedded_assay_subject_js), ("subject.js", embedded_subject_js),
            ]),
        AdapterKit(
            language: "go", tool: "go", build: "go build -o subject .", command: { "\($0)/subject" },
            files: [
                ("assay_subject.go", embedded_assay_subject_go), ("subject.go", embedded_subject_go),
                ("go.mod", embedded_go_mod),
            ]),
        AdapterKit(
            language: "c", tool: "cc", build: "cc -O1 -pthread -o subject subject.c", command: { "\($0)/subject" },
            files: [("assay_subject.h", embedded_assay_subject_h), ("subject.c", embedded_subject_c)]),
        AdapterKit(
            language: "java", tool: "javac", build: "javac *.java", command: { "java -cp \($0) Subject" },
            files: [
                ("AssaySubject.java", embedded_AssaySubject_java),
                ("Subject.java", embedded_Subject_java),
            ]),
        AdapterKit(
            language: "rust", tool: "rustc", build: "rustc -O --edition 2021 subject.rs", command: { "\($0)/subject" },
            files: [
                ("assay_subject.rs", embedded_assay_subject_rs), ("subject.rs", embedded_subject_rs),
            ]),
        AdapterKit(
            language: "swift", tool: "swift", build: "ASSAY_PACKAGE=PATH-OF-ASSAY swift build",
            command: { "\($0)/.build/debug/subject" },
            files: [("Package.swift", embedded_Package_swift), ("main.swift", embedded_main_swift)]),
    ]

    /// The kit of a language.
    ///
    /// - Throws: `AssayError` with code `usage` for a language without one.
    public static func named(_ language: String) throws(AssayError) -> AdapterKit {
        if let kit = all.first(where: { $0.language == language }) { return kit }
        let names = all.map(\.language)
        let near = nearestName(to: language, among: names).map { " Did you mean '\($0)'?" } ?? ""
        throw AssayError(
            .usage, "There is no kit for '\(language)'. There are \(names.joined(separator: ", ")).\(near)")
    }

    /// Writes the kit, the skeleton and a README to a new folder.
    ///
    /// - Returns: The commands that make the subject and hold it against the suite, to be run where `folder` is named from.
    /// - Throws: `AssayError` with code `usage` for a name that a shell would take apart and for a folder that is there, and with
    ///   `inputOutput` where nothing can be written.
    public func write(to folder: String) throws(AssayError) -> [String] {
        let isPlain = folder.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || "0123456789._-/".unicodeScalars.contains($0)
        }
        guard isPlain, !folder.isEmpty, !folder.hasPrefix("-") else {
            throw AssayError(.usage, "Name a new folder by letters, digits, '.', '_', '-' and '/'.", at: .init(folder))
        }
        guard !FileManager.default.fileExists(atPath: folder) else {
            throw AssayError(
                .usage, "This exists already, and nothing is overwritten. Name a new folder.", at: .init(folder))
        }
        do {
            let readme = ("README.md", Data(readme(folder).utf8))
            for (name, data) in files.map({ ($0.name, Data($0.file().bytes)) }) + [readme] {
                let file = URL(filePath: folder).appending(path: name)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try data.write(to: file, options: .withoutOverwriting)
            }
        } catch {
            throw AssayError(.inputOutput, "The kit cannot be written.", at: .init(folder), cause: "\(error)")
        }
        return commands(folder)
    }

    private func commands(_ folder: String) -> [String] {
        let path = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        // A command without a slash would be looked for on PATH.
        let place = path.contains("/") ? path : "./\(path)"
        let run = "assay conform 'exec:\(command(place))'"
        return (build.map { ["(cd \(place) && \($0))"] } ?? []) + [run]
    }

    /// Where the protocol is spoken.
    private func protocolLine(_ name: String) -> String {
        language == "swift"
            ? "`CacheConformance` of Assay speaks the protocol: `SubjectServer.serve`."
            : "\(name) speaks the protocol; its head lists the methods."
    }

    private func readme(_ folder: String) -> String {
        let lines = commands(folder).map { "`\($0)`" }.joined(separator: ", then ")
        let names = files.map { "`\($0.name)`" }
        return """
            # A cache in \(language) under Assay's conformance suite
            Run it from the folder above: \(lines).
            \(names[1]) has the adapter over an LRU cache of twenty lines: put your cache in its place. \(protocolLine(names[0]))
            \(language == "swift" ? "`claims()` says what it has" : "What the adapter has is claimed"); `--suggest-claims` tries what else holds, `--explain ID` tells what a failed check is about.
            Assay's docs/your-cache.md is the guide, docs/subject-protocol.md says what each operation and each claim means.

            """
    }
}
