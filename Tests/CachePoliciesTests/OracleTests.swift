import CacheCore
import CachePolicies
import Testing
import _CacheTestSupport

/// Every policy against the exact results of other implementations, to the request.
@Suite("Policies against the tables of exact results")
struct OracleTests {
    static let isReady = SharedFolder.exists

    @Test(.enabled(if: isReady, "\(SharedFolder.skippedText)"), arguments: OracleTable.sharedGroups)
    func `gives the same counts`(_ group: OracleGroup) async throws { try await compare(group) }

    @Test(arguments: OracleTable.bundledGroups)
    func `gives the same counts on the traces of this repository`(_ group: OracleGroup) async throws {
        try await compare(group)
    }

    private func compare(_ group: OracleGroup) async throws {
        let outcome = try await OracleOutcome.of(group)
        for difference in outcome.differences { Issue.record("\(difference)") }
        #expect(!group.cells.isEmpty, "the table has no row of \(group.theirs)")
        print(
            "oracle \(group.source) | \(group.theirs) = \(group.ours): \(outcome.compared) of \(group.cells.count) cells "
                + "compared, \(outcome.equal) equal, \(group.crashes) without a result in the reference")
    }

    /// Every row of every table is compared, crashed in the reference, or is named here as without a counterpart.
    @Test func `accounts for every row`() {
        let tables = Self.isReady ? Set(OracleMapping.rowCounts.keys) : [OracleTable.bundled]
        for (table, names) in OracleTable.unmapped.sorted(by: { $0.key < $1.key }) where tables.contains(table) {
            let unmapped = names.values.reduce(0, +)
            print("oracle \(table): \(unmapped) rows of policies without a counterpart: \(names.keys.sorted())")
            let groups = OracleTable.groups.filter { $0.source == table }
            let mapped = groups.reduce(0) { $0 + $1.cells.count + $1.crashes }
            #expect(mapped + unmapped == OracleMapping.rowCounts[table], "\(table)")
        }
        #expect(OracleTable.unmapped.keys.sorted() == OracleMapping.rowCounts.keys.sorted())
        #expect(Set(OracleTable.groups.map(\.source)) == tables)
        let crashed = Set(OracleTable.groups.filter { $0.crashes > 0 }.map(\.theirs))
        let explained = Set(OracleMapping.crashes.keys)
        #expect(crashed.isSubset(of: explained) && (crashed == explained || !Self.isReady))
    }

    /// Whoever reads the table sees the policy that is compared.
    @Test func `the table of this repository names the policies that are compared`() {
        for row in OracleTable.bundledRows {
            let pair = OracleMapping.libCacheSim.first { $0.theirs == OracleTable.bundledName(row) }
            #expect(pair?.ours == row["ours"], "\(row)")
        }
    }

    /// A count that differs by one is told with its cell.
    @Test func `finds a count that differs`() throws {
        let cell = try #require(OracleTable.bundledGroups.first { $0.ours == "lru" }?.cells.first)
        let counts = try PolicyCall(cell.ours).simulate(OracleTraces.loadTrace(cell.trace), cell.capacity)
        #expect(Self.differences(cell, counts) == [])
        var wrong = cell
        wrong.misses += 1
        #expect(Self.differences(wrong, counts) == ["misses \(cell.misses) instead of \(wrong.misses)"])
    }

    /// The four largest traces are left out of a run that is not full.
    static func isDue(_ cell: OracleCell) -> Bool {
        Thoroughness.isFull || !["gcc", "loop", "oltp", "w106"].contains(cell.trace)
    }

    /// Whether the reference counts refusals as evictions: it adds the newcomer before it evicts; its CAMP and GD-Wheel
    /// count what is larger than the cache as evicted too.
    static func countsRefusals(_ ours: String) -> Bool {
        ["belady:bypass=true", "gdsf:dialect=caffeine", "camp", "gd-wheel"].contains(ours)
    }

    static func differences(_ cell: OracleCell, _ counts: ReplayCounts) -> [String] {
        // A filter refuses before the newcomer enters, where the reference evicts what it refuses.
        let evictions =
            countsRefusals(cell.ours) ? counts.misses - counts.residentObjects : counts.evictions + counts.refusals
        let pairs: [(String, Int?, Int)] = [
            ("misses", cell.misses, counts.misses),
            ("missed bytes", cell.missBytes, counts.bytesRequested - counts.bytesHit),
            ("evictions", cell.evictions, evictions),
            ("resident objects", cell.residentObjects, counts.residentObjects),
            ("resident weight", cell.residentWeight, counts.residentWeight),
        ]
        return pairs.compactMap { name, theirs, ours in
            theirs.flatMap { $0 == ours ? nil : "\(name) \(ours) instead of \($0)" }
        }
    }
}
