/// What a trace holds: the figures of `assay trace info`.
public struct TraceProfile: Codable, Sendable, Hashable {
    /// The version of this layout.
    public static let currentSchemaVersion = 1

    /// The version of the layout that was written.
    public var schemaVersion = TraceProfile.currentSchemaVersion
    /// The version of Assay that made it.
    public var assayVersion: String
    /// The arguments of the command.
    public var commandLine: [String]
    /// The trace.
    public var trace: TraceDescription
    /// What a cache that keeps everything does.
    public var infiniteCache: Infinite
    /// How often objects are requested.
    public var popularity: Popularity
    /// How many objects are requested between two requests for the same one.
    public var reuse: Reuse
    /// Sizes; nil if the trace states none.
    public var sizes: Sizes?
    /// The first and the last time; nil if the trace states none, or all are equal.
    public var times: Times?
    /// Which objects are requested in parts of the trace, in order.
    public var workingSet: [Window]
    /// Reads, writes and deletes.
    public var operations: Operations
    /// Times to live; nil if the trace states none.
    public var timesToLive: TimesToLive?
    /// The sum of the costs of misses; nil if the trace states none.
    public var costTotal: Double?
    /// Who made the requests, by requests; empty if the trace does not say.
    public var tenants: [Tenant]

    /// A profile without the figures that not every trace has.
    public init(
        assayVersion: String, commandLine: [String], trace: TraceDescription, infiniteCache: Infinite,
        popularity: Popularity, reuse: Reuse, workingSet: [Window], operations: Operations, tenants: [Tenant] = []
    ) {
        self.assayVersion = assayVersion
        self.commandLine = commandLine
        self.trace = trace
        self.infiniteCache = infiniteCache
        self.popularity = popularity
        self.reuse = reuse
        self.workingSet = workingSet
        self.operations = operations
        self.tenants = tenants
    }
}

extension TraceProfile {
    /// What a cache that keeps everything hits.
    public struct Infinite: Codable, Sendable, Hashable {
        /// Hits.
        public var hits: Int
        /// The requests that count: all, or reads where the trace states operations.
        public var requests: Int

        /// Hits of requests.
        public init(hits: Int, requests: Int) {
            self.hits = hits
            self.requests = requests
        }
    }

    /// Requests or objects whose figure is above the bin before and at most this.
    public struct Bin: Codable, Sendable, Hashable {
        /// The largest figure in the bin; nil for the last bin, which has no limit.
        public var atMost: Int?
        /// How many there are.
        public var count: Int

        /// A bin.
        public init(atMost: Int?, count: Int) {
            self.atMost = atMost
            self.count = count
        }
    }

    /// How often objects are requested.
    public struct Popularity: Codable, Sendable, Hashable {
        /// The requests for the object of a rank; ranks begin with 1, the most requested object.
        public struct Rank: Codable, Sendable, Hashable {
            /// The rank.
            public var rank: Int
            /// The requests for that object.
            public var requests: Int

            /// A rank.
            public init(rank: Int, requests: Int) {
                self.rank = rank
                self.requests = requests
            }
        }

        /// A power law by least squares over the logarithms of rank and requests.
        public struct ZipfFit: Codable, Sendable, Hashable {
            /// The exponent: requests fall with rank to the power of minus this.
            public var exponent: Double
            /// The requests that the law gives to rank 1.
            public var requestsOfFirst: Double
            /// The share of the variance of the logarithm of requests that the law explains.
            public var rSquared: Double
            /// The last rank that the fit covers, from rank 1 on: the ranks with at least ``requestsMin`` requests.
            public var lastRank: Int

            /// The least requests of a rank in the fit: rarer objects are too much a matter of luck.
            public static let requestsMin = 10
            /// The least ranks of a fit.
            public static let ranksMin = 10

            /// A fit.
            public init(exponent: Double, requestsOfFirst: Double, rSquared: Double, lastRank: Int) {
                self.exponent = exponent
                self.requestsOfFirst = requestsOfFirst
                self.rSquared = rSquared
                self.lastRank = lastRank
            }
        }

        /// Objects that are requested once.
        public var requestedOnce: Int
        /// The requests for the most popular hundredth of the objects, at least one.
        public var requestsForTopHundredth: Int
        /// The requests for the most popular tenth of the objects, at least one.
        public var requestsForTopTenth: Int
        /// Some ranks, at equal distances of their logarithms, and the last one.
        public var ranks: [Rank]
        /// The fit; nil where fewer than ``ZipfFit/ranksMin`` objects have ``ZipfFit/requestsMin`` requests.
        public var zipf: ZipfFit?

        /// A popularity.
        public init(
            requestedOnce: Int, requestsForTopHundredth: Int, requestsForTopTenth: Int, ranks: [Rank], zipf: ZipfFit?
        ) {
            self.requestedOnce = requestedOnce
            self.requestsForTopHundredth = requestsForTopHundredth
            self.requestsForTopTenth = requestsForTopTenth
            self.ranks = ranks
            self.zipf = zipf
        }
    }

    /// LRU stack distances: how many objects, itself included, were requested since the last request for the same object.
    public struct Reuse: Codable, Sendable, Hashable {
        /// First requests for objects, which have no distance.
        public var firstRequests: Int
        /// Other requests, by distance; limits are powers of two.
        public var distances: [Bin]
        /// The distance that half of the other requests do not pass; nil where there are none.
        public var median: Int?

        /// Distances.
        public init(firstRequests: Int, distances: [Bin], median: Int?) {
            self.firstRequests = firstRequests
            self.distances = distances
            self.median = median
        }
    }

    /// Sizes, in bytes.
    public struct Sizes: Codable, Sendable, Hashable {
        /// The least size of a request.
        public var smallest: Int
        /// The largest size of a request.
        public var largest: Int
        /// The mean size of a request.
        public var meanOfRequests: Double
        /// The largest sizes that half, nine tenths and 99 hundredths of the objects do not pass, each object at its largest.
        public var objectPercentiles: [Int]
        /// Requests by size; limits are powers of two.
        public var requests: [Bin]
        /// Objects by their largest size; limits are powers of two.
        public var objects: [Bin]

        /// Sizes.
        public init(
            smallest: Int, largest: Int, meanOfRequests: Double, objectPercentiles: [Int], requests: [Bin],
            objects: [Bin]
        ) {
            self.smallest = smallest
            self.largest = largest
            self.meanOfRequests = meanOfRequests
            self.objectPercentiles = objectPercentiles
            self.requests = requests
            self.objects = objects
        }
    }

    /// When a trace was recorded.
    public struct Times: Codable, Sendable, Hashable {
        /// The least time, in nanoseconds from the trace's origin.
        public var firstNanoseconds: Int64
        /// The largest time.
        public var lastNanoseconds: Int64
        /// Requests whose time is before that of the request before.
        public var backwards: Int

        /// Times.
        public init(firstNanoseconds: Int64, lastNanoseconds: Int64, backwards: Int) {
            self.firstNanoseconds = firstNanoseconds
            self.lastNanoseconds = lastNanoseconds
            self.backwards = backwards
        }
    }

    /// A part of the trace: of equal length in time, or of equally many requests where time does not say or goes back.
    public struct Window: Codable, Sendable, Hashable {
        /// When it begins, in nanoseconds after the first request; nil for windows of requests.
        public var startNanoseconds: Int64?
        /// Its requests.
        public var requests = 0
        /// The distinct objects that they are for.
        public var objects = 0
        /// The objects among these that were not requested before.
        public var newObjects = 0
        /// The sum of the distinct objects' sizes, each as first stated in the window; nil if the trace states none.
        public var footprintBytes: Int?

        /// A window without requests.
        public init(startNanoseconds: Int64?, footprintBytes: Int?) {
            self.startNanoseconds = startNanoseconds
            self.footprintBytes = footprintBytes
        }
    }

    /// Requests by what they do.
    public struct Operations: Codable, Sendable, Hashable {
        /// Whether the trace says so; otherwise all are reads.
        public var isStated: Bool
        /// Reads.
        public var reads: Int
        /// Writes.
        public var writes: Int
        /// Deletes.
        public var deletes: Int

        /// Counts.
        public init(isStated: Bool, reads: Int, writes: Int, deletes: Int) {
            self.isStated = isStated
            self.reads = reads
            self.writes = writes
            self.deletes = deletes
        }
    }

    /// Times to live.
    public struct TimesToLive: Codable, Sendable, Hashable {
        /// Requests without a time to live.
        public var endless: Int
        /// The other requests by their time to live in whole seconds, rounded up; the last bin has no limit.
        public var seconds: [Bin]

        /// Times to live.
        public init(endless: Int, seconds: [Bin]) {
            self.endless = endless
            self.seconds = seconds
        }
    }

    /// Who made requests.
    public struct Tenant: Codable, Sendable, Hashable {
        /// The name.
        public var name: String
        /// The requests.
        public var requests = 0
        /// The distinct objects that they are for.
        public var objects = 0
        /// The sum of the requests' sizes, in bytes; where the trace states none every request counts 1.
        public var bytesRequested = 0

        /// A tenant without requests.
        public init(name: String) { self.name = name }
    }
}
