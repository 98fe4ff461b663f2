import CacheCore
import Foundation
import Synchronization

/// Brings one file here with the program curl, and goes on where an attempt before broke off.
///
/// What has arrived lies in `PATH.part`, and what tells that version of the file from others in `PATH.part.version`.
struct Download: Sendable {
    let address: String
    let path: String
    /// The most bytes that are taken; nil for no limit.
    let bytesMax: Int?
    /// How long the server may send nothing, in seconds.
    let deadline: Int
    /// How often what broke off is gone on with.
    let retries: Int
    /// Whether a digest tells in the end that the parts fit together, also where the server names no version.
    let isChecked: Bool

    /// Where what has arrived is.
    var part: String { path + ".part" }
    private var version: String { part + ".version" }

    /// How many bytes have arrived.
    var arrived: Int {
        (try? FileManager.default.attributesOfItem(atPath: part))?[.size] as? Int ?? 0
    }

    /// How curl ended.
    private enum Ending {
        case whole
        /// The connection, or the server for now, failed.
        case brokenOff(String)
        /// The server has no ranges, or another version: what has arrived is of no use.
        case cannotResume(String)
        case refused(String)
    }

    /// Downloads until the file is whole, and returns the byte that it last went on from; the part stays if it is not.
    ///
    /// - Parameter say: Told what is out of the ordinary, a sentence each.
    /// - Throws: `AssayError` with code `unavailable` without curl, and where the server fails, refuses or sends nothing; `badInput` for
    ///   more bytes than there may be; `inputOutput` if the file cannot be written.
    func run(say: (String) -> Void) throws(AssayError) -> Int {
        var failures = 0
        while true {
            // Parts of two versions would be one file, and nothing would tell.
            if !isChecked, !FileManager.default.fileExists(atPath: version) { discard() }
            let start = arrived
            switch try attempt() {
            case .whole:
                try? FileManager.default.removeItem(atPath: version)
                return start
            case .cannotResume(let reason):
                say("\(reason), so that it is begun again")
                discard()
            case .refused(let reason):
                if arrived == 0 { discard() }
                throw failure(reason, isPermanent: true)
            case .brokenOff(let reason):
                failures += 1
                guard failures <= retries else {
                    if arrived == 0 { discard() }
                    throw failure(reason, isPermanent: false)
                }
                say("\(reason); going on after \(arrived) bytes")
                Thread.sleep(forTimeInterval: Double(1 << min(failures - 1, 6)))
            }
        }
    }

    /// Removes what has arrived.
    func discard() { for path in [part, version] { try? FileManager.default.removeItem(atPath: path) } }

    private func failure(_ reason: String, isPermanent: Bool) -> AssayError {
        let remedy =
            isPermanent
            ? "Check the address, or take another manifest." : "Run it again: it goes on where it broke off."
        return AssayError(.unavailable, "The file cannot be downloaded. \(remedy)", at: .init(address), cause: reason)
    }

    // MARK: - One attempt

    private func attempt() throws(AssayError) -> Ending {
        let known = (try? String(contentsOfFile: version, encoding: .utf8)).flatMap { $0.isEmpty ? nil : $0 }
        let start = arrived
        if start > 0, start == bytesMax { return .whole }
        let headers = "\(part).headers"
        defer { try? FileManager.default.removeItem(atPath: headers) }
        let secure = address.hasPrefix("https:")
        var arguments = [
            // Nothing but what stands here, and the proxies of the environment.
            "--disable", "--silent", "--show-error", "--fail", "--globoff", "--proto", "=http,https",
            "--location", "--max-redirs", "5", "--proto-redir", secure ? "=https" : "=http,https",
            "--connect-timeout", "\(deadline)", "--speed-limit", "1", "--speed-time", "\(deadline)",
            "--dump-header", headers,
        ]
        if start > 0 {
            arguments += ["--continue-at", "\(start)"]
            if let known { arguments += ["--header", "If-Range: \(known)"] }
        }
        let process = Process()
        process.executableURL = URL(filePath: try ProgramPath.find("curl", to: "Files are downloaded"))
        process.arguments = arguments + ["--url", address]
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        do { try process.run() } catch {
            throw AssayError(.unavailable, "curl cannot be started.", cause: error.localizedDescription)
        }
        do throws(AssayError) { try receive(output.fileHandleForReading.fileDescriptor, after: start) } catch {
            process.terminate()
            process.waitUntilExit()
            throw error
        }
        let words = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        process.waitUntilExit()
        keepVersion(headers)
        return ending(process.terminationStatus, words, start)
    }

    private func ending(_ status: Int32, _ words: String, _ start: Int) -> Ending {
        let reason = words.isEmpty ? "curl ended with status \(status)" : words
        switch status {
        case 0: return .whole
        // It asked for the rest and was offered the whole; or for a range that is not there.
        case 33: return .cannotResume("the server cannot go on in the middle, or has another version")
        case 22 where start > 0 && words.contains("416"): return .cannotResume("what is here is longer than the file")
        // Too many requests, and failures of the server, pass.
        case 22 where words.firstMatch(of: /error: (408|429|5\d\d)/) == nil: return .refused(reason)
        // A malformed address, another protocol, too many redirects, a certificate that nobody vouches for.
        case 1, 3, 47, 51, 58, 60, 77, 83, 90, 91: return .refused(reason)
        default: return .brokenOff(reason)
        }
    }

    /// Writes what curl hands on, behind what is there.
    private func receive(_ source: Int32, after start: Int) throws(AssayError) {
        func fault(_ code: Int32) -> AssayError {
            AssayError(
                .inputOutput, "The file cannot be written. Free space, or choose another directory with --out.",
                at: .init(part), cause: String(cString: strerror(code)))
        }
        let file = open(part, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw fault(errno) }
        defer { close(file) }
        var (total, buffer) = (start, [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = buffer.withUnsafeMutableBytes { read(source, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            total += count
            if let bytesMax, total > bytesMax {
                discard()
                throw AssayError(
                    .badInput,
                    "The file is longer than the \(bytesMax) bytes that the manifest states. Take a newer manifest.",
                    at: .init(address))
            }
            var written = 0
            while written < count {
                let step = buffer.withUnsafeBytes { write(file, $0.baseAddress! + written, count - written) }
                if step < 0, errno == EINTR { continue }
                guard step > 0 else { throw fault(errno) }
                written += step
            }
        }
    }

    /// Keeps the strong validator of the last answer, or the time of its last change.
    private func keepVersion(_ headers: String) {
        guard !FileManager.default.fileExists(atPath: version),
            let text = try? String(contentsOfFile: headers, encoding: .utf8)
        else { return }
        let answer = text.replacing("\r\n", with: "\n").split(separator: "\n\n").last ?? ""
        func value(_ name: String) -> String? {
            answer.split(separator: "\n").first { $0.lowercased().hasPrefix(name + ":") }.map {
                $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
            }
        }
        let status = answer.prefix { !$0.isNewline }
        guard status.contains(" 200") || status.contains(" 206") else { return }
        let tag = value("etag").flatMap { $0.hasPrefix("\"") ? $0 : nil }
        if let validator = tag ?? value("last-modified") {
            try? validator.write(toFile: version, atomically: true, encoding: .utf8)
        }
    }
}

/// Finds programs that are not part of Assay.
enum ProgramPath {
    /// The path of a program in the folders of `PATH`.
    ///
    /// - Parameter purpose: What it is for: `PNG is drawn`.
    /// - Throws: `AssayError` with code `unavailable`, which says what is missing.
    static func find(_ program: String, to purpose: String, install: String = "") throws(AssayError) -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let path = folders.map { "\($0)/\(program)" }.first(where: FileManager.default.isExecutableFile)
        guard let path else {
            throw AssayError(
                .unavailable,
                "\(purpose) by \(program), which is not installed. \(install.isEmpty ? "Install it." : install)"
            )
        }
        return path
    }
}
