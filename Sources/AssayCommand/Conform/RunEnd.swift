#if Conformance
    import CacheConformance
    import Dispatch
    import Synchronization

    /// When a run ends, whatever is left to ask: after some seconds, or when it is interrupted.
    final class RunEnd: Sendable {
        private let end: ContinuousClock.Instant?
        private let interruption = Mutex((isInterrupted: false, subjects: [ProcessSubject]()))

        /// An end so many seconds from now; none but an interruption for nil.
        init(afterSeconds seconds: Double?) { end = seconds.map { ContinuousClock.now + .seconds($0) } }

        /// Whether it was interrupted.
        var isInterrupted: Bool { interruption.withLock(\.isInterrupted) }

        /// Whether nothing more is asked.
        var isOver: Bool { secondsLeft == 0 }

        /// The seconds that are left, at least 0; nil without an end.
        var secondsLeft: Double? {
            isInterrupted ? 0 : end.map { max(0, ContinuousClock.now.duration(to: $0) / .seconds(1)) }
        }

        /// What is said of a check that was stopped.
        static let notFinished = CheckOutcome.inconclusive("the run ended before it was finished")

        /// Ends the run now. Any thread may call it.
        func interrupt() {
            let subjects = interruption.withLock { state in
                state.isInterrupted = true
                return state.subjects
            }
            for subject in subjects { subject.endForGood() }
        }

        /// Kills the process of a subject at the end, so that what is asked of it then ends. What is given back, nil where no time is
        /// set, calls that off.
        func ending(_ subject: ProcessSubject) -> DispatchWorkItem? {
            interruption.withLock { $0.subjects.append(subject) }
            guard let secondsLeft else { return nil }
            let ending = DispatchWorkItem { subject.endForGood() }
            DispatchQueue.global().asyncAfter(deadline: .now() + secondsLeft, execute: ending)
            return ending
        }
    }
#endif
