#if Conformance
    import ArgumentParser
    import CacheConformance
    import CacheCore
    import CacheHarness
    import Foundation

    /// Puts checks to a subject in child processes, so that one that ends or hangs its process has an answer too.
    final class IsolatedConformance {
        private let subject: String
        private let deadlineSeconds: Double
        private let claims: Claims?
        /// Whether each check has a process of its own.
        private let isFreshEach: Bool
        private var worker: CheckWorker?
        /// The checks that have no answer because their child ended, or could not be started.
        private(set) var unanswered: Set<String> = []

        init(subject: String, deadlineSeconds: Double, claims: Claims?, isFreshEach: Bool) {
            self.subject = subject
            self.deadlineSeconds = deadlineSeconds
            self.claims = claims
            self.isFreshEach = isFreshEach
        }

        /// Looks once whether the subject can be asked at all.
        ///
        /// - Throws: `AssayError` with code `unavailable` and what is missing, for the subject or for the process that it is asked in. A
        ///   subject that ends its process or hangs is left to the checks.
        func start(until end: RunEnd) throws(AssayError) {
            let worker = if let worker { worker } else { try CheckWorker(failsCalls: false) }
            let order = CheckOrder(
                subject: subject, check: nil, seed: 1, isOneOfMany: false, claims: claims, directory: worker.directory)
            guard let line = try? JSONEncoder().encode(order),
                case .line(let reply) = worker.ask(line, deadlineSeconds: deadlineSeconds, until: end)
            else { return }
            if !isFreshEach { self.worker = worker }
            if let fault = try? JSONDecoder().decode(StartAnswer.self, from: reply).fault {
                throw AssayError(.unavailable, fault)
            }
        }

        /// Runs one check in a child process, which is stopped without a verdict when the run ends.
        func ask(_ check: Check, seed: UInt64, isOneOfMany: Bool, until end: RunEnd) -> CheckAnswer {
            do {
                // Calls are made to fail by a library that is preloaded; other checks need not have it.
                let failsCalls = check.section == "FLT"
                if worker?.failsCalls != failsCalls { worker = nil }
                let worker = try self.worker ?? CheckWorker(failsCalls: failsCalls)
                self.worker = worker
                let order = CheckOrder(
                    subject: subject, check: check.id, seed: seed, isOneOfMany: isOneOfMany, claims: claims,
                    directory: worker.directory)
                let reply = try worker.ask(JSONEncoder().encode(order), deadlineSeconds: deadlineSeconds, until: end)
                if isFreshEach { self.worker = nil }
                if case .line(let line) = reply, let answer = try? JSONDecoder().decode(CheckAnswer.self, from: line) {
                    return answer
                }
                self.worker = nil
                if case .late = reply, end.isOver { return CheckAnswer(check, endedWith: RunEnd.notFinished) }
                unanswered.insert(check.id)
                return CheckAnswer(check, endedWith: outcome(reply))
            } catch {
                unanswered.insert(check.id)
                worker = nil
                return CheckAnswer(
                    check,
                    endedWith: .inconclusive("its process could not be started: \(error)"))
            }
        }

        private func outcome(_ reply: CheckWorker.Reply) -> CheckOutcome {
            switch reply {
            case .line: .crashed("its process gave an answer that cannot be read")
            case .ended(let words): .crashed(words)
            case .late(let words): .hung("no answer within \(Int(deadlineSeconds)) s\(words)")
            }
        }
    }

    /// A child process that answers orders, one line each, until it is released.
    final class CheckWorker {
        /// What came of an order.
        enum Reply {
            /// A line.
            case line(Data)
            /// The process ended.
            case ended(String)
            /// The deadline passed, and the process was killed.
            case late(String)
        }

        private let child: SpawnedChild
        private let folder: AbandonedFolders.Held
        private var root: String { folder.path }
        private var pending = Data()
        /// A directory that the child may fill.
        let directory: String
        /// Whether it was started with the library of failing calls, where there is one.
        let failsCalls: Bool

        /// Starts the process.
        ///
        /// - Throws: `AssayError` with code `unavailable` if it or its folder cannot be made.
        init(failsCalls: Bool) throws(AssayError) {
            self.failsCalls = failsCalls
            folder = try AssayError.madeFolder(ConformanceFolders.hold)
            let root = folder.path
            directory = root + "/check"
            let errors = open(root + "/errors", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            guard mkdir(directory, 0o700) == 0, errors >= 0 else {
                let code = errno
                if errors >= 0 { close(errors) }
                throw AssayError(
                    .unavailable, "the folder of a check cannot be filled; set TMPDIR to another directory",
                    at: .init(root), cause: String(cString: strerror(code)))
            }
            var additions = ChildProcess.plainCrashes.merging(["TMPDIR": directory]) { $1 }
            if failsCalls {
                do {
                    let others =
                        ProcessInfo.processInfo.environment[FailingCalls.preloadVariable].map { " " + $0 } ?? ""
                    additions[FailingCalls.preloadVariable] = try FailingCalls.library(in: root) + others
                } catch { additions[FailingCalls.absenceVariable] = error.message }
            }
            do throws(SpawnedChild.Failure) {
                child = try SpawnedChild(
                    Bundle.main.executablePath ?? CommandLine.arguments[0],
                    [ConformCheckCommand.configuration.commandName ?? "conform-check"] + PluginSelection.arguments,
                    environment: additions, errors: errors,
                    // A terminal's Ctrl-C is for the parent, which ends it.
                    leadsGroup: true)
            } catch { throw AssayError(.unavailable, "no process for a check: \(error.message)") }
        }

        deinit {
            end()
            close(child.input)
            close(child.output)
            folder.remove()
        }

        private func end() {
            guard !child.hasEnded(within: .nanoseconds(0)) else { return }
            kill(-child.identifier, SIGKILL)
            _ = child.hasEnded(within: .seconds(5))
        }

        /// Gives an order and waits for the line that answers it, at the longest until the run ends.
        func ask(_ order: Data, deadlineSeconds: Double, until runEnd: RunEnd) -> Reply {
            let start = ContinuousClock.now
            // What was said before belongs to other checks.
            truncate(root + "/errors", 0)
            // A child that is gone closes its end: the write fails and the output tells the rest.
            child.write([UInt8](order) + [UInt8(ascii: "\n")])
            while true {
                if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { pending = Data(pending[pending.index(after: end)...]) }
                    return .line(Data(pending[..<end]))
                }
                guard start.duration(to: .now) < .seconds(deadlineSeconds), !runEnd.isOver else {
                    end()
                    return .late(lastErrors)
                }
                var poll = pollfd(fd: child.output, events: Int16(POLLIN), revents: 0)
                guard Foundation.poll(&poll, 1, 100) > 0 else { continue }
                var bytes = [UInt8](repeating: 0, count: 1 << 16)
                let count = Foundation.read(child.output, &bytes, bytes.count)
                guard count > 0 else { return .ended(ending) }
                pending += Data(bytes[..<count])
            }
        }

        /// How a child ended that has closed its output. One that goes on without it has a moment to end, and is killed.
        private var ending: String {
            guard child.hasEnded(within: .seconds(5)) else {
                end()
                return "its process closed its output and went on" + lastErrors
            }
            let words =
                switch child.outcome(output: []) {
                case .signalled(let signal): "signal \(signal) ended its process"
                case .exited(let status, _): "its process ended with status \(status) and without an answer"
                case .hung, .stopped, .notStarted: "its process ended"
                }
            return words + lastErrors
        }

        private var lastErrors: String {
            var words = LastWords()
            words.add((try? Data(contentsOf: URL(filePath: root + "/errors"))) ?? Data())
            return words.lines.isEmpty ? "" : ". " + words.lines.joined(separator: "\n")
        }
    }
#endif
