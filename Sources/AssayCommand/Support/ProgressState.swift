import CacheCore
import Foundation
import Synchronization

/// How far a command has come: what its progress line and a live page are made of.
struct ProgressState: Encodable, Sendable {
    /// A finished piece of the work, or a failure of one.
    struct Finding: Encodable, Sendable {
        /// What it is about: a policy, a cache, a check.
        var name: String
        /// Where it was found: a trace and a capacity, or a subject.
        var place: String
        /// What else tells it from others.
        var detail: String?
        /// A verdict in a word; nil for figures.
        var verdict: String?
        var hitRatio: Double?
        var requestsPerSecond: Double?
        /// What went wrong; nil for what did not fail.
        var failure: String?
    }

    /// One line for a terminal.
    var line = ""
    /// What is counted, as `combinations`.
    var unit = "combinations"
    var done = 0
    /// How many there are; nil where that is not known.
    var total: Int?
    /// The share of the work that is done, from 0 to 1; nil where the work is not known.
    var share: Double?
    var elapsedSeconds = 0.0
    /// The estimate for the rest; nil where there is none yet.
    var secondsLeft: Double?
    /// Simulated requests a second; nil where none are simulated.
    var requestsPerSecond: Double?
    /// What runs now.
    var running: [String] = []
    var failed = 0
    /// The first failures, at most ``listedMax``.
    var failures: [Finding] = []
    /// What was found last, the newest first, at most ``listedMax``.
    var latest: [Finding] = []
    /// The best hit ratio of each place, of policies that a cache can use.
    var best: [Finding] = []
    /// How often each verdict was given.
    var verdicts: [String: Int] = [:]

    /// The most entries of a list: a state is sent whole.
    static let listedMax = 100

    /// The policies that know the future, which no cache can use.
    private static let bounds = Set(
        Plugins.current.policies.map(\.descriptor).filter { $0.family == "bound" }.map(\.name))

    /// Counts something finished that is not listed.
    mutating func finish() { done += 1 }

    /// Counts and lists something finished.
    mutating func finish(_ finding: Finding) {
        done += 1
        if let verdict = finding.verdict { verdicts[verdict, default: 0] += 1 }
        if finding.failure != nil {
            failed += 1
            if failures.count < Self.listedMax { failures.append(finding) }
        }
        latest.insert(finding, at: 0)
        if latest.count > Self.listedMax { latest.removeLast() }
        guard let ratio = finding.hitRatio, !Self.bounds.contains(finding.name) else { return }
        if let index = best.firstIndex(where: { $0.place == finding.place }) {
            if ratio > best[index].hitRatio ?? 0 { best[index] = finding }
        } else if best.count < Self.listedMax {
            best.append(finding)
        }
    }

    /// Sets the share of the work that is done, and what that says of the rest.
    mutating func estimate(_ share: Double) {
        self.share = min(1, share)
        secondsLeft = share > 0.01 ? max(0, elapsedSeconds / share - elapsedSeconds) : nil
    }

    /// The time that is left, in words.
    var left: String { secondsLeft.map { Self.duration($0) + " left" } ?? "estimating" }

    /// `12 s`, `3:05 min`.
    static func duration(_ seconds: Double) -> String {
        let whole = Int(min(seconds.rounded(.up), 1e9))
        return whole < 60 ? "\(whole) s" : String(format: "%d:%02d min", whole / 60, whole % 60)
    }
}

extension ProgressState.Finding {
    /// A combination's result.
    init(_ cell: CellResult) {
        name = cell.policy
        place = Self.place(cell)
        let admission = cell.admission == "always" ? "" : "behind \(cell.admission)"
        detail = [cell.parameters, admission, cell.prefetch.map { "with \($0)" } ?? ""].filter { !$0.isEmpty }.joined(
            separator: ", ")
        hitRatio = cell.counts.flatMap { $0.requests > 0 ? Double($0.hits) / Double($0.requests) : nil }
        requestsPerSecond = cell.requestsPerSecond
        verdict = cell.failure?.kind.rawValue
        failure = cell.hasFailed ? cell.failure?.message : nil
    }

    /// A system's result.
    init(_ result: SystemResult) {
        name = result.system
        place = "\(result.workload), \(result.policy) on \(result.backend)"
        hitRatio = result.counts?.hitRatio
        requestsPerSecond = result.callsPerSecond
        verdict = result.failure?.kind.rawValue
        failure = result.failure.flatMap { $0.kind == .notApplicable ? nil : $0.message }
    }

    private static func place(_ cell: CellResult) -> String {
        let backend = cell.backend == CellResult.simulationBackend ? "" : " on \(cell.backend)"
        return "\(cell.trace), \(cell.capacity) \(cell.capacityUnit.rawValue)\(backend)"
    }

    /// What runs while a combination is replayed.
    static func label(_ cell: CellResult) -> String { "\(cell.policy) · \(place(cell))" }
}

/// Who hears how far a command is beside its terminal, such as a live page.
protocol ProgressObserver: Sendable {
    /// Hears a state, a few times a second; the last one of a piece of work says so.
    func hear(_ state: ProgressState, isLast: Bool)
    /// Hears of a page that the command ends with, and of the file that it is in; nil if it is in none.
    func hear(page: Data, named name: String, path: String?)
}

/// The one observer of this process.
enum ProgressObservers {
    private static let observer = Mutex<(any ProgressObserver)?>(nil)

    /// The observer, from before the command begins; nil for none.
    static var current: (any ProgressObserver)? {
        get { observer.withLock { $0 } }
        set { observer.withLock { $0 = newValue } }
    }

    /// Tells the observer which of these files are pages.
    static func hear(files: [String]) {
        guard let observer = current else { return }
        for path in files where path.hasSuffix(".html") {
            guard let page = FileManager.default.contents(atPath: path) else { continue }
            observer.hear(page: page, named: URL(filePath: path).lastPathComponent, path: path)
        }
    }
}
