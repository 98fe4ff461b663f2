import CacheCore
import CachePolicies
import Testing

/// What it means that an object expires, by hand.
@Suite("Expiry")
struct ExpiryTests {
    @Test func `an object is valid until its deadline and not at it`() throws {
        #expect(try served("lru", 2, "a0/10 a9 b9 a10") == "a a! b a")
    }

    @Test func `hits do not extend a life, and entering again starts a new one`() throws {
        #expect(try served("lru", 2, "a0/10 a5/10 a9/10 a12/10 a21 a22") == "a a! a! a a! a")
    }

    @Test func `the expired make room for others`() throws {
        #expect(try served("fifo", 2, "a0/10 b1 c9 c10") == "a b c>a c!")
        #expect(try served("fifo", 2, "a0/10 b1 c10 b11") == "a b c b!")
    }

    @Test func `an object without a time to live stays, and so does one that entered again without`() throws {
        #expect(try served("lru", 1, "a0 a1000000") == "a a!")
        #expect(try served("lru", 1, "a0/10 b1 a2 a50") == "a b>a a>b a!")
    }

    @Test func `the deadline of an evicted object means nothing to its next stay`() throws {
        #expect(try served("lru", 1, "a0/10 b1 a5/20 a10 a24 a25") == "a b>a a>b a! a! a")
    }

    @Test func `an expired object leaves no ghost`() throws {
        // B1 remembers what is evicted; what expires is forgotten, and the next insertion says so.
        let trace = Self.trace("a0/10 b11 c12")
        let policy = try PolicyCall("arc", honoursExpiry: true).open(.objects(2), ObjectSpace(count: 3))
        var victims = VictimList()
        for request in trace.requests where !policy.touch(request) { _ = policy.insert(request, evicting: &victims) }
        #expect(victims.evicted == [] && victims.forgotten == [0])
    }

    @Test func `an object that is asked for as it expires comes back and is not reported forgotten`() throws {
        let policy = try PolicyCall("lru", honoursExpiry: true).open(.objects(2), ObjectSpace(count: 3))
        var victims = VictimList()
        for request in Self.trace("a0/10 a10").requests where !policy.touch(request) {
            _ = policy.insert(request, evicting: &victims)
        }
        #expect(victims.forgotten == [] && policy.contains(0))
    }

    @Test func `expirations are counted apart from evictions, and nothing expires where expiry is ignored`() throws {
        let columns = Self.trace("a0/10 b1 c9 d10/1 d20").columns
        let honoured = try PolicyCall("fifo", honoursExpiry: true).simulate(columns, .objects(2))
        #expect(honoured.expirations == 1 && honoured.evictions == 2 && honoured.hits == 0)
        let ignored = try PolicyCall("fifo").simulate(columns, .objects(2))
        #expect(ignored.expirations == 0 && ignored.evictions == 2 && ignored.hits == 1)
    }

    /// Requests as `a5/10`: the object, when it is asked for, and for how long it would be valid.
    private static func trace(_ text: String) -> TestTrace {
        let requests = text.split(separator: " ").map { word in
            let numbers = word.dropFirst().split(separator: "/").compactMap { Int64($0) }
            return (id: UInt32(word.utf8.first ?? 97) - 97, time: numbers[0], life: numbers.count > 1 ? numbers[1] : 0)
        }
        return TestTrace(ids: requests.map(\.id), times: requests.map(\.time), timesToLive: requests.map(\.life))
    }

    /// What happened, as ``outcomes(_:capacity:_:sizes:costs:)`` writes it.
    private func served(_ policy: String, _ capacity: Int, _ text: String) throws -> String {
        let trace = Self.trace(text)
        let opened = try PolicyCall(policy, honoursExpiry: true).open(
            .objects(capacity), ObjectSpace(count: trace.objectCount))
        func letter(_ id: ObjectID) -> String { String(UnicodeScalar(UInt8(97 + id))) }
        return trace.requests.map { request in
            if opened.touch(request) { return letter(request.id) + "!" }
            var victims = VictimList()
            _ = opened.insert(request, evicting: &victims)
            let left = victims.evicted.map(letter).joined()
            return left.isEmpty ? letter(request.id) : "\(letter(request.id))>\(left)"
        }.joined(separator: " ")
    }
}
