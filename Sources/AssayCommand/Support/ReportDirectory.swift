import CacheCore
import Foundation

/// The directory that a command writes its reports into: locked until the command ends, so that no other one writes there meanwhile.
///
/// The lock is on the directory itself (flock), leaves no file, and ends with the process however that ends.
final class ReportDirectory {
    /// The directory's path, as it was given.
    let path: String
    private let descriptor: Int32
    /// The directories that were made for it, the innermost first.
    private let made: [String]

    /// Makes the directory if it is missing, and locks it.
    ///
    /// - Parameter given: What `--out` says; nil for a new directory `Reports/<date>-<time>`, with a number where that is taken.
    /// - Throws: `AssayError` with code `unavailable` if another process writes there, and `inputOutput` if it cannot be made.
    init(_ given: String?) throws(AssayError) {
        if let given {
            path = given
            made = try Self.make(given)
        } else {
            (path, made) = try Self.makeNew()
        }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
        let code = errno
        guard code != EWOULDBLOCK else {
            close(descriptor)
            throw AssayError(
                .unavailable,
                "another assay writes its reports here; wait until it has ended, or choose another directory with --out",
                at: .init(path))
        }
        Console.error(
            "assay: \(path) cannot be locked (\(String(cString: strerror(code)))); start no other assay with the same --out"
        )
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        // What stayed empty was made for nothing; a directory with something in it stays.
        for directory in made where rmdir(directory) != 0 { break }
    }

    private static func make(_ path: String) throws(AssayError) -> [String] {
        var missing: [String] = []
        var place = URL(filePath: path).standardizedFileURL
        while !FileManager.default.fileExists(atPath: place.path), place.path != "/" {
            missing.append(place.path)
            place.deleteLastPathComponent()
        }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw AssayError(
                .inputOutput, "the directory for the reports cannot be made; choose another with --out",
                at: .init(path),
                cause: error.localizedDescription)
        }
        return missing
    }

    private static func makeNew() throws(AssayError) -> (path: String, made: [String]) {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "yyyy-MM-dd-HHmmss"
        let first = "Reports/" + format.string(from: Date())
        let parents = try make("Reports")
        for number in 1...1000 {
            let path = number == 1 ? first : "\(first)-\(number)"
            if mkdir(path, 0o777) == 0 { return (path, [path] + parents) }
            guard errno == EEXIST else { break }
        }
        throw AssayError(
            .inputOutput, "the directory for the reports cannot be made; choose another with --out", at: .init(first),
            cause: String(cString: strerror(errno)))
    }

    /// What can be told of earlier results: when they were recorded, and of what.
    private struct Earlier: Decodable {
        struct Subject: Decodable {
            var digest: String?
            var workload: String?
        }

        var startedAt: String
        var traces: [Subject]?
        var systems: [Subject]?

        var subjects: Set<String> { Set(((traces ?? []) + (systems ?? [])).compactMap { $0.digest ?? $0.workload }) }
    }

    /// Sees to it that results that are there already are not lost when new ones are written.
    ///
    /// Results of the same traces or workloads stay under another name. Other results are not replaced unless `force` says so.
    ///
    /// - Parameters:
    ///   - fileName: The JSON that is to be written, from which all other reports can be made again.
    ///   - subjects: The digests of the traces, or the names of the workloads, that it is about.
    /// - Throws: `AssayError` with code `usage` if something else is there.
    func keepEarlier(_ fileName: String, of subjects: [String], force: Bool) throws(AssayError) {
        let present = URL(filePath: path).appending(path: fileName).path
        guard let data = FileManager.default.contents(atPath: present) else { return }
        let earlier = try? JSONDecoder().decode(Earlier.self, from: data)
        guard let earlier, earlier.subjects == Set(subjects) else {
            guard !force else { return Console.error("assay: \(present) is replaced") }
            let what =
                earlier.map { "these are results of something else, from \($0.startedAt)" }
                ?? "this is no result of assay"
            throw AssayError(
                .usage, "\(what). Choose another directory with --out, or replace it with --force.",
                at: .init(present))
        }
        let moment = String(earlier.startedAt.filter { $0.isASCII && ($0.isNumber || $0.isLetter) }.prefix(20))
        let stem = fileName.prefix { $0 != "." }
        var kept = "\(stem)-\(moment).json"
        var number = 2
        while let other = FileManager.default.contents(atPath: URL(filePath: path).appending(path: kept).path) {
            if other == data { return }
            kept = "\(stem)-\(moment)-\(number).json"
            number += 1
        }
        do {
            try data.write(to: URL(filePath: path).appending(path: kept), options: .atomic)
        } catch {
            throw AssayError(
                .inputOutput, "the earlier results cannot be kept as \(kept); free space, or choose another --out",
                at: .init(path), cause: error.localizedDescription)
        }
        Console.error(
            "assay: no run deletes results: those of the same traces from \(earlier.startedAt) stay in \(path) as \(kept); "
                + "delete that file if you do not need it")
    }

    /// Refuses to replace a JSON of results that differs from those that are to be written.
    func requireSame(_ fileName: String, as recorded: Data, force: Bool) throws(AssayError) {
        let present = URL(filePath: path).appending(path: fileName).path
        guard !force, let data = FileManager.default.contents(atPath: present), data != recorded else { return }
        throw AssayError(
            .usage, "these are other results. Choose another directory with --out, or replace them with --force.",
            at: .init(present))
    }
}
