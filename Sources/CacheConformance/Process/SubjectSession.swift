import CacheCore
import Dispatch
import Foundation
import Synchronization

/// A conversation with a subject in a child process, from its start to its end, by whatever cause that comes.
///
/// Any number of threads may ask at once. One thread of the session's own reads the answers, gives each to who waits for
/// it, and ends the process at the deadline.
final class SubjectSession: Sendable {
    /// Somebody who waits.
    private final class Waiter: Sendable {
        let deadline: ContinuousClock.Instant
        let seconds: Double
        let answer = Mutex<SubjectAnswer?>(nil)
        let isOver = DispatchSemaphore(value: 0)

        init(seconds: Double) { (self.seconds, deadline) = (seconds, .now + .seconds(seconds)) }
    }

    private struct State {
        var waiters: [Int: Waiter] = [:]
        var next = 0
        /// Why the conversation is over.
        var end: StoreError?
        var isDisposed = false
        var errors = LastWords()
    }

    /// How long an answer to an operation may take at most, whatever the session's own deadline is. Of whoever asks: starting a
    /// process and opening a cache may take their time.
    @TaskLocal static var answerSecondsMax = Double.infinity

    private let program: ChildProgram
    private let answerSeconds: Double
    private let isOnClock: Bool
    private let state = Mutex(State())
    /// Frames of several threads must not mix.
    private let writing = Mutex(())
    /// What the subject said about itself.
    private let greeting = Mutex<SubjectAnswer.Hello?>(nil)

    /// Starts a command and greets it.
    init(command: String, answerSeconds: Double, clock: FakedClock? = nil) throws(StoreError) {
        program = try ChildProgram(command: (clock?.preamble ?? "") + command)
        self.answerSeconds = answerSeconds
        isOnClock = clock != nil
        Thread.detachNewThread { [self] in read() }
        do throws(StoreError) {
            let answer = try ask(SubjectRequest(hello: SubjectRequest.Hello()))
            if case .failure(let error) = answer.result { throw error }
            guard let hello = answer.hello else { throw Self.broken("it did not answer the greeting with 'hello'") }
            guard SubjectRequest.versions.contains(hello.version) else {
                let ours = SubjectRequest.versions.map(String.init).joined(separator: ", ")
                throw StoreError(
                    .unsupported,
                    "the subject speaks version \(hello.version) of the subject protocol, and this Assay \(ours); "
                        + "answer the greeting with one of the versions that it offers")
            }
            greeting.withLock { $0 = hello }
        } catch {
            dispose()
            throw error
        }
    }

    /// What the subject said about itself.
    var hello: SubjectAnswer.Hello { greeting.withLock { $0! } }

    /// Whether nothing more can be asked.
    var isOver: Bool { state.withLock { $0.end != nil } }

    /// Ends the process as a crash does.
    func kill() { program.kill() }

    /// Ends the process as a crash does, when so much time has passed.
    func kill(afterMicroseconds time: Int) {
        Thread.detachNewThread { [self] in
            usleep(UInt32(time))
            kill()
        }
    }

    /// Ends the process.
    func dispose() { state.withLock { $0.isDisposed = true } }

    /// Asks and waits; the request's number is given here.
    func ask(_ request: SubjectRequest) throws(StoreError) -> SubjectAnswer { try ask([request])[0].get() }

    /// Asks several at once and waits for all: they lie in the pipe together, in their order, before the first is answered.
    func ask(_ requests: [SubjectRequest]) throws(StoreError) -> [Result<SubjectAnswer, StoreError>] {
        var (frames, waiters) = ([UInt8](), [Waiter]())
        for var request in requests {
            let isOperation = request.step != nil
            let waiter = Waiter(seconds: isOperation ? min(answerSeconds, Self.answerSecondsMax) : answerSeconds)
            request.id = try state.withLock { (state) throws(StoreError) in
                if let end = state.end { throw end }
                defer { state.next += 1 }
                state.waiters[state.next] = waiter
                return state.next
            }
            guard let body = try? JSONEncoder().encode(request) else {
                throw StoreError(.inputOutput, "a request could not be written as JSON")
            }
            frames += SubjectFrames.frame(Array(body))
            waiters.append(waiter)
        }
        // If it cannot be written the process has ended, or soon will: who reads says why.
        _ = writing.withLock { _ in program.write(frames) }
        return waiters.map { waiter in
            waiter.isOver.wait()
            if let answer = waiter.answer.withLock({ $0 }) { return .success(answer) }
            return .failure(state.withLock { $0.end! })
        }
    }

    private static func broken(_ what: String) -> StoreError {
        StoreError(.inputOutput, "the subject breaks the protocol: \(what)")
    }

    // MARK: The reading thread

    private func read() {
        var frames = SubjectFrames()
        var exit: String?
        var isReadable = true
        while true {
            if state.withLock({ $0.isDisposed }) { return finish(.closed, exit) }
            var polls = [
                pollfd(fd: isReadable ? program.output : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: program.errors, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&polls, 2, exit == nil ? 50 : 0)
            let isQuiet = polls[0].revents == 0
            if polls[1].revents != 0 { collectErrors() }
            if !isQuiet {
                let bytes = Self.available(program.output)
                isReadable = !bytes.isEmpty
                frames.append(bytes[...])
                if let fault = deliver(&frames) { return finish(fault, exit) }
            }
            if exit != nil, isQuiet || !isReadable {
                return finish(StoreError(.crashed, "the subject's process is gone: \(exit!)"), exit)
            }
            if exit == nil { exit = program.reap() }
            if let late = state.withLock({ $0.waiters.values.first { $0.deadline < .now } }) {
                return finish(StoreError(.hung, "no answer within \(late.seconds) s"), exit)
            }
        }
    }

    static func available(_ descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            count = max(0, Foundation.read(descriptor, buffer.baseAddress, 1 << 16))
        }
    }

    private func collectErrors() {
        let bytes = Self.available(program.errors)
        state.withLock { $0.errors.add(bytes) }
    }

    /// Gives whole frames to those who wait; a fault if one is no answer.
    private func deliver(_ frames: inout SubjectFrames) -> StoreError? {
        do {
            while let body = try frames.next() {
                let answer: SubjectAnswer
                do {
                    let decoder = JSONDecoder()
                    decoder.userInfo[.claimsTimeToLive] = isOnClock
                    answer = try decoder.decode(SubjectAnswer.self, from: Data(body))
                } catch {
                    let words = SubjectFrames.Garbage(head: Array(body.prefix(80))).words
                    return Self.broken("it answered '\(words)', \(Self.reason(error))")
                }
                let waiting = state.withLock { state in
                    state.errors.answered()
                    return state.waiters.removeValue(forKey: answer.id)
                }
                guard let waiter = waiting else {
                    return Self.broken("it answered request \(answer.id), which waits for no answer")
                }
                waiter.answer.withLock { $0 = answer }
                waiter.isOver.signal()
            }
            return nil
        } catch {
            return Self.broken("'\(error.words)' begins no frame, which is four bytes of length and JSON")
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "which is no answer of version 1" }
        guard case .dataCorrupted(let context) = error else {
            return "which is no answer of version 1: \(error.inWords)"
        }
        // Foundation says so of a number that is too long, too.
        return context.debugDescription.contains("not valid JSON")
            ? "which is no answer of version 1: that is JSON, with numbers of 64 bits" : error.inWords
    }

    /// Ends the process and tells everybody who waits.
    private func finish(_ end: StoreError, _ exit: String?) {
        program.end(exit)
        collectRest()
        let waiters = state.withLock { state in
            var end = end
            let lines = state.errors.lines
            if end.code != .closed, !lines.isEmpty { end.message += "; it said: " + lines.joined(separator: " / ") }
            state.end = end
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        writing.withLock { _ in program.closeEnds() }
        for waiter in waiters { waiter.isOver.signal() }
    }

    private func collectRest() {
        var polls = [pollfd(fd: program.errors, events: Int16(POLLIN), revents: 0)]
        if poll(&polls, 1, 0) > 0 { collectErrors() }
    }
}
