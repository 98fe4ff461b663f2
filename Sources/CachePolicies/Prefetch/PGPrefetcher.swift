public import CacheCore

/// Fetches the objects that often followed the requested one within a window of requests.
///
/// A probability graph: Griffioen and Appleton, "Reducing file system latency using a predictive approach", USENIX Summer 1994. An arc from an
/// object to each that was requested within the next `lookahead` requests counts how often it was. After a request its arcs are followed whose
/// share of all counts of the object is above `threshold`; the likeliest is fetched last, and so is the most recent. The graph grows until
/// it takes `metadata` of the capacity, at 32 bytes a node or an arc; then known arcs are counted alone. O(lookahead · log arcs)
/// a request and what is fetched.
///
/// Dialect `libcachesim`, which has the counts of libCacheSim 0.3.5 to the request: an arc whose count grows is never moved up in the heap of its
/// node, so that arcs behind one below the threshold may not be found; each time that arcs are followed, the first below the threshold is dropped
/// for good; and once the graph is full, a window is counted up to the first unknown arc. That program takes object 0 for none, keeps
/// 32 bits of an object's number, and crashes where an object is larger than the cache.
public struct PGPrefetcher: ~Copyable, Prefetcher {
    private let isPeer: Bool
    private let threshold: Double
    private let most: Int
    private var metadata = 0
    private var isFull = false
    /// The last requests; the oldest is at `oldest`, and ``none`` stands for those before the first.
    private let window: FixedBuffer<ObjectID>
    private var oldest: UInt32 = 0
    /// The node of each object in the graph.
    private let nodes: FixedBuffer<UInt32>
    private var graph: ProbabilityGraph
    private var candidates: [ObjectID] = []

    private static var none: UInt32 { .max }

    /// The window, the threshold, the bound of the graph, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "pg", family: "prefetch",
            summary: "Fetches what often followed the requested object within a window of requests.",
            citation: "Griffioen and Appleton, USENIX Summer 1994",
            parameters: [
                ParameterSpecification(
                    "lookahead", .integer(default: 20, 1...100), "Requests after one that are counted as following it."),
                ParameterSpecification(
                    "threshold", .number(default: 0.05, 0...1),
                    "The share of an object's counts above which an arc is followed."),
                PrefetchMetadata.share, PrefetchMetadata.block,
                ParameterSpecification(
                    "dialect", .choice(default: "paper", ["paper", "libcachesim"]), "Whose rules are followed."),
            ])
    }

    /// A prefetcher with an empty graph.
    public init(_ configuration: PolicyConfiguration) {
        let parameters = configuration.parameters
        let isPeer = parameters.text("dialect") == "libcachesim"
        self.isPeer = isPeer
        graph = ProbabilityGraph(sinksGrown: isPeer)
        threshold = parameters.number("threshold")
        // Arcs have numbers of 32 bits.
        most = min(PrefetchMetadata.bytes(configuration), PrefetchMetadata.entryBytes << 31)
        window = FixedBuffer(repeating: Self.none, count: parameters.integer("lookahead"))
        nodes = FixedBuffer(repeating: Self.none, count: configuration.objects.count)
    }

    /// Counts what followed the oldest request of the window.
    public mutating func record(_ request: Request, isHit: Bool) {
        let source = window[oldest]
        window[oldest] = request.id
        oldest = Int(oldest) + 1 == window.count ? 0 : oldest + 1
        guard source != Self.none, let node = node(of: source) else { return }
        for position in 0..<UInt32(window.count) {
            graph.count(at: node)
            if graph.follow(window[position], from: node, adds: !isFull) {
                if graph.isNew { metadata &+= PrefetchMetadata.entryBytes }
            } else if isPeer {
                return
            }
        }
        if metadata >= most { isFull = true }
    }

    private mutating func node(of object: ObjectID) -> UInt32? {
        if nodes[object] != Self.none { return nodes[object] }
        guard !isFull else { return nil }
        nodes[object] = graph.addNode()
        metadata &+= PrefetchMetadata.entryBytes
        return nodes[object]
    }

    /// What follows by the graph, the least likely first.
    public mutating func candidate(_ number: Int, after request: Request) -> PrefetchCandidate? {
        if number == 0 {
            candidates.removeAll(keepingCapacity: true)
            let node = nodes[request.id]
            if node != Self.none {
                graph.takeLikely(at: node, above: threshold, dropsNext: isPeer, into: &candidates)
            }
        }
        return number < candidates.count ? PrefetchCandidate(candidates[number]) : nil
    }
}
