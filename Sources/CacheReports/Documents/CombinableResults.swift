package import CacheCore
package import CacheGate

/// Recorded results that can be merged with others of their kind, or compared.
package protocol CombinableResults: ReportedResults {
    /// A cell, a curve, a subject, a system or advice: what is counted by itself.
    associatedtype Part: Hashable, Sendable

    var assayVersion: String { get set }
    var startedAt: String { get set }
    var durationSeconds: Double { get set }
    var commandLine: [String] { get set }
    var seed: UInt64 { get }
    var status: RunResults.Status { get set }
    var environment: EnvironmentDescription { get set }
    var traces: [TraceDescription] { get set }
    /// What is known of the policies, by name.
    var described: [PolicyDescription] { get set }
    /// The parts in their order.
    var parts: [Part] { get set }
    /// How many parts were asked for; nil if unknown.
    var planned: Int? { get set }
    /// Why times are not to be relied on, a sentence each; nothing is kept where results have no place for it.
    var doubts: [String] { get set }
    /// What holds for all parts, beside the seed: results with another cannot be merged.
    var setting: String { get }
    /// Every policy that ran.
    var policyNames: [String] { get }

    /// Where a part names its trace; nil where parts have none.
    static var traceName: WritableKeyPath<Part, String>? { get }
    /// What tells parts apart.
    static func identity(_ part: Part) -> String
    /// Two parts of one identity as one; nil if they contradict each other.
    static func united(_ first: Part, _ second: Part) -> Part?
    /// The figures as the gate reads them; nil for what has none to be compared.
    func figures(from source: String) throws(AssayError) -> FigureSet?
}

extension CombinableResults {
    package var planned: Int? {
        get { nil }
        set {}
    }
    package var doubts: [String] {
        get { [] }
        set {}
    }
    package var setting: String { "" }
}

extension CellResult {
    /// The cell if the other counted the same.
    fileprivate func united(with other: CellResult) -> CellResult? {
        counts == other.counts && failure?.kind == other.failure?.kind ? self : nil
    }

    fileprivate var wholeIdentity: String { "\(identity) | \(capacityRequested) | \(seed)" }
}

extension RunResults: CombinableResults {
    package var described: [PolicyDescription] {
        get { policies ?? [] }
        set { policies = newValue.isEmpty ? nil : newValue }
    }
    package var parts: [CellResult] {
        get { cells }
        set { cells = newValue }
    }
    package var planned: Int? {
        get { cellsPlanned }
        set { cellsPlanned = newValue }
    }
    package var doubts: [String] {
        get { warnings ?? [] }
        set { warnings = newValue.isEmpty ? nil : newValue }
    }
    package var policyNames: [String] { cells.map(\.policy) }
    package static var traceName: WritableKeyPath<CellResult, String>? { \.trace }
    package static func identity(_ part: CellResult) -> String { part.wholeIdentity }
    package static func united(_ first: CellResult, _ second: CellResult) -> CellResult? { first.united(with: second) }
    package func figures(from source: String) throws(AssayError) -> FigureSet? { try FigureSet(self, from: source) }
}

extension BenchResults: CombinableResults {
    package var described: [PolicyDescription] {
        get { policies }
        set { policies = newValue }
    }
    package var parts: [BenchSubject] {
        get { subjects }
        set { subjects = newValue }
    }
    package var doubts: [String] {
        get { warnings ?? [] }
        set { warnings = newValue.isEmpty ? nil : newValue }
    }
    package var setting: String { "\(load)" }
    package var policyNames: [String] { subjects.map(\.cell.policy) }
    package static var traceName: WritableKeyPath<BenchSubject, String>? { \.cell.trace }
    package static func identity(_ part: BenchSubject) -> String { part.cell.wholeIdentity }
    package static func united(_ first: BenchSubject, _ second: BenchSubject) -> BenchSubject? {
        first.cell.united(with: second.cell) == nil ? nil : first
    }
    package func figures(from source: String) throws(AssayError) -> FigureSet? { try FigureSet(self, from: source) }
}

extension CurveResults: CombinableResults {
    package var described: [PolicyDescription] {
        get { policies }
        set { policies = newValue }
    }
    package var parts: [CurveResult] {
        get { curves }
        set { curves = newValue }
    }
    package var setting: String { rules?.text ?? "" }
    package var policyNames: [String] { curves.map(\.policy) }
    package static var traceName: WritableKeyPath<CurveResult, String>? { \.trace }
    package static func identity(_ part: CurveResult) -> String {
        [
            part.trace, part.policy, part.parameters, part.capacityUnit.rawValue,
            part.warmUp.map { "after \($0.requests)" } ?? "",
        ]
        .joined(separator: " | ")
    }

    /// One curve of the points of two.
    package static func united(_ first: CurveResult, _ second: CurveResult) -> CurveResult? {
        guard first.method.isExact == second.method.isExact, first.sample == second.sample else { return nil }
        var curve = first
        for point in second.points {
            let same = first.points.filter { $0.capacity == point.capacity }
            guard same.allSatisfy({ ($0.hitRatio, $0.byteHitRatio) == (point.hitRatio, point.byteHitRatio) }) else {
                return nil
            }
            if same.isEmpty { curve.points.append(point) }
        }
        curve.failure = first.failure ?? second.failure
        guard curve.points.count > first.points.count else { return curve }
        curve.points.sort { $0.capacity < $1.capacity }
        curve.passSeconds = [first.passSeconds, second.passSeconds].compactMap(\.self).reduce(0, +)
        curve.requestsPerSecond = nil
        curve.notes = [first.notes, second.notes].compactMap(\.self).reduce(nil) { ($0 ?? []) + $1 }
        return curve
    }
    package func figures(from source: String) throws(AssayError) -> FigureSet? { try FigureSet(self, from: source) }
}

extension SystemResults: CombinableResults {
    /// Workloads make what systems are asked for.
    package var traces: [TraceDescription] {
        get { [] }
        set {}
    }
    package var described: [PolicyDescription] {
        get { [] }
        set {}
    }
    package var parts: [SystemResult] {
        get { systems }
        set { systems = newValue }
    }
    package var planned: Int? {
        get { systemsPlanned }
        set { systemsPlanned = newValue ?? systems.count }
    }
    package var setting: String { "scale \(scale)" }
    package var policyNames: [String] { systems.map(\.policy) }
    package static var traceName: WritableKeyPath<SystemResult, String>? { nil }
    package static func identity(_ part: SystemResult) -> String {
        [part.system, part.workload, part.settings, part.policy, part.backend].joined(separator: " | ")
    }
    package static func united(_ first: SystemResult, _ second: SystemResult) -> SystemResult? {
        first.counts == second.counts && first.failure?.kind == second.failure?.kind ? first : nil
    }
    package func figures(from source: String) throws(AssayError) -> FigureSet? { try FigureSet(self, from: source) }
}

extension AdviceResults: CombinableResults {
    package var described: [PolicyDescription] {
        get { policies }
        set { policies = newValue }
    }
    package var parts: [Advice] {
        get { advice }
        set { advice = newValue }
    }
    package var setting: String { "\(question) \(rules?.text ?? "")" }
    package var policyNames: [String] { advice.flatMap { $0.candidates.map(\.policy) } }
    package static var traceName: WritableKeyPath<Advice, String>? { \.trace }
    package static func identity(_ part: Advice) -> String { "\(part.trace) | \(part.capacityUnit.rawValue)" }
    package static func united(_ first: Advice, _ second: Advice) -> Advice? { first == second ? first : nil }
    package func figures(from source: String) throws(AssayError) -> FigureSet? { nil }
}
