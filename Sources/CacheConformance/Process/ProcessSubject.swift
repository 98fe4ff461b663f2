public import CacheCore
import Foundation
import Synchronization

/// A cache in a child process, in any language, that speaks Assay's subject protocol on its standard input and output.
///
/// `docs/subject-protocol.md` specifies the protocol; `Sources/CacheKits/python/assay_subject.py` has a reference adapter. The
/// process is started when it is first needed, serves all instances, and is started again after it has ended. That it
/// crashed, did not answer in time or said what is no answer is the answer of the operation that was under way: a
/// `StoreError` with the code `crashed`, `hung` or `inputOutput`.
public final class ProcessSubject: CacheSubject {
    /// The command line of the shell that starts it.
    public let command: String
    private let answerSeconds: Double
    private let given: Claims?
    private let policies: [PolicyEntry]
    private let clock: FakedClock?
    /// What is claimed on the clock, once it is known.
    private let claimsOnClock = Mutex<Claims?>(nil)
    /// How many instances are held.
    private let instances = InstanceCount()
    private let current = Mutex<SubjectSession?>(nil)
    /// What is to be killed on the way, while it runs.
    private let doomed = Mutex<SubjectSession?>(nil)
    /// Whether it was ended for good.
    private let isOver = Atomic(false)
    private let nextInstance = Atomic<Int>(1)

    /// A subject that a command line of the shell starts.
    ///
    /// - Parameters:
    ///   - claims: Claims in the place of those that the subject makes.
    ///   - answerSeconds: How long one answer may take.
    ///   - policies: Those whose order may be claimed by name.
    ///   - clock: A clock in the place of the system's, which the suite moves; nil for a subject that moves its own when it is told.
    public init(
        command: String, claims: Claims? = nil, answerSeconds: Double = 60, policies: [PolicyEntry] = [],
        clock: FakedClock? = nil
    ) {
        self.command = command
        self.clock = clock
        self.answerSeconds = answerSeconds
        self.policies = policies
        given = claims
    }

    deinit {
        // What libfaketime leaves behind can be removed once the process is gone.
        if clock == nil { current.withLock { $0?.dispose() } } else { endProcess() }
    }

    /// `exec:` and the command.
    public var name: String { "exec:\(command)" }

    /// What is said of a subject without claims.
    static let lackOfClaims = "the subject makes no claims; give them in a file"

    /// What the subject calls itself, with its version if it says one.
    public func title() throws(StoreError) -> String { try session().hello.name }

    /// Whether the subject asked for directories; false if it cannot be asked.
    public var needsDirectory: Bool { (try? session().hello.needsDirectory) ?? false }

    /// The policy that the claims name.
    public var orderPolicy: PolicyEntry? {
        guard let order = (try? claims())?.order else { return nil }
        return policies.first { $0.descriptor.name == order }
    }

    /// The claims that were given, or those that the subject makes; on a clock that the suite moves also what it was found to do there.
    public func claims() throws(StoreError) -> Claims {
        let made: Claims
        if let given {
            made = given
        } else if let own = try session().hello.claims {
            made = own
        } else {
            throw StoreError(.unsupported, Self.lackOfClaims)
        }
        guard let clock else { return made }
        if let known = claimsOnClock.withLock({ $0 }) { return known }
        let found = try clock.claims(made, of: self)
        claimsOnClock.withLock { $0 = found }
        return found
    }

    /// Opens an instance in the running process.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        if let clock, clock.isFarGone(for: claimsOnClock.withLock(\.self)), instances.count == 0,
            directory.map({ Directory.names($0).isEmpty }) ?? true
        {
            // Nothing that is held or stored knows what time it was, and no process may see the clock go back.
            endProcess()
            try clock.rewind()
        }
        let session = try session()
        let number = nextInstance.add(1, ordering: .relaxed).oldValue
        let request = SubjectRequest(instance: number, open: SubjectRequest.Open(setup, in: directory))
        if case .failure(let error) = try session.ask(request).result { throw error }
        let stated = given ?? session.hello.claims
        return ProcessInstance(
            session, number, clock, looksByGet: stated?.deviates(.containsIsGet) ?? false, counted: instances)
    }

    /// Does operations in a process of its own, which is killed on the way; how far it came, nil if there was no process.
    func progress(
        of operations: [CacheOperation], setup: CacheSetup, in directory: String, until stop: ForkedRun.Stop
    ) -> ForkedRun.Progress? {
        guard !isOver.load(ordering: .acquiring),
            let session = try? SubjectSession(command: command, answerSeconds: answerSeconds, clock: clock)
        else { return nil }
        doomed.withLock { $0 = session }
        defer {
            doomed.withLock { $0 = nil }
            session.dispose()
        }
        if isOver.load(ordering: .acquiring) { session.kill() }
        var progress = ForkedRun.Progress(signs: [])
        if case .afterMicroseconds(let time) = stop { session.kill(afterMicroseconds: time) }
        let request = SubjectRequest(instance: 1, open: SubjectRequest.Open(setup, in: directory))
        if let answer = try? session.ask(request) { progress.opened = answer.result == .done }
        let instance = ProcessInstance(session, 1, clock)
        for (index, operation) in operations.enumerated() where progress.opened == true {
            if case .afterOperation(index) = stop { break }
            if case .afterMicrosecondsOfWork(let time, index) = stop { session.kill(afterMicroseconds: time) }
            if instance.perform(operation).error.map({ $0.code == .crashed }) == true { break }
            progress.acknowledged += 1
        }
        if case .afterOperation = stop {} else { for _ in 0..<2_000 where !session.isOver { usleep(5_000) } }
        session.kill()
        for _ in 0..<2_000 where !session.isOver { usleep(5_000) }
        return progress
    }

    /// Kills the process and starts no other: whatever is asked is answered by an error at once, so that a check that is under way
    /// ends. Any thread may call it.
    public func endForGood() {
        isOver.store(true, ordering: .releasing)
        for session in [current.withLock(\.self), doomed.withLock(\.self)] {
            if let session, !session.isOver { session.kill() }
        }
    }

    /// Ends the process, with everything that it started, and waits until it is gone. The next use starts another one.
    public func endProcess() {
        let session = current.withLock { (current) -> SubjectSession? in
            defer { current = nil }
            return current
        }
        guard let session else { return }
        session.dispose()
        for _ in 0..<2_000 where !session.isOver { usleep(1_000) }
        clock?.clearLeftovers()
    }

    private func session() throws(StoreError) -> SubjectSession {
        try current.withLock { (current) throws(StoreError) in
            if isOver.load(ordering: .acquiring) { throw StoreError(.unavailable, "the subject was ended") }
            if let session = current, !session.isOver { return session }
            let session = try SubjectSession(command: command, answerSeconds: answerSeconds, clock: clock)
            try clock?.moveOnFromStart(given ?? session.hello.claims)
            current = session
            return session
        }
    }
}

/// How many instances of a subject are held.
final class InstanceCount: Sendable {
    private let held = Atomic<Int>(0)
    var count: Int { held.load(ordering: .relaxed) }
    func add(_ more: Int) { held.add(more, ordering: .relaxed) }
}

/// One open cache in a child process.
final class ProcessInstance: CacheInstance {
    private let session: SubjectSession
    private let number: Int
    private let clock: FakedClock?
    /// Whether a get is asked where a look is unsupported.
    private let looksByGet: Bool
    private let counted: InstanceCount?
    private let isClosed = Atomic(false)

    init(
        _ session: SubjectSession, _ number: Int, _ clock: FakedClock? = nil, looksByGet: Bool = false,
        counted: InstanceCount? = nil
    ) {
        self.session = session
        self.number = number
        self.clock = clock
        self.looksByGet = looksByGet
        self.counted = counted
        counted?.add(1)
    }

    deinit {
        counted?.add(-1)
        if !session.isOver { _ = try? session.ask(SubjectRequest(instance: number, release: true)) }
    }

    func perform(_ operation: CacheOperation) -> OperationResult { perform(operation, face: 0) }

    func perform(_ operation: CacheOperation, face: Int) -> OperationResult {
        if operation == .close { isClosed.store(true, ordering: .relaxed) }
        if let clock, !isClosed.load(ordering: .relaxed), let answer = clock.answer(to: operation) { return answer }
        return ask([operation], face: face)[0]
    }

    /// Asks for several operations before the first is answered: what a subject with threads does is done at once.
    func perform(atOnce operations: [CacheOperation]) -> [OperationResult] {
        // A clock that the suite moves goes on when what was asked before is done.
        clock == nil ? ask(operations) : operations.map(perform)
    }

    private func ask(_ operations: [CacheOperation], face: Int = 0) -> [OperationResult] {
        let requests = operations.map {
            SubjectRequest(instance: number, step: OperationLine($0).spelled, face: face == 0 ? nil : face)
        }
        do throws(StoreError) {
            return try zip(operations, session.ask(requests)).map { operation, answer in
                let result: OperationResult =
                    switch answer {
                    case .success(let answer):
                        answer.result
                            ?? .failure(StoreError(.inputOutput, "the subject answered a step with a greeting"))
                    case .failure(let error): .failure(error)
                    }
                return looksByGet && result.isUnsupported ? look(operation, face) ?? result : result
            }
        } catch {
            return operations.map { _ in .failure(error) }
        }
    }

    /// What a get says in the place of a look; nil for another operation.
    private func look(_ operation: CacheOperation, _ face: Int) -> OperationResult? {
        switch operation {
        case .contains(let key): ask([.get(key)], face: face)[0].asLook
        case .within(let group, .contains(let key)): ask([.within(group: group, .get(key))], face: face)[0].asLook
        default: nil
        }
    }
}

extension OperationResult {
    /// The answer of a get as that of a look.
    fileprivate var asLook: OperationResult {
        if case .entry(let found) = self { .flag(found != nil) } else { self }
    }
}
