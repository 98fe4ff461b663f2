import CacheCore
import Testing

@Suite("Expiry on traces with operations")
struct RenewedExpiryTests {
    @Test(arguments: ["lru", "fifo", "s3fifo"])
    func `a write starts a resident's time to live again, and a hit does not`(_ policy: String) throws {
        let call = try PolicyCall(policy, honoursExpiry: true)
        // Written at 0 and at 8 for 10, and read: what is read at 15 is there by the second write, and gone at 18.
        for (operations, hits) in [([1, 1, 0, 0] as [UInt8], 1), ([1, 0, 0, 0], 1)] {
            let trace = TestTrace(
                ids: [0, 0, 0, 0], times: [0, 8, 15, 18], timesToLive: [10, 10, 10, 10])
            let counts = try operations.withUnsafeBufferPointer { operations in
                let columns = trace.columns
                return try call.simulate(
                    RequestColumns(
                        ids: columns.ids, sizes: nil, times: columns.times, timesToLive: columns.timesToLive,
                        operations: operations, objects: columns.objects, owner: columns.owner), .objects(4))
            }
            #expect(counts.hits == hits && counts.expirations == 1, "\(operations)")
        }
    }
}
