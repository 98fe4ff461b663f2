/// What a policy needs that is known only at run time, such as the functions of a plug-in, and what went wrong in it.
///
/// Each cache has its own. A policy reads it from ``PolicyConfiguration/context``.
public protocol PolicyContext: AnyObject, Sendable {
    /// Why the policy decides nothing any more; nil while it works.
    ///
    /// A policy that fails keeps what is resident and refuses every newcomer from then on. A replay then throws the failure in
    /// the place of counts.
    var failure: AssayError? { get }
}

extension PolicyEntry {
    /// An entry of a policy that is described at run time: one type stands for many policies and reads from its context which it
    /// is.
    ///
    /// Write it as `PolicyEntry(PolicyEntry(unit: …, bytes: …), as: descriptor) { … }` in the module that defines the type.
    ///
    /// - Parameter context: Makes the context of one cache.
    public init(
        _ base: PolicyEntry, as descriptor: PolicyDescriptor, context: @escaping @Sendable () -> any PolicyContext
    ) {
        self.descriptor = descriptor
        presetOf = nil
        needsFuture = base.needsFuture
        isBound = false
        simulateBody = { (columns, configuration, monitor, parts) throws(AssayError) in
            try requireObjects(configuration, descriptor)
            var configuration = configuration
            let own = context()
            configuration.context = own
            let counts = try base.simulateBody(columns, configuration, monitor, parts)
            if let failure = own.failure { throw failure }
            return counts
        }
        openBody = { (configuration) throws(AssayError) in
            try requireObjects(configuration, descriptor)
            var configuration = configuration
            configuration.context = context()
            return try base.openBody(configuration)
        }
    }
}
