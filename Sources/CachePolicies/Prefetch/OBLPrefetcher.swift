public import CacheCore

/// Fetches the block with the next number after a run of requests for consecutive blocks.
///
/// One block lookahead: Smith, "Sequential program prefetching in memory hierarchies", IEEE Computer 11(12), 1978, whose rule fetches after
/// every request (`confidence=0`). The longer run is libCacheSim's, of which this is the count to the request. O(1) a request; 12 bytes an
/// object for the successors, which are ids of their own where the trace never requests them.
///
/// libCacheSim 0.3.5 weighs a fetched block by a parameter, 512 unless stated: here `block=512`. It crashes where a block is larger than
/// the cache, which is fetched by nobody here, and at `confidence=1` takes a first request for block 0 for the second of a run.
public struct OBLPrefetcher: ~Copyable, Prefetcher {
    private let successors: ObjectSuccessors?
    private let confidence: Int
    private let block: Int
    /// Consecutive blocks requested up to now, the last among them.
    private var run = 0
    private var last: ObjectID?

    /// The run and the size of a block.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "obl", family: "prefetch",
            summary: "Fetches the next block after a run of requests for consecutive blocks.",
            citation: "Smith, IEEE Computer 11(12), 1978",
            parameters: [
                ParameterSpecification(
                    "confidence", .integer(default: 4, 0...1_000_000),
                    "Consecutive blocks that were requested before this one; 0 fetches after every request."),
                ParameterSpecification(
                    "block", .integer(default: 0, 0...(1 << 40)),
                    "Size of a fetched block in bytes; 0 for that of the block before it."),
            ])
    }

    /// True: it fetches by number.
    public static var needsSuccessors: Bool { true }

    /// The size of a block, where it is stated.
    public static func smallestSize(_ parameters: ParameterValues) -> Int? {
        let block = parameters.integer("block")
        return block == 0 ? nil : block
    }

    /// A prefetcher that has seen no request.
    public init(_ configuration: PolicyConfiguration) {
        successors = configuration.successors
        confidence = configuration.parameters.integer("confidence")
        block = configuration.parameters.integer("block")
    }

    /// Counts the run.
    public mutating func record(_ request: Request, isHit: Bool) {
        let follows = last.flatMap { successors?[$0] } == request.id
        run = follows ? run &+ 1 : 1
        last = request.id
    }

    /// The next block, if the run is long enough.
    public mutating func candidate(_ number: Int, after request: Request) -> PrefetchCandidate? {
        guard number == 0, run > confidence, let next = successors?[request.id] else { return nil }
        return PrefetchCandidate(next, size: block == 0 ? request.size : block)
    }
}
