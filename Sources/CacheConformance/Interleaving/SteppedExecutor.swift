import Dispatch
import Synchronization

/// An executor on which everything stands still until the suite lets one job go on: tasks and actors that run here are
/// interleaved as the suite chooses, and again in the same way as often as it likes.
///
/// A subject whose instances suspend is opened on one. Tasks take ``tasks`` as their preference:
/// `Task(executorPreference: executor.tasks) { … }`; an actor answers its `unownedExecutor` with
/// `executor.actors.asUnownedSerialExecutor()`. Jobs may come from any thread; they run one at a time, on the suite's.
public final class SteppedExecutor: Sendable {
    /// Where tasks run.
    public let tasks: any TaskExecutor
    /// Where actors run.
    public let actors: any SerialExecutor
    private let queue: JobQueue
    private let taskQueue: TaskQueue
    private let actorQueue: ActorQueue

    /// An executor with nothing to do.
    public init() {
        queue = JobQueue()
        taskQueue = TaskQueue(queue)
        actorQueue = ActorQueue(queue)
        (tasks, actors) = (taskQueue, actorQueue)
    }

    /// Runs one of the jobs that are ready, which `choose` picks by its number, until it ends or waits. Where none is ready
    /// one may still come from another thread; false if none does in time.
    func runNext(waitingSeconds: Double, _ choose: (_ ready: Int) -> Int) -> Bool {
        guard queue.arrivals.wait(timeout: .now() + waitingSeconds) == .success else { return false }
        let step = queue.ready.withLock { $0.remove(at: choose($0.count)) }
        switch step {
        case .task(let job): job.runSynchronously(on: taskQueue.asUnownedTaskExecutor())
        case .actor(let job): job.runSynchronously(on: actorQueue.asUnownedSerialExecutor())
        }
        return true
    }

    private enum Step { case task(UnownedJob), actor(UnownedJob) }

    /// What is ready to run, in the order in which it became so.
    private final class JobQueue: Sendable {
        let ready = Mutex<[Step]>([])
        /// One signal for each job that is ready.
        let arrivals = DispatchSemaphore(value: 0)

        func add(_ step: Step) {
            ready.withLock { $0.append(step) }
            arrivals.signal()
        }
    }

    private final class TaskQueue: TaskExecutor {
        private let queue: JobQueue
        init(_ queue: JobQueue) { self.queue = queue }
        func enqueue(_ job: consuming ExecutorJob) { queue.add(.task(UnownedJob(job))) }
    }

    private final class ActorQueue: SerialExecutor {
        private let queue: JobQueue
        init(_ queue: JobQueue) { self.queue = queue }
        func enqueue(_ job: consuming ExecutorJob) { queue.add(.actor(UnownedJob(job))) }
    }
}
