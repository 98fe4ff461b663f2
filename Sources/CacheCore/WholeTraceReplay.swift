/// A way of its own to replay a whole trace through a policy in objects, faster than request by request.
///
/// Where nobody asks who is evicted, it may be enough to count.
///
/// ### Implementers' notes
/// Give exactly the counts that ``EvictionPolicy/touch(_:)`` and ``EvictionPolicy/insert(_:evicting:)`` of the policy give,
/// and test that, also where parts end: note the counts so far at each position that `parts` names. Every object weighs 1,
/// whatever its size; nothing stands before the policy. Look at `monitor` every few thousand requests.
///
/// ### Using
/// Register the type with its policy: `PolicyEntry(unit:bytes:wholeTrace:)`.
public protocol WholeTraceReplay: SendableMetatype {
    /// Replays a whole trace, whose `next` is there if the policy needs the future, through a new cache. Returns nil if the monitor asked to stop before the
    /// end.
    static func replay(
        _ columns: RequestColumns, _ configuration: PolicyConfiguration, monitor: ReplayMonitor, parts: ReplayParts
    ) -> ReplayCounts?
}
