internal import CAssayPlugin
internal import CacheCore

/// A cache that a plug-in's policy has made, with what it is called with. Ends it when it is released.
final class PluginCache {
    /// The plug-in's own pointer.
    private(set) var handle: UnsafeMutableRawPointer?
    let ledger: UnsafeMutablePointer<PluginLedger>
    /// What each call gets: written anew before it.
    let request: UnsafeMutablePointer<assay_request>
    let error: UnsafeMutablePointer<assay_error>
    let sink: UnsafeMutablePointer<assay_sink>
    /// Who left at each request of a block.
    let left: UnsafeMutablePointer<ObjectID>
    private var isMade = false

    /// A cache that is not made yet.
    init(_ configuration: PolicyConfiguration, _ context: PluginPolicyContext) {
        request = .allocate(capacity: 1)
        request.initialize(to: assay_request())
        ledger = .allocate(capacity: 1)
        ledger.initialize(to: PluginLedger(configuration, context, serving: request))
        error = .allocate(capacity: 1)
        error.initialize(to: assay_error())
        left = .allocate(capacity: ObjectBlock.limit)
        left.initialize(repeating: .max, count: ObjectBlock.limit)
        sink = .allocate(capacity: 1)
        sink.initialize(
            to: assay_sink(
                context: ledger,
                evicted: { context, id in context?.assumingMemoryBound(to: PluginLedger.self).pointee.evict(id) },
                forgotten: { context, id in context?.assumingMemoryBound(to: PluginLedger.self).pointee.forget(id) }))
    }

    deinit {
        if isMade { ledger.pointee.context.policy.table.destroy?(handle) }
        ledger.deinitialize(count: 1)
        ledger.deallocate()
        request.deallocate()
        error.deallocate()
        left.deallocate()
        sink.deallocate()
    }

    /// Has the policy make the cache.
    ///
    /// - Throws: `AssayError` with code `usage` for parameters that the policy refuses, and `unavailable` if it fails otherwise.
    func make(_ configuration: PolicyConfiguration) throws(AssayError) {
        let policy = ledger.pointee.context.policy
        let status = policy.parameters.withValues(configuration.parameters) { values, count in
            var config = assay_policy_config()
            config.struct_size = UInt32(MemoryLayout<assay_policy_config>.size)
            config.unit = configuration.capacity.unit == .objects ? ASSAY_OBJECTS : ASSAY_BYTES
            config.capacity = UInt64(configuration.capacity.amount)
            config.object_count = UInt64(configuration.objects.count)
            config.resident_limit = UInt64(configuration.residentLimit)
            config.seed = configuration.seed
            config.values = values
            config.value_count = UInt64(count)
            return policy.table.create!(&config, &handle, error)
        }
        guard status != ASSAY_OK else {
            isMade = true
            return
        }
        throw AssayError(
            status == ASSAY_USAGE ? .usage : .unavailable,
            "The policy \(policy.descriptor.name) could not make a cache of \(configuration.capacity): "
                + PluginText.words(status, error.pointee), at: .init(policy.path))
    }
}
