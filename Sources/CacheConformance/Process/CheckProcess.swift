package import CacheCore
import Foundation
import Synchronization

/// A check that is asked in a child process: this program once more, started so that it comes to the same call.
///
/// A trap, a deadlock or memory without end is then the result of one check, and the others go on.
package struct CheckProcess: Sendable {
    /// What a child process is started for.
    private struct Order: Codable {
        var check: String
        var subject: String
        var place: String
        var seed: UInt64
        /// Whether the subject is served over the subject protocol, so that the smallest program is found that ends its process.
        var isServed: Bool
    }

    /// How a child came to its end without an answer.
    private enum End {
        case answer(CheckResult)
        case crashed(String)
        case hung(String)
        /// It held too much memory; the same again might take all that there is.
        case swollen(String)
    }

    private static let variable = "ASSAY_CONFORM_CHECK"
    /// The descriptor on which a child answers: whatever it prints goes elsewhere.
    private static let answers: Int32 = 3

    private static let order: Order? = getenv(variable).flatMap {
        try? JSONDecoder().decode(Order.self, from: Data(String(cString: $0).utf8))
    }

    /// Whether a call is answered: of equal calls at once, the first is meant.
    private static let isAnswering = Atomic(false)

    /// Whether this process is such a child.
    package static var isChild: Bool { order != nil }

    private let arguments: [String]
    private let place: String
    private let deadlineSeconds: Double
    private let bytesMax: Int

    /// A way to a call.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments, by which it comes to the call.
    ///   - place: What tells the call from others.
    ///   - deadlineSeconds: How long the check may take.
    ///   - bytesMax: How much memory the process may hold, where that can be seen.
    package init(arguments: [String], place: String, deadlineSeconds: Double, bytesMax: Int) {
        self.arguments = arguments
        self.place = place
        self.deadlineSeconds = deadlineSeconds
        self.bytesMax = bytesMax
    }

    // MARK: The child

    /// In a child that was started for this call: answers, and ends the process.
    package static func answer(_ check: Check, _ subject: any CacheSubject, at place: String) {
        guard let order, order.check == check.id, order.subject == subject.name, order.place == place,
            !isAnswering.exchange(true, ordering: .relaxed)
        else { return }
        if order.isServed {
            SubjectServer.serve(subject, from: STDIN_FILENO, to: answers)
            exit(0)
        }
        // Who started it is gone when its end of the pipe is: nobody would end a cache that hangs.
        Thread.detachNewThread {
            var byte: UInt8 = 0
            while case let count = read(STDIN_FILENO, &byte, 1), count > 0 || count < 0 && errno == EINTR {}
            _exit(1)
        }
        write("\n")
        let result = check.run(on: subject, seed: order.seed)
        write(String(decoding: (try? JSONEncoder().encode(result)) ?? Data(), as: UTF8.self) + "\n")
        exit(0)
    }

    private static func write(_ text: String) {
        ChildProgram.write(Array(text.utf8), to: answers)
    }

    // MARK: The parent

    /// Asks a check in a child process. A subject that ends it, or does not answer in time, is asked once more over the subject
    /// protocol, for the smallest program that does so.
    ///
    /// - Throws: `AssayError` with code `unavailable` if there is no process, or one that does not come to the call.
    package func ask(_ check: Check, of subject: any CacheSubject, seed: UInt64) throws(AssayError) -> CheckResult {
        let end: End
        do throws(StoreError) { end = try run(check, of: subject, seed: seed) } catch {
            throw AssayError(.unavailable, "\(check.id) has no child process: \(error.message)")
        }
        // What was killed in its work has left its folders.
        ConformanceFolders.clearAbandoned()
        let (words, kind): (String, CheckFailure.ProcessEnd)
        switch end {
        case .answer(let result): return result
        case .swollen(let reason): (words, kind) = (reason, .crashed)
        case .crashed(let reason), .hung(let reason):
            kind = if case .hung = end { .hung } else { .crashed }
            words = reason
            let result = smallest(check, of: subject, seed: seed)
            if result?.failure?.program != nil, let result, result.failure?.end != nil { return result }
        }
        let claims = check.claims.map(\.description)
        return CheckResult(
            check,
            failed: CheckFailure(
                seed: seed, dueTo: claims.isEmpty ? "every cache" : claims.joined(separator: ", "), observed: words,
                permitted: "an answer", program: nil, steps: ["ask \(check.id) in a process of its own"], end: kind))
    }

    private func smallest(_ check: Check, of subject: any CacheSubject, seed: UInt64) -> CheckResult? {
        guard let claims = try? subject.claims() else { return nil }
        let words = [order(check, subject, seed, isServed: true)] + arguments
        let quoted = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        let served = ProcessSubject(
            command: "set -- \(quoted); \(Self.command)", claims: claims, answerSeconds: min(deadlineSeconds, 10),
            policies: subject.orderPolicy.map { [$0] } ?? [])
        defer { served.endProcess() }
        return check.run(on: served, seed: seed)
    }

    private static let command =
        "exec 3>&1 1>&2; export \(variable)=\"$1\" SWIFT_BACKTRACE=enable=no; shift; exec \"$@\""

    private func order(_ check: Check, _ subject: any CacheSubject, _ seed: UInt64, isServed: Bool) -> String {
        let order = Order(check: check.id, subject: subject.name, place: place, seed: seed, isServed: isServed)
        return String(decoding: (try? JSONEncoder().encode(order)) ?? Data(), as: UTF8.self)
    }

    private func run(_ check: Check, of subject: any CacheSubject, seed: UInt64) throws(StoreError) -> End {
        var preload = ""
        let folder = try ConformanceFolders.hold()
        defer { folder.remove() }
        // Where calls cannot be made to fail the checks that need it say so.
        if check.section == "FLT", let library = try? FailingCalls.library(in: folder.path) {
            preload = "export \(FailingCalls.preloadVariable)='\(library)'; "
        }
        let program = try ChildProgram(
            command: preload + Self.command, arguments: [order(check, subject, seed, isServed: false)] + arguments)
        defer { program.closeEnds() }
        var exit: String?
        defer { program.end(exit) }
        return try listen(to: program, from: .now, until: &exit)
    }

    /// Hears a child until it has answered or ended, or has to be ended.
    private func listen(
        to program: ChildProgram, from start: ContinuousClock.Instant, until exit: inout String?
    ) throws(StoreError) -> End {
        var (said, words) = ([UInt8](), LastWords())
        /// The lines that came: the first says that the child has come to the call.
        var lines: [ArraySlice<UInt8>] { said.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) }
        var isHeard = true
        while true {
            var polls = [
                pollfd(fd: isHeard ? program.output : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: program.errors, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&polls, 2, exit == nil ? 50 : 0)
            if polls[1].revents != 0 { words.add(SubjectSession.available(program.errors)) }
            if polls[0].revents != 0 {
                let bytes = SubjectSession.available(program.output)
                isHeard = !bytes.isEmpty
                if said.isEmpty, !bytes.isEmpty { words.answered() }
                said += bytes
            } else if let exit {
                guard !said.isEmpty else {
                    throw StoreError(
                        .unavailable,
                        "\(exit), and it never came to this call, which has to be made again with equal words. "
                            + words.lines.joined(separator: " / "))
                }
                return .crashed(Self.joined("its process is gone: \(exit)", words))
            }
            if lines.count > 2, let result = try? JSONDecoder().decode(CheckResult.self, from: Data(lines[1])) {
                // What it does at its end, as to write down what was covered, may take a moment.
                for _ in 0..<200 where exit == nil {
                    usleep(5_000)
                    exit = program.reap()
                }
                return .answer(result)
            }
            if exit == nil { exit = program.reap() }
            guard exit == nil else { continue }
            if start.duration(to: .now) > .seconds(deadlineSeconds) {
                return .hung(Self.joined("no answer within \(deadlineSeconds) s", words))
            }
            if let held = Self.residentBytes(program.identifier), held > bytesMax {
                return .swollen(Self.joined("its process held \(held >> 20) MiB, more than \(bytesMax >> 20)", words))
            }
        }
    }

    private static func joined(_ what: String, _ words: LastWords) -> String {
        ([what] + (words.lines.isEmpty ? [] : ["it said: " + words.lines.joined(separator: " / ")])).joined(
            separator: "; ")
    }

    /// The memory that a process holds; nil where the system does not say so.
    private static func residentBytes(_ identifier: pid_t) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(identifier)/statm", encoding: .utf8) else { return nil }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return pages.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
    }
}
