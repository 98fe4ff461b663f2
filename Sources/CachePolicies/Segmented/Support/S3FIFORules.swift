internal import CacheCore

/// Which of the two queues of a ``SmallMainGhostQueues`` gives way, and where newcomers enter, as S3-FIFO and Clock2Q+ have it.
///
/// By the papers the small queue gives way while it has its share, and main holds no more than the rest of the capacity. By
/// libCacheSim's rules the small queue gives way whenever main is within its share, and a promotion evicts nothing from main.
struct S3FIFORules {
    private let capacity: Int
    /// The small queue's share.
    let smallLimit: Int
    /// Whether main is held to its share, as in the papers.
    private let holdsMain: Bool
    /// Whether newcomers enter main once the small queue is full, while nothing was evicted yet.
    private let fillsMain: Bool
    private var hasEvicted = false

    /// The balance of an empty cache.
    init(capacity: Int, smallLimit: Int, holdsMain: Bool, fillsMain: Bool) {
        self.capacity = capacity
        self.smallLimit = smallLimit
        self.holdsMain = holdsMain
        self.fillsMain = fillsMain
    }

    /// Gives up an object of the queue that is over its share. Something must be resident.
    @inline(__always)
    mutating func evictOne<Sizes: SizeStore & ~Copyable, Sink: EvictionSink & ~Copyable>(
        from queue: inout SmallMainGhostQueues<Sizes>, into sink: inout Sink
    ) {
        hasEvicted = true
        guard evictsFromSmall(queue) else { return queue.evictFromMain(into: &sink) }
        // The small queue is walked until one object leaves it for good.
        while !queue.isSmallEmpty {
            let oldest = queue.oldest()
            guard queue.isOldestPromotable else { return queue.evict(oldest, into: &sink) }
            queue.promote(oldest)
            if holdsMain, queue.mainWeight > capacity - smallLimit { queue.evictFromMain(into: &sink) }
        }
    }

    private func evictsFromSmall<Sizes: SizeStore & ~Copyable>(_ queue: borrowing SmallMainGhostQueues<Sizes>) -> Bool {
        guard holdsMain else { return queue.mainWeight <= capacity - smallLimit && !queue.isSmallEmpty }
        return queue.smallWeight >= smallLimit && !queue.isSmallEmpty || queue.isMainEmpty
    }

    /// Whether libCacheSim's rules let an object in, which must be smaller than the small queue's share.
    ///
    /// One of just that size is only let in if its ghost was remembered; otherwise it is refused after room was made for it.
    mutating func admits<Sizes: SizeStore & ~Copyable, Sink: EvictionSink & ~Copyable>(
        _ weight: Int, isRemembered: Bool, to queue: inout SmallMainGhostQueues<Sizes>, into sink: inout Sink
    ) -> Bool {
        guard weight == smallLimit, !isRemembered else { return weight <= smallLimit }
        while queue.weight + weight > capacity { evictOne(from: &queue, into: &sink) }
        return false
    }

    /// Puts an object into main if its ghost was remembered, or while main is filled; into the small queue otherwise.
    @inline(__always)
    func admit<Sizes: SizeStore & ~Copyable>(
        _ id: ObjectID, weight: Int, isRemembered: Bool, to queue: inout SmallMainGhostQueues<Sizes>
    ) {
        if isRemembered || fillsMain && !hasEvicted && queue.smallWeight >= smallLimit {
            queue.addToMain(id, weight: weight)
        } else {
            queue.addToSmall(id, weight: weight)
        }
    }

    /// Whether blocks of requests may be served: once a miss evicts, and if an object of size 1 is ever admitted.
    var canServeBlock: Bool { hasEvicted && (holdsMain || smallLimit > 1) }

    /// Serves requests of a block: ``SmallMainGhostQueues/serve(_:from:lacking:)``.
    @inline(__always)
    func serve<Sizes: SizeStore & ~Copyable>(
        _ block: ObjectBlock, from start: Int, in queue: inout SmallMainGhostQueues<Sizes>
    ) -> BlockRun {
        // Once the cache is full, the small queue gives way as long as main is within its share.
        queue.serve(
            block, from: start, lacking: queue.mainWeight <= capacity - smallLimit ? capacity - queue.count : nil)
    }
}
