import CacheCore
import Testing

@Suite("CAMP and GD-Wheel")
struct CostPolicyTests {
    @Test(arguments: ["camp", "gd-wheel", "camp:precision=1", "gd-wheel:wheels=1,queues=2"])
    func `are an LRU when all costs are equal`(_ policy: String) throws {
        let letters = "abacbdcaabcdeabfbbcdaeabcdefabcdf"
        #expect(try outcomes(policy, capacity: 3, letters) == outcomes("lru", capacity: 3, letters))
    }

    /// Ratios are 6, 2 and 1 times the cost, at priorities 6, 2 and 1; 2 goes first and `L` becomes 2. 3 then has 2 + 1, and
    /// goes before the object at 6; when 0 is asked for again it has 3 + 6.
    @Test func `CAMP ages by the lowest priority that is left`() throws {
        #expect(
            try Self.victims("camp", 3, [(0, 6), (1, 2), (2, 1), (3, 1), (4, 1), (0, 6), (5, 1)])
                == ["", "", "", "2", "1", "", "3"])
    }

    /// 33 keeps five bits, 100001, as 32: with 32 it is one list, in which the older leaves; with six bits the cheaper.
    @Test func `CAMP rounds ratios`() throws {
        let requests = [(0, 33.0), (1, 32), (2, 100)]
        #expect(try Self.victims("camp:precision=5", 2, requests) == ["", "", "0"])
        #expect(try Self.victims("camp:precision=6", 2, requests) == ["", "", "1"])
    }

    /// With wheels of 4, cost 5 waits in the second wheel for a round of the first, then for the 1 that is left.
    @Test func `GD-Wheel sends objects down`() throws {
        #expect(
            try Self.victims("gd-wheel:queues=4", 2, [(0, 5), (1, 3), (2, 2), (3, 3), (4, 3), (0, 5)])
                == ["", "", "1", "2", "0", "3"])
    }

    /// Costs beyond the wheels count as the largest that they hold; fractions are rounded.
    @Test func `GD-Wheel takes any cost`() throws {
        #expect(
            try Self.victims("gd-wheel:queues=2,wheels=2", 2, [(0, 1e18), (1, 0.2), (2, 3), (3, 0.6)])
                == ["", "", "1", "0"])
    }

    @Test(arguments: ["camp:precision=13", "gd-wheel:wheels=0", "gd-wheel:queues=1"])
    func `refuse what is out of range`(_ policy: String) {
        #expect(throws: AssayError.self) { try PolicyCall(policy) }
    }

    /// For each request, an id and its cost, the ids that left.
    private static func victims(_ policy: String, _ capacity: Int, _ requests: [(Int, Double)]) throws -> [String] {
        let opened = try PolicyCall(policy).open(.objects(capacity), ObjectSpace(count: 9))
        return requests.map { id, cost in
            let request = Request(id: ObjectID(id), cost: cost)
            var victims = VictimList()
            if !opened.touch(request) { _ = opened.insert(request, evicting: &victims) }
            return victims.evicted.map(String.init).joined(separator: " ")
        }
    }
}
