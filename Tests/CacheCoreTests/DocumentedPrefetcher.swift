import CacheCore

/// Fetches what followed the requested object the last time.
struct LastSuccessorPrefetcher: ~Copyable, Prefetcher {
    private let followers: FixedBuffer<ObjectID>
    private var last: ObjectID?

    static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "mine", family: "prefetch", summary: "Fetches what followed the object the last time.",
            citation: "None")
    }

    init(_ configuration: PolicyConfiguration) {
        followers = FixedBuffer(repeating: .max, count: configuration.objects.count)
    }

    mutating func record(_ request: Request, isHit: Bool) {
        if let last { followers[last] = request.id }
        last = request.id
    }

    mutating func candidate(_ number: Int, after request: Request) -> PrefetchCandidate? {
        number == 0 && followers[request.id] != .max ? PrefetchCandidate(followers[request.id]) : nil
    }
}
