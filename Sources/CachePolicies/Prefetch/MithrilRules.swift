internal import CacheCore

/// The sizes of MITHRIL's tables, from its parameters and the capacity.
///
/// They follow what libCacheSim 0.3.5 calculates, on which depends when tables are full.
struct MithrilRules {
    let lookahead: Int
    let support: Int
    let supportMost: Int
    let confidence: Int
    let list: Int
    /// Rows of the mining table at which it is mined.
    let miningRows: Int
    /// Rows of the recording table, of which the first is not used.
    let recordingRows: Int
    /// Bytes for more associations than those of the first shard.
    let spareBytes: Int

    /// Rows of the table of associations that are added at once.
    static var shardRows: Int { 2000 }
    /// What a shard is taken to have, in bytes.
    var shardBytes: Int { Self.shardRows * (8 * list + 12) }

    init(_ configuration: PolicyConfiguration) {
        let parameters = configuration.parameters
        lookahead = parameters.integer("lookahead")
        support = parameters.integer("support")
        supportMost = parameters.integer("support-max")
        confidence = parameters.integer("confidence")
        list = parameters.integer("list")
        let mining = parameters.integer("mining")
        let table = mining / support
        miningRows = support == 1 ? min(table, mining / 8 + 1) : table
        let most = PrefetchMetadata.bytes(configuration)
        let recordBytes = (support + 1) / 2 * 2 + 12
        let asked = Int(min(0x1p40, PrefetchMetadata.capacity(configuration) * 0.02 / Double(recordBytes)))
        let rows = supportMost == 1 ? 0 : asked
        // More rows than objects are never filled.
        recordingRows = max(2, min(rows, configuration.objects.count + 2, Int(Int32.max)))
        let shards = most / (Self.shardRows * list)
        let fixed = (2 * supportMost + 12) * table + 8 * shards + Self.shardRows * (8 * list + 12)
        let recording = (((support + 3) / 4 + 1) * 8 + 4) * rows
        spareBytes = most - fixed - recording
    }
}
