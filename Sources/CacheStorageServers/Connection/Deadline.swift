#if Servers
    import Dispatch

    /// A moment by which a call must have its answer, on the clock that never goes back.
    struct Deadline: Sendable {
        let moment: DispatchTime

        /// The moment that is so many milliseconds away.
        init(milliseconds: Int) { moment = .now() + .milliseconds(milliseconds) }

        private init(moment: DispatchTime) { self.moment = moment }

        /// Whether the moment has come.
        var isOver: Bool { DispatchTime.now() >= moment }

        /// What is left, in nanoseconds; zero when it is over.
        var nanosecondsLeft: Int64 {
            let now = DispatchTime.now().uptimeNanoseconds
            return now >= moment.uptimeNanoseconds ? 0 : Int64(clamping: moment.uptimeNanoseconds - now)
        }

        /// The earlier of this deadline and one that is so many milliseconds away.
        func limited(toMilliseconds milliseconds: Int) -> Deadline {
            Deadline(moment: min(moment, .now() + .milliseconds(milliseconds)))
        }

        /// Sleeps, but not beyond the deadline.
        func pause(milliseconds: Int) {
            _ = DispatchSemaphore(value: 0).wait(timeout: min(moment, .now() + .milliseconds(milliseconds)))
        }
    }
#endif
