import CacheCore
import CacheEngine
import CachePolicies
import Testing

/// A request stream over small key sets with skew, loops and scans, so that ghosts come back and ids are recycled.
func mixedRequests(_ count: Int, keys: Int, seed: UInt64) -> [Int] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { position in
        switch (position / 97) % 4 {
        case 0: position % keys
        case 1: min(generator.next(below: keys), generator.next(below: keys))
        case 2: min(generator.next(below: keys), generator.next(below: 12))
        default: generator.next(below: keys)
        }
    }
}

/// What the cache calls each key by before a policy that remembers it.
private let identities: ObjectKeys = {
    let hashes = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: 1000)
    for key in 0..<1000 {
        let hash = UInt64(bitPattern: Int64(key.hashValue)) >> 32
        hashes[key] = hash << 32 | hash
    }
    return ObjectKeys(UnsafeBufferPointer(hashes), owner: nil)
}()

@Suite("A live cache makes the hits that the simulation makes, request for request")
struct ReplayTests {
    static let policies = BuiltinPolicies.all.filter { !$0.isBound && !$0.needsFuture && !$0.descriptor.isUnbounded }
        .map(\.descriptor.name)

    static func entry(_ name: String) throws -> PolicyEntry {
        try #require(BuiltinPolicies.all.first { $0.descriptor.name == name })
    }

    /// The positions at which the simulation and the live cache disagree.
    static func differences(
        _ name: String, _ capacity: Capacity, requests: [Int], admission: AdmissionSelection? = nil,
        size: @escaping @Sendable (Int) -> Int = { _ in 1 }
    ) throws -> [Int] {
        let entry = try entry(name)
        var configuration = PolicyConfiguration(
            capacity: capacity, objects: ObjectSpace(count: 1000, smallestSize: 1),
            parameters: ParameterValues(defaults: entry.descriptor.parameters))
        configuration.admission = admission
        configuration.identities = identities
        let simulation = try entry.open(configuration)
        var options = CacheOptions<Int, Int>(capacity: capacity)
        options.admission = admission
        options.expectedEntries = 300
        if capacity.unit == .bytes { options.weigher = { key, _ in size(key) } }
        let cache = try Cache(options, policy: entry)
        var victims = VictimList()
        var wrong: [Int] = []
        for (position, key) in requests.enumerated() {
            let request = Request(id: ObjectID(key), size: size(key), index: position)
            let expected = simulation.touch(request)
            if !expected { _ = simulation.insert(request, evicting: &victims) }
            let value = cache.value(for: key)
            if value == nil { cache.put(key, for: key) }
            if (value != nil) != expected { wrong.append(position) }
            if let value { #expect(value == key) }
        }
        #expect(cache.count == simulation.residentCount)
        #expect(cache.weight == simulation.residentWeight)
        return wrong
    }

    @Test(arguments: policies, [3, 10, 60])
    func `in objects`(_ name: String, _ capacity: Int) throws {
        let requests = mixedRequests(6000, keys: 100, seed: UInt64(capacity))
        #expect(try Self.differences(name, .objects(capacity), requests: requests).prefix(5) == [])
    }

    @Test(arguments: policies)
    func `in bytes`(_ name: String) throws {
        guard try Self.entry(name).isApplicable(to: .bytes) else { return }
        let requests = mixedRequests(6000, keys: 100, seed: 5)
        let wrong = try Self.differences(name, .bytes(300), requests: requests) { 1 + ($0 * 7) % 23 }
        #expect(wrong.prefix(5) == [])
    }

    @Test(arguments: BuiltinAdmissions.all.filter { !$0.needsFuture }.map(\.descriptor.name))
    func `behind every admission policy`(_ name: String) throws {
        let entry = try #require(BuiltinAdmissions.all.first { $0.descriptor.name == name })
        // Its window is otherwise as long as there are ids, of which a live cache has fewer than a trace has objects.
        let parameters = try ParameterValues(
            parsing: name == "second-hit" ? "window=20" : "", for: entry.descriptor.parameters, of: name)
        let selection = AdmissionSelection(entry, parameters)
        let requests = mixedRequests(6000, keys: 100, seed: 9)
        guard let unknown = selection.unknownToCaches(in: .objects) else {
            let wrong = try Self.differences("lru", .objects(20), requests: requests, admission: selection)
            return #expect(wrong.prefix(5) == [])
        }
        let error = #expect(throws: AssayError.self) {
            try Self.differences("lru", .objects(20), requests: requests, admission: selection)
        }
        #expect(error?.message.contains(unknown) == true)
        let wrong = try Self.differences("lru", .bytes(300), requests: requests, admission: selection) {
            1 + ($0 * 7) % 23
        }
        #expect(wrong.prefix(5) == [])
    }

    @Test func `a cache that reads twice is found out`() throws {
        let entry = try Self.entry("lfu")
        let requests = mixedRequests(3000, keys: 100, seed: 1)
        let cache = try Cache(CacheOptions<Int, Int>(capacity: .objects(10)), policy: entry)
        let once = try Cache(CacheOptions<Int, Int>(capacity: .objects(10)), policy: entry)
        var differences = 0
        for key in requests {
            let hit = cache.value(for: key) != nil
            // A subject that counts a use for keys above 50 twice.
            if hit, key > 50 { _ = cache.value(for: key) }
            if !hit { cache.put(key, for: key) }
            let other = once.value(for: key) != nil
            if !other { once.put(key, for: key) }
            if hit != other { differences += 1 }
        }
        #expect(differences > 0)
    }
}
