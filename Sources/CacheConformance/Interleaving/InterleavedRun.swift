import CacheCore
import Synchronization

/// One run of a program whose clients are interleaved as a list of choices says.
struct InterleavedRun {
    /// What clients were told, in places of the order in which it happened.
    let history: History
    /// How many jobs there were to choose from at each step.
    let branches: [Int]
    /// Which of them was taken.
    let choices: [Int]
    /// The first error.
    let fault: StoreError?
    /// Whether clients waited when there was nothing left to run.
    let isStuck: Bool

    /// How long nothing may be ready where work is done on other threads. A cache whose work is all on the executor is stuck at
    /// once, but that cannot be told from one that waits for a disk.
    private static let patienceSeconds = 20.0

    /// Runs a program on an instance that is open on an executor. Where the choices end the first job that is ready is taken.
    init(
        _ program: InterleavedProgram, on instance: any SuspendingInstance, _ executor: SteppedExecutor, choosing: [Int]
    ) {
        let log = Log()
        var steps: [(branches: Int, choice: Int)] = []
        var isStuck = false
        /// Lets a group of clients go on until all have ended.
        func run(_ clients: [[InterleavedProgram.Call]], from first: Int32, _ choose: (Int) -> Int) {
            for (number, calls) in clients.enumerated() {
                Task(executorPreference: executor.tasks) {
                    for call in calls { await log.ask(call, by: first + Int32(number), of: instance) }
                    log.end()
                }
            }
            log.expect(clients.count)
            while !log.isOver, !isStuck {
                isStuck = !executor.runNext(waitingSeconds: Self.patienceSeconds, choose)
            }
        }
        run([program.before], from: 0) { _ in 0 }
        run(program.clients, from: 1) { ready in
            let wanted = steps.count < choosing.count ? choosing[steps.count] : 0
            let choice = min(wanted, ready - 1)
            steps.append((ready, choice))
            return choice
        }
        run([(0..<program.keyCount).map { .init(kind: .get, key: $0) }], from: 0) { _ in 0 }
        history = History(log.operations, timeUnit: .events)
        branches = steps.map(\.branches)
        choices = steps.map(\.choice)
        fault = log.fault
        self.isStuck = isStuck
    }

    /// What clients asked and were told.
    private final class Log: Sendable {
        private struct State {
            var operations: [HistoryOperation] = []
            var now: Int64 = 0
            var fault: StoreError?
            var running = 0
        }

        private let state = Mutex(State())

        var operations: [HistoryOperation] { state.withLock { $0.operations } }
        var fault: StoreError? { state.withLock { $0.fault } }
        var isOver: Bool { state.withLock { $0.running <= 0 } }
        func expect(_ clients: Int) { state.withLock { $0.running += clients } }
        func end() { state.withLock { $0.running -= 1 } }

        func ask(_ call: InterleavedProgram.Call, by client: Int32, of instance: any SuspendingInstance) async {
            let place = state.withLock { state in
                state.now += 1
                state.operations.append(
                    HistoryOperation(
                        call.kind, client: client, key: call.key, argument: call.argument, expected: call.expected,
                        callTime: state.now, returnTime: HistoryOperation.never))
                return state.operations.count - 1
            }
            let answer = await instance.performSuspending(call.operation)
            state.withLock { state in
                state.now += 1
                state.fault = state.fault ?? answer.error
                state.operations[place].returnTime = state.now
                state.operations[place].result = StressClient.number(
                    answer, StressClient.key(call.key), InterleavedProgram.valueBytes)
            }
        }
    }
}
