public import CacheCore
public import CacheGate
internal import Foundation

/// The git repository that a folder is in, by the program `git`.
public struct GitRepository: Sendable {
    /// How long one call of git may take, in seconds.
    private static let deadline = 60.0

    private let folder: String

    /// The repository that `folder` is in.
    ///
    /// - Throws: `AssayError` with code `unavailable` if there is none, or no `git`.
    public init(at folder: String) throws(AssayError) {
        self.folder = folder
        _ = try Self.run(folder, ["rev-parse", "--git-dir"])
    }

    /// The commit of a name, as `HEAD` or a tag.
    ///
    /// - Throws: `AssayError` with code `unavailable` if the repository has none of that name.
    public func commit(_ name: String) throws(AssayError) -> FigureHistory.Commit {
        let text = try run(["log", "-1", "--no-show-signature", "--format=%H%n%ct%n%s", "--end-of-options", name, "--"])
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 2, let time = Int(lines[1]) else {
            throw AssayError(
                .unavailable, "There is no commit '\(name)' in the repository. Check the name.", at: .init(folder))
        }
        return FigureHistory.Commit(digest: String(lines[0]), time: time, title: String(lines[2]))
    }

    /// Whether tracked files differ from the last commit.
    ///
    /// - Throws: `AssayError` with code `unavailable` if git fails.
    public func hasUncommittedChanges() throws(AssayError) -> Bool {
        try !run(["status", "--porcelain", "--untracked-files=no"]).isEmpty
    }

    /// The place of each commit in the topological order of the repository, ancestors first; without those that it does not have.
    ///
    /// - Throws: `AssayError` with code `unavailable` if git fails.
    public func places(of digests: [String]) throws(AssayError) -> [String: Int] {
        // All branches too: git refuses to list the ancestors of nothing, as where it has none of the digests.
        let order = ["rev-list", "--topo-order", "--reverse", "--ignore-missing", "--all", "--end-of-options"]
        let lines = try run(order + digests + ["--"]).split(separator: "\n")
        let wanted = Set(digests)
        var places: [String: Int] = [:]
        for (place, line) in lines.enumerated() where wanted.contains(String(line)) { places[String(line)] = place }
        return places
    }

    private func run(_ arguments: [String]) throws(AssayError) -> String { try Self.run(folder, arguments) }

    private static func run(_ folder: String, _ arguments: [String]) throws(AssayError) -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["git", "-C", folder] + arguments
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError, process.standardInput) = (output, errors, FileHandle.nullDevice)
        do {
            try process.run()
            let end = DispatchWorkItem { process.terminate() }
            DispatchQueue.global().asyncAfter(deadline: .now() + deadline, execute: end)
            defer { end.cancel() }
            // What git says of an error is short: it fits into its pipe while the output is read.
            let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
            let words = try errors.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            guard process.terminationReason == .exit else {
                throw AssayError(
                    .unavailable,
                    "git was ended by signal \(process.terminationStatus): it has \(Int(deadline)) s to answer. Try again.",
                    at: .init(folder))
            }
            guard process.terminationStatus == 0 else {
                throw AssayError(
                    .unavailable, "git does not answer here. Run assay inside a repository that git can read.",
                    at: .init(folder),
                    cause: String(decoding: words, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
            }
            return String(decoding: bytes, as: UTF8.self)
        } catch let error as AssayError {
            throw error
        } catch {
            throw AssayError(
                .unavailable, "git cannot be started. Install it.", at: .init(folder), cause: error.localizedDescription
            )
        }
    }
}
