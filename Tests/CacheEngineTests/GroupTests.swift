import CacheCore
import CacheEngine
import CachePolicies
import Testing

@Suite("Groups, tags and bulk loads", .timeLimit(.minutes(30)))
struct GroupTests {
    typealias Grouped = Cache<GroupedKey<Int>, Int>

    static func make(_ capacity: Int = 1000) throws -> Grouped {
        try Grouped(CacheOptions(capacity: .objects(capacity)), policy: LRUPolicy<UnitSizes>.self)
    }

    @Test func `groups are apart, whatever they are called`() throws {
        let cache = try Self.make()
        let names = ["", "a", "ab", "a/b", "a\u{0}1\u{0}b", "1", "group"]
        for (number, name) in names.enumerated() { cache.group(name).put(number, for: 7) }
        cache.group("a").group("b").put(100, for: 7)
        cache.group("a").group("").put(101, for: 7)
        #expect(cache.groupNames() == Set(names))
        for (number, name) in names.enumerated() { #expect(cache.group(name).value(for: 7) == number) }
        #expect(cache.group("a").groupNames == ["b", ""])
        #expect(cache.group("a").count == 3 && cache.group("a").keys == [7])
        #expect(cache.group("a").group("b").removeAll() == 1)
        #expect(cache.group("a").removeAll() == 2)
        #expect(cache.count == names.count - 1)
        #expect(cache.group("ab").contains(7) && cache.group("a/b").contains(7) && !cache.group("a").contains(7))
        #expect(cache.group("a").removeAll() == 0)
        // Equal names may be spelled with other scalars.
        cache.group("\u{E9}").put(1, for: 1)
        #expect(cache.group("e\u{301}").value(for: 1) == 1)
        #expect(cache.group("e\u{301}").removeAll() == 1)
    }

    @Test func `what is known not to exist goes with its group, and counts as no entry of it`() throws {
        var options = CacheOptions<GroupedKey<Int>, Int>(capacity: .objects(10))
        options.negativeTimeToLive = .seconds(3600)
        let cache = try Grouped(options, policy: LRUPolicy<UnitSizes>.self)
        let group = cache.group("a")
        group.put(2, for: 2)
        var asked = 0
        for expected in [1, 1] {
            let found = try group.blockingOptionalValue(for: 1) { _ in
                asked += 1
                return nil
            }
            #expect(found == nil && asked == expected)
        }
        #expect(group.count == 1 && group.keys == [2])
        #expect(group.removeAll() == 1)
        _ = try group.blockingOptionalValue(for: 1) { _ in
            asked += 1
            return 5
        }
        #expect(asked == 2 && group.value(for: 1) == 5)
    }

    @Test func `removing a group while one of its values is loaded wins`() async throws {
        let cache = try Self.make()
        let gate = Gate()
        let task = Task {
            try await cache.group("a").group("b").value(for: 1) { key in
                await gate.pass()
                return key
            }
        }
        #expect(await eventually { cache.statistics.misses == 1 })
        cache.group("a").removeAll()
        gate.open()
        #expect(try await task.value == 1)
        #expect(cache.count == 0)
    }

    @Test func `ten thousand groups, evicted and removed, leave nothing behind`() throws {
        let cache = try Self.make(5000)
        for number in 0..<10_000 { cache.group("g\(number)").put(number, for: 0, tags: ["odd\(number % 2)"]) }
        #expect(cache.groupNames().count == 5000)
        #expect(cache.count(taggedWith: "odd1") == 2500)
        #expect(cache.removeAll(taggedWith: "odd1") == 2500)
        #expect(cache.tags.count == 2501)
        #expect(cache.tags(of: GroupedKey(path: ["g9998"], key: 0)).contains("odd0"))
        cache.removeAll()
        #expect(cache.tags.isEmpty)
    }

    @Test func `a write replaces the tags`() throws {
        let (cache, _) = try makeCache()
        cache.put(1, for: 1, tags: ["a", "b", "a"])
        #expect(Set(cache.tags(of: 1)) == ["a", "b"])
        cache.put(2, for: 1, tags: ["c"])
        #expect(cache.removeAll(taggedWith: "a") == 0)
        #expect(cache.keys(taggedWith: "c") == [1])
        cache.put(3, for: 1)
        #expect(cache.removeAll(taggedWith: "c") == 0)
        #expect(cache.peek(1) == 3)
    }

    @Test func `a bulk load asks for what is missing alone, and joins what is loaded already`() async throws {
        let (cache, _) = try makeCache()
        cache.put(10, for: 1)
        let gate = Gate()
        let other = Task {
            try await cache.value(for: 2) { _ in
                await gate.pass()
                return 20
            }
        }
        #expect(await eventually { cache.statistics.misses == 1 })
        let asked = EventLog()
        let all = Task {
            try await cache.values(for: [1, 2, 3, 4, 3]) { keys in
                for key in keys { asked.add(RemovalEvent(key: key, value: 0, cause: .removed)) }
                return [3: 30, 99: 1]
            }
        }
        #expect(await eventually { asked.events.count == 2 })
        gate.open()
        #expect(try await all.value == [1: 10, 2: 20, 3: 30])
        #expect(Set(asked.events.map(\.key)) == [3, 4])
        #expect(try await other.value == 20)
        #expect(Set(cache.keys) == [1, 2, 3])
        await #expect(throws: LoadFailure.self) { try await cache.values(for: [5, 6]) { _ in throw LoadFailure() } }
        #expect(try await cache.value(for: 5) { _ in 50 } == 50)
        await #expect(throws: CacheError.recursiveLoad) {
            try await cache.values(for: [7]) { _ in try await cache.values(for: [7]) { _ in [:] } }
        }
    }

    @Test func `bulk reads and writes`() throws {
        let (cache, _) = try makeCache(.objects(3))
        #expect(cache.put(contentsOf: [(1, 10), (2, 20), (1, 11)]) == [:])
        #expect(cache.put(contentsOf: [(5, 50)], expiring: .after(.zero)) == [5: .expired])
        #expect(cache.values(for: [1, 2, 3, 1]) == [1: 11, 2: 20])
        #expect(cache.statistics.hits == 2 && cache.statistics.misses == 1)
        #expect(cache.removeAll([1, 1, 9]) == 1)
    }

    @Test func `iteration meets what is there throughout, once, whatever happens meanwhile`() throws {
        let options = CacheOptions<Int, Int>(capacity: .objects(1000))
        let cache = try Cache(options, policy: LRUPolicy<UnitSizes>.self)
        for key in 0..<100 { cache.put(key, for: key) }
        var seen: [Int] = []
        for (key, value) in cache.entries {
            seen.append(key)
            #expect(key == value)
            if key >= 50 { cache.remove(key) }
            cache.put(1000 + key, for: 1000 + key)
            cache.remove(1000 + key)
            _ = cache.value(for: 3)
        }
        #expect(Set(seen).isSuperset(of: 0..<50) && Set(seen).count == seen.count)
        #expect(cache.count == 50)
    }

    @Test func `a regular sweep gives back what has expired, and ends with the cache`() async throws {
        let (cache, clock) = try makeCache()
        let log = EventLog()
        let subscription = cache.onRemoval(log.add)
        cache.put(1, for: 1, expiring: .after(.nanoseconds(5)))
        let sweeper = cache.sweepRegularly(every: .milliseconds(1))
        clock.advance(nanoseconds: 5)
        while log.events.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        #expect(log.lines == ["1=1 expired"])
        cache.close()
        await sweeper.value
        subscription.cancel()
    }
}
