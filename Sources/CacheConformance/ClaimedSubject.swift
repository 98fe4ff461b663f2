public import CacheCore

/// A subject with other claims than its own, to see what it would take to make them.
public struct ClaimedSubject: CacheSubject {
    private let subject: any CacheSubject
    private let made: Claims
    private let order: PolicyEntry?

    /// A subject with these claims in the place of its own.
    ///
    /// - Parameter orderPolicy: The policy that the claims name; nil for the one that the subject compares with.
    public init(_ subject: any CacheSubject, claims: Claims, orderPolicy: PolicyEntry? = nil) {
        self.subject = subject
        made = claims
        order = orderPolicy
    }

    /// The subject's name.
    public var name: String { subject.name }
    /// Whether the subject needs a directory.
    public var needsDirectory: Bool { subject.needsDirectory }
    /// The policy that the subject compares its order with.
    public var orderPolicy: PolicyEntry? { order ?? subject.orderPolicy }
    /// The claims that were given.
    public func claims() throws(StoreError) -> Claims { made }

    /// Opens the subject.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        try subject.open(setup, in: directory)
    }

    /// Opens the subject on an executor.
    public func open(
        _ setup: CacheSetup, in directory: String?, on executor: SteppedExecutor
    ) throws(StoreError) -> any SuspendingInstance {
        try subject.open(setup, in: directory, on: executor)
    }
}
