/// Why the tables of exact results have rows without a counterpart here: every such row has one reason.
struct OracleExclusion: Sendable {
    /// The table, as `OracleMapping.rowCounts` names it; nil for each.
    var table: String?
    /// The policies as the table names them; a leading or trailing `*` stands for anything.
    var names: [String]
    var reason: String

    func covers(_ name: String, in table: String) -> Bool {
        (self.table ?? table) == table
            && names.contains { pattern in
                if pattern.hasPrefix("*") { return name.hasSuffix(pattern.dropFirst()) }
                if pattern.hasSuffix("*") { return name.hasPrefix(pattern.dropLast()) }
                return name == pattern
            }
    }

    static let all = [
        OracleExclusion(
            table: "libcachesim",
            names: [
                "beladySize ", "cacheus ", "hyperbolic *", "lecar ", "lhd ", "lru-prob ", "random ", "randomTwo ",
            ],
            reason:
                "libCacheSim draws from a generator of its own that is seeded by the time, or walks its hash table; "
                + "Assay has the rule, but no run of the reference repeats."),
        OracleExclusion(
            table: "libcachesim", names: ["lecarv0 ", "RandomLRU "],
            reason: "A second implementation of a rule that Assay has, drawing from the generator seeded by the time."),
        OracleExclusion(
            table: "libcachesim", names: ["flashProb "],
            reason: "A model of a flash cache behind a memory cache, which Assay does not have; drawn likewise."),
        OracleExclusion(
            table: "libcachesim", names: ["lruv0 "], reason: "It faults in every row: there is nothing to compare."),
        OracleExclusion(
            table: "libcachesim-truth",
            names: ["BeladySize", "Cacheus", "Hyperbolic", "LeCaR", "LHD", "Random"],
            reason: "Drawn by libCacheSim's own generator; Assay has the rule."),
        OracleExclusion(
            table: "libcachesim-truth", names: ["CR_LFU", "SR_LRU"],
            reason: "A part of CACHEUS, which is no policy of its own here."),
        OracleExclusion(
            table: "libcachesim-truth", names: ["3LCache"],
            reason: "A learned policy, which libCacheSim has only if it is built with a flag."),
    ]
}
