internal import CacheCore
internal import Foundation

/// What else the machine did while something was timed, and whether the times repeat: what a report must warn of.
///
/// Take one where the work begins, or use that of the process, and ask it for ``warnings(repeated:)`` in the end.
public struct TimingConditions: Sendable {
    /// The load average over one minute when the work began; nil if unknown.
    public let loadAverage: Double?
    private let start: ProcessorTimes?

    /// The conditions since the program first looked at them, which it does when it starts.
    public static let ofProcess = TimingConditions()

    /// Conditions from now on.
    public init() {
        loadAverage = EnvironmentProbe.loadAverage()
        start = ProcessorTimes()
    }

    /// Why times that were taken since are not to be relied on, a sentence each; none on a quiet machine.
    ///
    /// - Parameter repeated: The times, or rates, of what was measured more than once.
    public func warnings(repeated: [[Double]] = []) -> [String] {
        let others = start.flatMap { start in ProcessorTimes().flatMap { start.othersBusy(until: $0) } }
        let processors = ProcessInfo.processInfo.activeProcessorCount
        return [
            Self.loadWarning(othersBusy: others, loadAverage: loadAverage, processors: processors),
            Self.spreadWarning(repeated),
        ].compactMap(\.self)
    }

    /// A warning of other programs: by the processors that they kept busy, or where that is unknown by the load average.
    static func loadWarning(othersBusy: Double?, loadAverage: Double?, processors: Int) -> String? {
        let advice = "times are longer and scatter more than on an idle machine. Close other programs and repeat"
        func text(_ value: Double) -> String { String(format: "%.1f", value) }
        if let othersBusy {
            guard othersBusy > busyShare * Double(processors) else { return nil }
            return "Other programs kept \(text(othersBusy)) of \(processors) processors busy: \(advice)."
        }
        guard let loadAverage, loadAverage > Double(processors) else { return nil }
        return "The load average was \(text(loadAverage)) on \(processors) processors: \(advice)."
    }

    /// A warning of measurements that do not repeat; nil if they do.
    static func spreadWarning(_ repeated: [[Double]]) -> String? {
        let all = repeated.filter { $0.count > 1 }
        let scattered = all.count { values in
            guard let least = values.min(), let most = values.max() else { return false }
            return most > spread * least
        }
        guard scattered > 0 else { return nil }
        return "\(scattered) of \(all.count) repeated measurements scatter: their largest is more than "
            + "\(spread) times their least. Something disturbed them."
    }

    /// The share of the processors that others may keep busy unnoticed.
    private static var busyShare: Double { 0.1 }
    /// How many times the least the largest of equal measurements may be.
    private static var spread: Double { 1.5 }
}

/// The time that processors have worked, for everybody and for this process with the children that it has waited for.
private struct ProcessorTimes: Sendable {
    private let all: Double
    private let own: Double
    private let moment: UInt64

    /// Nil where the system does not say.
    init?() {
        guard let line = EnvironmentProbe.field("cpu ", in: "/proc/stat") else { return nil }
        // user, nice, system, idle, iowait, irq, softirq, steal: in ticks of a hundredth of a second.
        let ticks = line.split(separator: " ").compactMap { Double($0) }
        guard ticks.count >= 8 else { return nil }
        all = (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]) / 100
        own = ResourceUsage.processorSeconds
        moment = MonotonicClock.nowNanoseconds()
    }

    /// How many processors others kept busy; nil if too little time has passed to say.
    func othersBusy(until end: ProcessorTimes) -> Double? {
        let seconds = Double(end.moment &- moment) / 1e9
        guard seconds >= 0.5 else { return nil }
        return max(0, (end.all - all) - (end.own - own)) / seconds
    }
}
