import CacheCore
import Testing
import _CacheTestSupport

/// Policies that libCacheSim too has, but with unseeded draws of its own and with deviations that each policy names.
///
/// On cloudPhysicsIO they miss at most 3 % more often than libCacheSim's one recorded run, and at most 10 % less.
@Suite("Learning policies near libCacheSim's results")
struct LearningReferenceTests {
    @Test(
        .enabled(if: SharedFolder.exists, "\(SharedFolder.skippedText)"),
        arguments: ["cacheus", "lecar", "lhd"])
    func `miss about as often`(_ name: String) throws {
        let call = try PolicyCall(name)
        let columns = try OracleTraces.loadTrace("cloudPhysicsIO")
        for row in OracleTable.rows("libcachesim.csv", separator: ",") where row["algo"] == name {
            guard let size = row["cache_size"].flatMap({ Int($0) }), let misses = row["n_miss"].flatMap({ Int($0) })
            else { continue }
            let capacity = Capacity(size, row["ignore_obj_size"] == "0" ? .bytes : .objects)
            guard call.entry.isApplicable(to: capacity.unit) else { continue }
            let counts = try call.simulate(columns, capacity)
            #expect((0.9...1.03).contains(Double(counts.misses) / Double(misses)), "\(name) @ \(capacity)")
        }
    }
}
