import CacheCore
import Testing

struct ReplayRooflineTests {
    @Test(arguments: [0, 1, 15, 16, 17, 1000])
    func `a pass of the machine's bound reads once for each request`(_ requests: Int) {
        let ids = (0..<requests).map { ObjectID($0 * 7 % 5) }
        ids.withUnsafeBufferPointer { ids in
            let columns = RequestColumns(ids: ids, sizes: nil, objects: ObjectSpace(count: 5), owner: nil)
            #expect(ReplayRoofline(columns).pass() == requests)
            #expect(ReplayRoofline(columns).dependentPass() == requests)
        }
    }
}
