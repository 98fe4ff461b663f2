/// A prefetcher in a replay, with what is known of the objects that it fetched.
///
/// Memory over the prefetcher's: 1 byte an object, and 8 more where capacities count bytes.
final class PrefetchStage {
    let prefetcher: AnyPrefetcher
    /// Objects that were fetched.
    private(set) var fetches = 0
    /// Fetched objects that were requested before they left.
    private(set) var hits = 0
    /// Whether an object was fetched and has neither been requested nor left since.
    private let isUnused: FixedBuffer<Bool>
    /// The size of each object's last request; empty where weights are 1.
    private let sizes: FixedBuffer<Int>

    init(_ prefetcher: AnyPrefetcher, objects: Int, weighs: Bool) {
        self.prefetcher = prefetcher
        isUnused = FixedBuffer(repeating: false, count: objects)
        sizes = FixedBuffer(repeating: 0, count: weighs ? objects : 0)
    }

    /// Extends the ids by those that the prefetcher may name beyond the trace's.
    static func prepare(_ configuration: inout PolicyConfiguration, _ columns: RequestColumns) {
        guard let selection = configuration.prefetcher else { return }
        if let smallest = selection.smallestSize {
            configuration.objects.smallestSize = min(configuration.objects.smallestSize, smallest)
        }
        guard selection.entry.needsSuccessors, let keys = columns.keys else { return }
        let successors = ObjectSuccessors(keys, objects: columns.objects.count)
        configuration.objects.count = successors.count
        configuration.keys = successors.keys
        configuration.successors = successors
    }

    func record(_ request: Request, isHit: Bool) {
        prefetcher.record(request, isHit: isHit)
        if sizes.count > 0 { sizes[request.id] = request.size }
        guard isUnused[request.id] else { return }
        isUnused[request.id] = false
        if isHit { hits += 1 }
    }

    /// The candidate after `number` others as a request that is like the one before it.
    func candidate(_ number: Int, after request: Request) -> Request? {
        guard let candidate = prefetcher.candidate(number, after: request) else { return nil }
        var ahead = request
        ahead.id = candidate.id
        ahead.size = candidate.size ?? (sizes.count > 0 ? sizes[candidate.id] : request.size)
        ahead.timeToLiveNanoseconds = 0
        return ahead
    }

    func fetched(_ id: ObjectID) {
        fetches += 1
        isUnused[id] = true
        prefetcher.fetched(id)
    }

    func evicted(_ id: ObjectID) {
        isUnused[id] = false
        prefetcher.evicted(id)
    }
}

extension PolicyEntry {
    /// Why nothing can be fetched ahead into a cache of this policy on this trace; nil if it can, or if nobody wants to.
    public func hindrance(
        by columns: RequestColumns, prefetcher: PrefetcherSelection?, admission: AdmissionSelection? = nil,
        honoursExpiry: Bool = false
    ) -> String? {
        guard let prefetcher else { return nil }
        let name = prefetcher.entry.descriptor.name
        if isBound { return "A bound on what policies can reach fetches nothing ahead." }
        if needsFuture || admission?.entry.needsFuture == true {
            return "The future is that of requests, and what \(name) fetches is none."
        }
        if honoursExpiry { return "Times to live belong to requests, and what \(name) fetches has none." }
        if columns.operations != nil {
            return "The trace writes or deletes objects, and \(name) is told of reads alone."
        }
        if columns.costs != nil {
            return "The trace states what misses cost, and not what \(name)'s fetches would: leave its costs out."
        }
        if prefetcher.entry.needsSuccessors, columns.keys == nil {
            return "\(name) fetches the object with the next number, and not all keys of the trace are numbers."
        }
        return nil
    }
}
