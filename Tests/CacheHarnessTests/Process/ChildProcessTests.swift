import Foundation
import Testing

@testable import CacheHarness

@Suite("ChildProcess: crashes and hangs are outcomes")
struct ChildProcessTests {
    private func shell(_ script: String, deadlineSeconds: Double = 30) -> ChildProcess {
        ChildProcess(executable: "/bin/sh", arguments: ["-c", script], deadlineSeconds: deadlineSeconds)
    }

    @Test func `input goes in and output comes out, however long`() {
        let input = [UInt8](repeating: 7, count: 300_000)
        guard case .exited(0, let output) = shell("cat").run(input: input, isStopping: { false }).outcome else {
            Issue.record("it did not exit")
            return
        }
        #expect(output == input)
    }

    @Test func `an input that is kept open ends with the program, not before`() {
        var child = shell("read line; echo $line; exec sleep 0.3")
        child.keepsInputOpen = true
        guard case .exited(0, let output) = child.run(input: Array("order\n".utf8), isStopping: { false }).outcome
        else {
            Issue.record("it did not exit")
            return
        }
        #expect(output == Array("order\n".utf8))
        var waiting = shell("exec cat >/dev/null", deadlineSeconds: 0.2)
        waiting.keepsInputOpen = true
        guard case .hung = waiting.run(input: [], isStopping: { false }).outcome else {
            Issue.record("its input ended")
            return
        }
    }

    /// The deadline is for a hang alone: tests wait for a free core, and a short one would fail on a busy machine.
    @Test(.timeLimit(.minutes(30)))
    func `a process that the program leaves behind does not hold up its outcome`() throws {
        // It keeps standard error open until this test removes a file, which is after the outcome.
        let marker = FileManager.default.temporaryDirectory.appending(path: "left-\(UUID().uuidString)")
        try Data().write(to: marker)
        defer { try? FileManager.default.removeItem(at: marker) }
        let script = "(while [ -e '\(marker.path)' ]; do sleep 0.05; done) & exec sleep 600"
        let outcome = shell(script, deadlineSeconds: 0.1).run(input: [], isStopping: { false }).outcome
        guard case .hung = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test func `a status and the last lines of standard error are reported`() {
        let (outcome, errors) = shell("echo one >&2; echo two >&2; exit 9").run(input: [], isStopping: { false })
        guard case .exited(9, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(errors == "one\ntwo")
    }

    @Test func `a signal is told apart from an exit`() {
        guard case .signalled(11) = shell("kill -SEGV $$").run(input: [], isStopping: { false }).outcome else {
            Issue.record("it did not crash")
            return
        }
    }

    @Test func `a program past its deadline is killed`() {
        let outcome = shell("exec sleep 600", deadlineSeconds: 0.05).run(input: [], isStopping: { false }).outcome
        guard case .hung = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test func `a wish to stop ends the program`() {
        guard case .stopped = shell("exec sleep 600").run(input: [], isStopping: { true }).outcome else {
            Issue.record("it was not stopped")
            return
        }
    }

    @Test func `a program that leads a group is killed with what it started`() throws {
        let pipe = FileManager.default.temporaryDirectory.appending(path: "assay-group-\(UUID().uuidString)").path
        #expect(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        let end = open(pipe, O_RDONLY | O_NONBLOCK)
        defer { close(end) }
        func has(_ event: Int32, within milliseconds: Int32) -> Bool {
            var state = pollfd(fd: end, events: Int16(event), revents: 0)
            return poll(&state, 1, milliseconds) > 0 && Int32(state.revents) & event != 0
        }
        var child = shell("(echo started; exec sleep 600) > '\(pipe)' & wait")
        child.leadsGroup = true
        guard case .stopped = child.run(input: [], isStopping: { has(Int32(POLLIN), within: 0) }).outcome else {
            Issue.record("it ended by itself")
            return
        }
        // What holds the other end has ended too.
        #expect(has(Int32(POLLHUP), within: 30_000))
    }

    @Test func `a program that is not there says so`() {
        let child = ChildProcess(executable: "/nowhere/at/all", arguments: [], deadlineSeconds: 1)
        guard case .notStarted = child.run(input: [], isStopping: { false }).outcome else {
            Issue.record("it started")
            return
        }
    }

    /// In a process of its own: the descriptors of this one are also other tests'.
    @Test func `many children run one after the other with few descriptors`() async {
        await #expect(processExitsWith: .success) {
            let open = ProcessFiles.openDescriptors() ?? 16
            var limit = rlimit(rlim_cur: rlim_t(open + 24), rlim_max: rlim_t(open + 24))
            precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            for number in 0..<40 {
                var child = ChildProcess(
                    executable: "/bin/sh", arguments: ["-c", "cat; echo no >&2"], deadlineSeconds: 600)
                child.keepsInputOpen = !number.isMultiple(of: 2)
                if child.keepsInputOpen { child.arguments = ["-c", "read word; echo $word"] }
                guard
                    case .exited(0, let output) = child.run(input: Array("word\n".utf8), isStopping: { false }).outcome,
                    output == Array("word\n".utf8)
                else { preconditionFailure("child \(number) did not run") }
            }
        }
    }

    @Test func `a child that cannot be started for want of descriptors is told from one that is not there`() async {
        await #expect(processExitsWith: .success) {
            func outcome(_ path: String) -> ChildProcess.Outcome {
                ChildProcess(executable: path, arguments: [], deadlineSeconds: 600).run(
                    input: [], isStopping: { false }
                )
                .outcome
            }
            guard case .notStarted(_, lacksResource: false) = outcome("/nowhere/program") else {
                preconditionFailure("it started")
            }
            _ = outcome("/bin/true")
            // The standard streams are open: nothing else can be, whatever the child before still holds.
            var limit = rlimit(rlim_cur: 3, rlim_max: 3)
            precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            guard case .notStarted(_, lacksResource: true) = outcome("/bin/true") else {
                preconditionFailure("it started")
            }
        }
    }
}
