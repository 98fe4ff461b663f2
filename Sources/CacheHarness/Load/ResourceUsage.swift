internal import CacheCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What this process has used up, by the operating system's account.
enum ResourceUsage {
    /// The figures since the process began. What the processor counts is left out: that needs ``HardwareCounters``, which
    /// are opened before.
    static func now() -> ResourceFigures {
        var usage = rusage()
        #if canImport(Glibc)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            getrusage(RUSAGE_SELF, &usage)
        #endif
        return ResourceFigures(
            userSeconds: seconds(usage.ru_utime), systemSeconds: seconds(usage.ru_stime),
            voluntarySwitches: Int(usage.ru_nvcsw), involuntarySwitches: Int(usage.ru_nivcsw),
            minorFaults: Int(usage.ru_minflt), majorFaults: Int(usage.ru_majflt))
    }

    /// The processor time of this process and of the children that it has waited for, in seconds.
    static var processorSeconds: Double {
        var own = rusage()
        var children = rusage()
        #if canImport(Glibc)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &own)
            getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &children)
        #else
            getrusage(RUSAGE_SELF, &own)
            getrusage(RUSAGE_CHILDREN, &children)
        #endif
        return [own.ru_utime, own.ru_stime, children.ru_utime, children.ru_stime].map(seconds).reduce(0, +)
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    /// What was used up from one moment to another.
    static func between(_ start: ResourceFigures, _ end: ResourceFigures) -> ResourceFigures {
        ResourceFigures(
            userSeconds: end.userSeconds - start.userSeconds, systemSeconds: end.systemSeconds - start.systemSeconds,
            voluntarySwitches: end.voluntarySwitches - start.voluntarySwitches,
            involuntarySwitches: end.involuntarySwitches - start.involuntarySwitches,
            minorFaults: end.minorFaults - start.minorFaults, majorFaults: end.majorFaults - start.majorFaults)
    }
}
