import ArgumentParser
import CacheCore
import CacheReports
import CacheTraces
import CacheWorkloads
import Foundation

/// `assay sweep fetch`: downloads public traces that a manifest lists.
struct SweepFetchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Download the traces that a manifest lists, check and compile them.",
        discussion: """
            A manifest states address, SHA-256, length, licence and format of each file; 'public' is the one that Assay brings, \
            and --list shows what is in it. Files are kept as DIR/CORPUS/NAME, the folder by which 'assay report --across' groups \
            traces. A file that is there already is checked and left alone. What broke off goes on where it was when the \
            command is given again. The program curl does the downloading, with the proxies of the environment.
            """)

    @Argument(help: "A manifest: the path of a YAML file, or a name such as 'public'.", completion: .file())
    var manifest: String

    @Argument(help: "Corpora or files (CORPUS/NAME, with '*' for any letters) to fetch (default: all).")
    var chosen: [String] = []

    @Option(help: ArgumentHelp("The directory for the traces.", valueName: "dir"))
    var out: String = "traces"

    @Flag(help: "Show what the manifest lists, and download nothing.")
    var list = false

    @Flag(help: "Take files whose checksum nobody states, too.")
    var unverified = false

    @Flag(help: "Leave the traces uncompiled: 'assay sweep plan' then has only their sizes to go by.")
    var noCompile = false

    @Option(help: ArgumentHelp("How long a server may send nothing.", valueName: "seconds"))
    var deadline: Int = 60

    @Option(
        help: ArgumentHelp(
            "How often what broke off is gone on with, after pauses of 1, 2, 4, … seconds.", valueName: "number"))
    var retries: Int = 4

    @Option(
        help: ArgumentHelp("Where compiled traces are kept (default: the user's cache directory).", valueName: "dir"))
    var compiledTraces: String?

    @Flag(help: "No progress line.")
    var quiet = false

    func validate() throws {
        guard (1...86400).contains(deadline) else { throw ValidationError("--deadline must be 1 to 86400 seconds.") }
        guard (0...100).contains(retries) else { throw ValidationError("--retries must be 0 to 100.") }
    }

    func run() throws {
        let opener = TraceOpener(compiledTraces: compiledTraces, isQuiet: quiet)
        let entries = try chosen(of: opener.catalog.corpora(manifest))
        if list { return show(entries) }
        let held = try ReportDirectory(out)
        defer { withExtendedLifetime(held) {} }
        var failures: [(entry: CorpusManifest.Entry, error: AssayError)] = []
        for entry in entries {
            do throws(AssayError) { Console.print(try fetch(entry, opener)) } catch { failures.append((entry, error)) }
        }
        for (entry, error) in failures { Console.error("assay: \(entry.path): \(error.description)") }
        guard let first = failures.first else { return }
        throw AssayError(
            first.error.code,
            "\(failures.count) of \(HumanFormat.counted(entries.count, "file", "files")) could not be fetched.")
    }

    private func chosen(of manifest: CorpusManifest) throws(AssayError) -> [CorpusManifest.Entry] {
        guard !chosen.isEmpty else { return manifest.entries }
        var numbers: Set<Int> = []
        for pattern in chosen {
            let found = manifest.entries.indices.filter { index in
                let entry = manifest.entries[index]
                return entry.corpus == pattern || fnmatch(pattern, entry.path, 0) == 0
            }
            guard !found.isEmpty else {
                let corpora = manifest.entries.map(\.corpus).reduce(into: [String]()) {
                    if !$0.contains($1) { $0.append($1) }
                }
                throw AssayError(
                    .usage,
                    "The manifest has no '\(pattern)'. Its corpora are \(corpora.joined(separator: ", ")); --list "
                        + "shows their files.")
            }
            numbers.formUnion(found)
        }
        return numbers.sorted().map { manifest.entries[$0] }
    }

    private func show(_ entries: [CorpusManifest.Entry]) {
        var corpus: String?
        for entry in entries {
            if entry.corpus != corpus {
                Console.print("\(entry.corpus): \(entry.source); licence: \(entry.licence)")
                corpus = entry.corpus
            }
            let size = entry.bytes.map { HumanFormat.bytes($0) } ?? "unknown length"
            Console.print(
                "  \(entry.path)  \(size), \(entry.sha256 == nil ? "unknown checksum" : "SHA-256"), "
                    + "\(entry.format ?? "format by content")")
        }
    }

    /// Fetches a file, and says in a line what became of it.
    private func fetch(_ entry: CorpusManifest.Entry, _ opener: TraceOpener) throws(AssayError) -> String {
        let path = URL(filePath: out).appending(path: entry.path).path
        var outcome = "there already"
        if !FileManager.default.fileExists(atPath: path) {
            guard entry.sha256 != nil || unverified else {
                throw AssayError(
                    .usage, "Nobody states the checksum of this file. Take it as it comes with --unverified.",
                    at: .init(entry.address))
            }
            outcome = try download(entry, to: path)
        } else if let fault = try fault(of: path, entry) {
            throw AssayError(
                .badInput, "This is another file than the manifest's: \(fault). Remove it, and fetch again.",
                at: .init(path))
        }
        guard !noCompile else { return "\(path): \(outcome)" }
        let trace = try opener.open(path, format: entry.format).description
        return "\(path): \(outcome); \(HumanFormat.counted(trace.requests, "request", "requests")) for "
            + HumanFormat.counted(trace.objects, "object", "objects")
    }

    private func download(_ entry: CorpusManifest.Entry, to path: String) throws(AssayError) -> String {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
            throw AssayError(
                .inputOutput, "The directory cannot be made. Choose another with --out.", at: .init(folder),
                cause: error.localizedDescription)
        }
        let download = Download(
            address: entry.address, path: path, bytesMax: entry.bytes, deadline: deadline, retries: retries,
            isChecked: entry.sha256 != nil)
        let display = ProgressDisplay(isEnabled: !quiet) {
            let whole = entry.bytes.map { " of \(HumanFormat.bytes($0))" } ?? ""
            return "fetching \(entry.path): \(HumanFormat.bytes(download.arrived))\(whole)"
        }
        defer { display.end() }
        for attempt in 1...2 {
            let resumed = try download.run { Console.error("assay: \(entry.path): \($0)") }
            guard let fault = try fault(of: download.part, entry) else {
                guard rename(download.part, path) == 0 else {
                    throw AssayError(
                        .inputOutput, "The file cannot be renamed.", at: .init(download.part),
                        cause: String(cString: strerror(errno)))
                }
                let checked = entry.sha256 == nil ? "not verified: nobody states its checksum" : "verified"
                return resumed > 0 ? "fetched from byte \(resumed) on, \(checked)" : "fetched, \(checked)"
            }
            download.discard()
            // The parts may be of two versions; the whole of one is judged for itself.
            guard resumed > 0, attempt == 1 else {
                throw AssayError(
                    .badInput,
                    "What the server sends is another file than the manifest's: \(fault). It was removed. Take "
                        + "another manifest, or ask who keeps the file.", at: .init(entry.address))
            }
            Console.error("assay: \(entry.path): \(fault), so that it is begun again")
        }
        throw AssayError(.internalError, "a file was neither taken nor refused", at: .init(entry.address))
    }

    /// What is wrong with a file; nil if it is the manifest's, as far as that states it.
    private func fault(of path: String, _ entry: CorpusManifest.Entry) throws(AssayError) -> String? {
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
        if let bytes = entry.bytes, size != bytes { return "it has \(size) bytes and not \(bytes)" }
        guard let stated = entry.sha256 else { return nil }
        let digest = try TraceStore(directory: compiledTraces).sha256(of: path)
        return digest == stated ? nil : "its SHA-256 is \(digest) and not \(stated)"
    }
}
