import CacheCore
import CacheHarness
import CacheReports
import Foundation

/// LRU's hit ratio curves of a trace and of the workload that was fitted to it, at the same capacities.
struct FitComparison {
    /// The trace.
    let description: TraceDescription
    /// The curve of the trace, then that of the workload with the error of each point.
    let curves: [CurveResult]
    /// LRU.
    let policies: [PolicyDescription]
    private let fitted: TraceDescription

    /// Replays both.
    ///
    /// - Throws: `AssayError` as a curve run does, and with code `internal` for a curve that was not found.
    init(
        _ original: SweepTrace, _ fitted: SweepTrace, points: Int, unit: Capacity.Unit, _ simulation: SimulationOptions
    ) async throws {
        let lru = try Selection.policies(["lru"])
        var order = CurveOrder(
            policies: lru, capacities: [], pointCount: points, pointUnit: unit, method: .auto, extent: .objects(8192),
            measuresError: false, seed: simulation.seed)
        var curve = try await Self.curve(order, original, simulation)
        order.capacities = curve.points.map { .absolute(Capacity($0.capacity, unit)) }
        var other = try await Self.curve(order, fitted, simulation)
        curve.parameters = Self.marked(curve.parameters, "trace")
        other.parameters = Self.marked(other.parameters, "fit")
        (other.trace, other.method) = (curve.trace, .fit)
        let exact = Dictionary(curve.points.map { ($0.capacity, $0.hitRatio) }) { first, _ in first }
        other.points = other.points.map { point in
            var point = point
            (point.method, point.exactHitRatio) = (.fit, exact[point.capacity])
            return point
        }
        (description, curves, self.fitted) = (original.description, [curve, other], fitted.description)
        policies = lru.map { PolicyDescription($0.entry.descriptor) }
    }

    /// How often requests have each LRU stack distance.
    static func distanceCounts(_ columns: RequestColumns) throws(AssayError) -> [Int] {
        guard let curve = StackPass.curve(.leastRecentlyUsed, columns) else {
            throw AssayError(.internalError, "The pass over the trace ended early.")
        }
        return (0...curve.largestCapacity).map { $0 == 0 ? 0 : curve.hits(at: $0).hits - curve.hits(at: $0 - 1).hits }
    }

    /// What to know of the fit, a sentence each.
    func sentences(_ path: String) -> [String] {
        let fit = curves[1]
        var sentences = [
            "\(path): \(fitted.requests) requests for \(fitted.objects) objects, of the trace's \(description.requests) and "
                + "\(description.objects)."
        ]
        if let mean = fit.meanAbsoluteError, let largest = fit.largestError {
            let place = fit.points.first { $0.error == largest }?.capacity ?? 0
            sentences.append(
                "Mean absolute error of LRU's hit ratio over \(fit.points.count) capacities: \(Self.points(mean)); the largest is "
                    + "\(Self.points(largest)), at \(place) \(fit.capacityUnit.rawValue).")
        }
        return sentences
    }

    private static func points(_ ratio: Double) -> String {
        ratio.formatted(.number.scale(100).precision(.fractionLength(3)).locale(Locale(identifier: "en_US_POSIX")))
            + " points"
    }

    private static func marked(_ parameters: String, _ mark: String) -> String {
        (parameters.isEmpty ? "" : parameters + ";") + "of=\(mark)"
    }

    private static func curve(
        _ order: CurveOrder, _ trace: SweepTrace, _ simulation: SimulationOptions
    ) async throws -> CurveResult {
        let run = try CurveRun(
            order, traces: [trace], workers: simulation.jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            monitor: ReplayMonitor())
        let curve = await run.run().first
        guard let curve, curve.failure == nil, !curve.points.isEmpty else {
            throw AssayError(
                .internalError, "The curve of \(trace.description.name) was not found: \(curve?.failure?.message ?? "")"
            )
        }
        return curve
    }
}
