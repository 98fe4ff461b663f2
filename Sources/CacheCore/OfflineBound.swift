/// A bound on what any policy can reach on a trace, computed from all of it at once.
///
/// It stands beside the policies in a registry and gives a row like theirs, but no cache can be driven by it: there are no
/// residents at any moment.
///
/// ### Implementers' notes
/// Read `columns.next`, which is there. Look at `monitor` every few thousand steps. Say in the summary and in the comment
/// of the type which side of the optimum it bounds, and of which caches: those that must admit every object, or those
/// that may refuse one.
///
/// ### Using
/// Register the type in one line: `PolicyEntry(bound: PFOOLowerBound.self)`.
public protocol OfflineBound: SendableMetatype {
    /// The name and source of this bound; its family is `bound`.
    static var descriptor: PolicyDescriptor { get }

    /// Bounds the hits and the bytes hit, each by itself: one schedule need not reach both.
    ///
    /// What is evicted, written and resident at the end stays 0, because it is not bounded. Returns nil if the monitor
    /// asked to stop before the end.
    ///
    /// - Throws: `AssayError` with code `usage` for parameters that do not go together or with the capacity.
    static func bound(
        _ columns: RequestColumns, _ configuration: PolicyConfiguration, monitor: ReplayMonitor
    ) throws(AssayError) -> ReplayCounts?
}
