internal import CacheCore
public import CacheEngine
public import CacheRecording

extension CacheOptions where Key: RecordingKey {
    /// Records every request of the cache: reads with their outcome, writes with their time to live, removals.
    ///
    /// ```swift
    /// var options = CacheOptions<String, [UInt8]>(capacity: .bytes(64 << 20))
    /// options.weigher = { key, value in value.count }
    /// options.record(to: recorder)
    /// ```
    ///
    /// The recorded size is what the entry weighs where the capacity is in bytes. A capacity in objects knows no sizes, and a read that misses
    /// has none: they are recorded as not known. Whoever ``CacheOptions/onRequest`` told before is told too. What is no request there is
    /// not recorded: clearing, for instance.
    ///
    /// - Parameter tenant: Whose cache this is, for a recorder with ``RecordingOptions/tenants``.
    public mutating func record(to recorder: CacheRecorder, tenant: UInt16 = 0) {
        let before = onRequest
        let weighsBytes = capacity.unit == .bytes
        onRequest = { event in
            before?(event)
            let operation: RecordedOperation =
                switch event.operation {
                case .read: .read
                case .write: .write
                case .remove: .remove
                }
            let outcome: RecordedOutcome =
                switch event.outcome {
                case .hit: .hit
                case .miss: .miss
                case .stored: .stored
                case .refused: .refused
                }
            recorder.record(
                operation, event.key, sizeBytes: weighsBytes ? event.weight ?? 0 : 0, outcome: outcome,
                timeToLive: event.timeToLiveNanoseconds.map { .nanoseconds($0) }, tenant: tenant)
        }
    }
}
