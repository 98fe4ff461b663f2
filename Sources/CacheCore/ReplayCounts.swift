/// The exact result of one replay.
@frozen
public struct ReplayCounts: Sendable, Hashable, Codable {
    /// Requests that the ratios are of: reads, and writes too where ``ReplayRules/Counted/all`` are counted.
    public var requests = 0
    /// Requests of these whose object was resident.
    public var hits = 0
    /// Resident objects that left for space; nil where nobody counted them.
    public var countedEvictions: Int? = 0
    /// Resident objects that left for space; 0 where nobody counted them.
    @inlinable public var evictions: Int {
        get { countedEvictions ?? 0 }
        set { countedEvictions = newValue }
    }
    /// The sum of the requests' sizes, in bytes.
    public var bytesRequested = 0
    /// The sum of the hits' sizes, in bytes.
    public var bytesHit = 0
    /// The sum of the sizes of objects admitted, in bytes: what a cache would write.
    public var bytesWritten = 0
    /// Resident objects that left because their time was over; 0 where expiry is not simulated.
    public var expirations = 0
    /// Missed objects that an admission policy did not let in; 0 without one.
    public var refusals = 0
    /// Objects that a prefetcher made resident before they were requested; nil without one.
    public var prefetched: Int?
    /// Prefetched objects that were requested before they left; nil without a prefetcher.
    public var prefetchHits: Int?
    /// What a policy that learns took for it, over the whole trace; nil for all others.
    public var training: TrainingCost?
    /// Objects resident at the end.
    public var residentObjects = 0
    /// The weight of the objects resident at the end, in the capacity's unit.
    public var residentWeight = 0

    /// Writes that the trace states, whether or not they are among the requests.
    public var writes = 0
    /// Deletes that the trace states.
    public var deletes = 0
    /// Residents whose size changed, and that therefore entered anew; 0 where they keep their weights.
    public var resized = 0
    /// What the requests would cost if all missed, in the trace's unit; nil where costs are not counted.
    public var costRequested: Double?
    /// What the misses cost, in the trace's unit; nil where costs are not counted.
    public var costMissed: Double?

    private enum CodingKeys: String, CodingKey {
        case requests, hits, bytesRequested, bytesHit, bytesWritten, expirations, refusals
        case prefetched, prefetchHits, training
        case residentObjects, residentWeight, writes, deletes, resized, costRequested, costMissed
        case countedEvictions = "evictions"
    }

    /// Nothing replayed yet.
    @inlinable public init() {}

    /// Reads counts; what older results do not have is 0.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        requests = try values.decode(Int.self, forKey: .requests)
        hits = try values.decode(Int.self, forKey: .hits)
        countedEvictions = try values.decodeIfPresent(Int.self, forKey: .countedEvictions)
        bytesRequested = try values.decode(Int.self, forKey: .bytesRequested)
        bytesHit = try values.decode(Int.self, forKey: .bytesHit)
        bytesWritten = try values.decode(Int.self, forKey: .bytesWritten)
        expirations = try values.decodeIfPresent(Int.self, forKey: .expirations) ?? 0
        refusals = try values.decodeIfPresent(Int.self, forKey: .refusals) ?? 0
        prefetched = try values.decodeIfPresent(Int.self, forKey: .prefetched)
        prefetchHits = try values.decodeIfPresent(Int.self, forKey: .prefetchHits)
        training = try values.decodeIfPresent(TrainingCost.self, forKey: .training)
        residentObjects = try values.decode(Int.self, forKey: .residentObjects)
        residentWeight = try values.decode(Int.self, forKey: .residentWeight)
        writes = try values.decodeIfPresent(Int.self, forKey: .writes) ?? 0
        deletes = try values.decodeIfPresent(Int.self, forKey: .deletes) ?? 0
        resized = try values.decodeIfPresent(Int.self, forKey: .resized) ?? 0
        costRequested = try values.decodeIfPresent(Double.self, forKey: .costRequested)
        costMissed = try values.decodeIfPresent(Double.self, forKey: .costMissed)
    }

    /// Requests whose object was not resident.
    public var misses: Int { requests - hits }
    /// Hits over requests; 0 for no requests.
    public var hitRatio: Double { requests == 0 ? 0 : Double(hits) / Double(requests) }
    /// What misses cost over what all requests would; nil where costs are not counted, or are 0.
    public var costMissRatio: Double? {
        guard let costMissed, let costRequested, costRequested > 0 else { return nil }
        return costMissed / costRequested
    }
    /// The share of what all requests would cost that hits saved; nil where costs are not counted, or are 0.
    public var costHitRatio: Double? { costMissRatio.map { 1 - $0 } }
    /// Bytes hit over bytes requested; 0 for no bytes.
    public var byteHitRatio: Double { bytesRequested == 0 ? 0 : Double(bytesHit) / Double(bytesRequested) }
}
