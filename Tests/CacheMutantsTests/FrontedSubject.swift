import CacheConformance
import CacheCore
import CachePolicies
import CacheReference

/// A cache with something in front of each of its instances.
struct FrontedSubject: CacheSubject {
    let cache: any CacheSubject
    let front: @Sendable (any CacheInstance) -> any CacheInstance
    var change: @Sendable (inout Claims) -> Void = { _ in }

    var name: String { "fronted" }
    var needsDirectory: Bool { cache.needsDirectory }
    var orderPolicy: PolicyEntry? { cache.orderPolicy }

    /// The reference, or another cache, of which every operation is asked by `perform`.
    init(
        _ cache: any CacheSubject = ReferenceSubject(policies: BuiltinPolicies.all),
        perform: @escaping @Sendable (CacheOperation, any CacheInstance) -> OperationResult
    ) {
        self.init(cache, front: { Front($0, perform) })
    }

    init(_ cache: any CacheSubject, front: @escaping @Sendable (any CacheInstance) -> any CacheInstance) {
        (self.cache, self.front) = (cache, front)
    }

    private final class Front: CacheInstance {
        typealias Asked = @Sendable (CacheOperation, any CacheInstance) -> OperationResult
        private let (cache, asked): (any CacheInstance, Asked)

        init(_ cache: any CacheInstance, _ asked: @escaping Asked) { (self.cache, self.asked) = (cache, asked) }

        func perform(_ operation: CacheOperation) -> OperationResult { asked(operation, cache) }
    }

    func claims() throws(StoreError) -> Claims {
        var claims = try cache.claims()
        change(&claims)
        return claims
    }

    func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        front(try cache.open(setup, in: directory))
    }
}
