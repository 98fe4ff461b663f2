/// The load that a bench puts on its subjects.
public struct BenchLoad: Codable, Sendable, Hashable {
    /// How the bench is kept away from the time in which a cache fills.
    public enum WarmUp: Codable, Sendable, Hashable {
        /// That many requests, 0 for none.
        case requests(Int)
        /// Until the hit ratio of one eighth of the trace differs from that of the eighth before by less than half a
        /// percentage point, or after two traces.
        case steady
    }

    /// What loads a missed object.
    public enum Loading: String, Codable, Sendable, Hashable, CaseIterable {
        /// Every thread that misses asks the origin and stores what it gets.
        case lookAside = "look-aside"
        /// Threads that miss the same object at once share one load.
        case readThrough = "read-through"
        /// Nothing: the trace's own operations are made, of which writes store and reads that miss load nothing.
        case trace
    }

    /// How long the simulated origin takes for a load, drawn anew for each object from the seed.
    public struct MissCost: Codable, Sendable, Hashable {
        /// The median, in nanoseconds; 0 for no origin.
        public var medianNanoseconds: Double
        /// The standard deviation of the logarithm of a log-normal cost; 0 for a fixed one.
        public var sigma: Double
        /// What one unit of the cost that the trace states for a request takes, in nanoseconds; nil for a cost that the
        /// trace does not state.
        public var traceUnitNanoseconds: Double?

        /// A cost with that median, or as the trace says.
        public init(medianNanoseconds: Double = 0, sigma: Double = 0, traceUnitNanoseconds: Double? = nil) {
            self.medianNanoseconds = medianNanoseconds
            self.sigma = sigma
            self.traceUnitNanoseconds = traceUnitNanoseconds
        }
    }

    /// When the requests of an open loop are due.
    public enum Arrivals: String, Codable, Sendable, Hashable, CaseIterable {
        /// At equal distances.
        case uniform
        /// At exponentially distributed distances, as from many independent users.
        case poisson
    }

    /// A promise about response times that the highest rate is sought for.
    public struct KneeTarget: Codable, Sendable, Hashable {
        /// The percentile, as 99.
        public var percentile: Double
        /// The longest that it may be, in nanoseconds.
        public var nanoseconds: Int

        /// A promise that `percentile` percent of the requests are answered within a time.
        public init(percentile: Double, nanoseconds: Int) {
            self.percentile = percentile
            self.nanoseconds = nanoseconds
        }
    }

    /// Threads that make requests.
    public var threads = 1
    /// Requests of each measured closed-loop pass; nil for the whole trace once. A shorter trace is repeated.
    public var requests: Int?
    /// What comes before the measured requests.
    public var warmUp = WarmUp.requests(0)
    /// What loads a missed object.
    public var loading = Loading.lookAside
    /// What a read does that finds nothing on a trace that states operations; nil as in replays. Traces of reads always fill.
    public var onMiss: ReplayRules.MissedRead?
    /// What a load costs.
    public var missCost = MissCost()
    /// The share of the requests, 0 to 1, that remove their object rather than read it.
    public var removeShare = 0.0
    /// What a good compressor makes of values: one part in this many. At least 1.
    public var compressionRatio = 1.0
    /// Whether every hit is compared with what was written.
    public var verifies = true
    /// The rates of the open loop, in requests a second, one step each; empty for a closed loop alone.
    public var rates: [Double] = []
    /// How many times as fast as the trace says requests of the open loop are due, one step each; nil for no such steps.
    public var traceSpeeds: [Double]?
    /// When the requests of the open loop are due.
    public var arrivals = Arrivals.poisson
    /// How long each step of the open loop takes, in seconds.
    public var stepSeconds = 5.0
    /// The promise whose highest rate is sought; nil for none.
    public var kneeTarget: KneeTarget?

    /// One thread, the trace once, in a closed loop.
    public init() {}

    /// Whether it is the load of `assay run`: one thread and the trace once, whatever misses do.
    public var isOnePass: Bool {
        var plain = self
        (plain.loading, plain.onMiss) = (.lookAside, nil)
        return plain == BenchLoad()
    }
}
