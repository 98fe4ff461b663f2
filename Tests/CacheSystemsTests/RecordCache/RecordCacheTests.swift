import CacheCore
import CacheEngine
import CacheStorage
import CacheSystems
import Synchronization
import Testing
import _CacheTestSupport

@Suite("Records in groups, in memory and in a store")
struct RecordCacheTests {
    @Test func `groups nest, and clearing one clears those inside it, in both tiers, and no other`() throws {
        let cache = try records(over: try DictionaryStorage.make())
        let a = cache.group("a")
        let groups = [
            cache.root, a, a.group("b"), a.group("b", "c"), cache.group("ab"), cache.group("b"), cache.group(""),
        ]
        for (number, group) in groups.enumerated() { try group.set(number, forKey: "b") }
        #expect(try a.keys() == ["b"] && a.groupNames() == ["b"] && cache.root.groupNames() == ["a", "ab", "b", ""])
        #expect(try groups.map { try $0.value(forKey: "b", as: Int.self) } == Array(0..<7))
        #expect(try a.group("b").clear() == 2)
        #expect(try groups.map { try $0.value(forKey: "b", as: Int.self) } == [0, 1, nil, nil, 4, 5, 6])
        #expect(groups.map { $0.isInMemory("b") } == [true, true, false, false, true, true, true])
        #expect(try a.clear() == 1 && a.group("b").clear() == 0 && cache.count() == 4)
        #expect(cache.group(dotted: "a.b").path == ["a", "b"] && cache.group(dotted: "").path == [])
        try cache.removeAll()
        #expect(try cache.count() == 0)
    }

    static let hostile = [
        "", ".", "..", "../a", "a/b", "/", "a.b", "nul\u{0}", "A", "a", "é", "日本", String(repeating: "x", count: 300),
    ]

    @Test(arguments: persistentBackends.map(\.descriptor.name))
    func `any text is a key and the name of a group, after a restart too`(_ backend: String) throws {
        let directory = try TemporaryDirectory()
        var cache = try records(directory.path, backend: backend)
        for group in Self.hostile {
            for key in Self.hostile { try cache.group("g", group).set("\(group)|\(key)", forKey: key) }
        }
        try cache.close()
        cache = try records(directory.path, backend: backend)
        #expect(try cache.group("g").groupNames() == Set(Self.hostile))
        for group in Self.hostile {
            #expect(try Set(cache.group("g", group).keys()) == Set(Self.hostile))
            for key in Self.hostile {
                #expect(try cache.group("g", group).value(forKey: key, as: String.self) == "\(group)|\(key)")
            }
        }
        #expect(try cache.group("g", "e\u{301}").value(forKey: "e\u{301}", as: String.self) == "é|é")
        try cache.close()
    }

    @Test func `programs agree with a dictionary of paths and keys`() throws {
        struct Name: Hashable { var path: [String], key: String }
        for seed in 0..<6 as Range<UInt64> {
            let cache = try records(over: try DictionaryStorage.make()) { $0.memoryBytesMax = 400 }
            var model: [Name: Int] = [:]
            var generator = SeededGenerator(seed: seed)
            for step in 0..<400 {
                let path = Array(["a", "b", "a"].prefix(generator.next(below: 4)))
                let key = ["", "a", "b", "."][generator.next(below: 4)]
                let group = path.reduce(cache.root) { $0.group($1) }
                let name = Name(path: path, key: key)
                switch generator.next(below: 8) {
                case 0..<2: #expect(try group.value(forKey: key) == model[name], "seed \(seed), step \(step)")
                case 2..<4:
                    try group.set(step, forKey: key, keepsInMemory: step % 3 != 0)
                    model[name] = step
                case 4: #expect(try group.remove(key) == (model.removeValue(forKey: name) != nil))
                case 5: cache.dropMemory()
                case 6 where step % 4 == 0:
                    try group.clear()
                    model = model.filter { !$0.key.path.starts(with: path) }
                default:
                    #expect(try Set(group.keys()) == Set(model.keys.filter { $0.path == path }.map(\.key)))
                    let inside = model.keys.filter { $0.path.count > path.count && $0.path.starts(with: path) }
                    #expect(try group.groupNames() == Set(inside.map { $0.path[path.count] }))
                }
                #expect(try cache.count() == model.count)
            }
        }
    }

    @Test func `enumeration gives each key and group once, stops when it is told to, and may change what it lists`()
        throws
    {
        let cache = try records(over: try DictionaryStorage.make())
        for number in 0..<20 {
            try cache.group("g").set(number, forKey: "\(number).")
            try cache.group("g", "\(number % 3)").set(number, forKey: "\(number)")
        }
        var items: [RecordGroup.Item] = []
        try cache.group("g").enumerate { item, _ in
            items.append(item)
            if case .key(let key) = item { try cache.group("g").remove(key) }
        }
        #expect(items.count == 23 && Set(items).count == 23 && Set(items).isSuperset(of: [.group("1"), .key("3.")]))
        items = []
        try cache.group("g").enumerate { item, stops in
            items.append(item)
            stops = items.count == 2
        }
        #expect(items.count == 2 && Set(items).isSubset(of: [.group("0"), .group("1"), .group("2")]))
    }

    @Test func `what may not be in memory never is: when it is written, read, replaced, and after a restart`() throws {
        let store = try DictionaryStorage.make()
        for _ in 0..<2 {
            let cache = try records(over: store) {
                $0.memoryEntryBytesMax = 100
                $0.closesStore = false
            }
            #expect(try !cache.root.contains("shy") || cache.root.value(forKey: "shy") == 1)
            try cache.root.set(1, forKey: "shy", keepsInMemory: false)
            #expect(try cache.root.value(forKey: "shy") == 1)
            try cache.root.set("small", forKey: "grows")
            #expect(cache.root.isInMemory("grows") && !cache.root.isInMemory("shy"))
            let large = String(repeating: "x", count: 200)
            try cache.root.set(large, forKey: "grows")
            #expect(try cache.root.value(forKey: "grows") == large)
            #expect(!cache.root.isInMemory("grows"))
            try cache.root.set(2, forKey: "shy")
            #expect(cache.root.isInMemory("shy"))
            try cache.root.set(1, forKey: "shy", keepsInMemory: false)
            try cache.close()
        }
        let none = try records(over: store) { $0.memoryBytesMax = 0 }
        try none.root.set(1, forKey: "a")
        #expect(try none.root.value(forKey: "a") == 1)
        #expect(!none.root.isInMemory("a"))
    }

    @Test func `nil removes, nothing is not 0, and of an array the first items are kept`() throws {
        let cache = try records(over: try DictionaryStorage.make())
        try cache.root.set(0.1 + 0.2, forKey: "k")
        try cache.group("g").set(0, forKey: "k")
        cache.dropMemory()
        #expect(try cache.root.value(forKey: "k", as: Double.self)?.bitPattern == (0.1 + 0.2).bitPattern)
        #expect(
            try cache.group("g").value(forKey: "k") == 0 && cache.group("g").value(forKey: "j", as: Int.self) == nil)
        try cache.group("g").set(Int?.none, forKey: "k")
        #expect(try !cache.group("g").contains("k") && cache.root.contains("k"))
        for (most, kept) in [(2, [1, 2]), (9, [1, 2, 3]), (0, []), (-1, [])] {
            try cache.root.set([1, 2, 3], forKey: "list", itemsMax: most)
            #expect(try cache.root.value(forKey: "list") == kept)
        }
    }

    @Test func `an object that is read is nobody else's, nor that which was stored`() throws {
        let cache = try records(over: try DictionaryStorage.make())
        let leaf = RecordValueTests.Leaf(1)
        try cache.root.set(["a": [leaf]], forKey: "k")
        leaf.count = 2
        let first = try #require(try cache.root.value(forKey: "k", as: [String: [RecordValueTests.Leaf]].self))
        first["a"]![0].count = 3
        #expect(try cache.root.value(forKey: "k", as: [String: [RecordValueTests.Leaf]].self)?["a"]?[0].count == 1)
    }

    struct Stubborn: CacheRecord {
        func encode(to encoder: any Encoder) throws { throw Trouble(number: 4) }
        init() {}
        init(from decoder: any Decoder) throws {}
    }

    @Test func `what cannot be stored throws, and the one before is not served`() throws {
        let store = CountingStorage(try DictionaryStorage.make())
        let cache = try records(over: store)
        try cache.root.set(1, forKey: "k")
        #expect(throws: Trouble(number: 4)) { try cache.root.set(Stubborn(), forKey: "k") }
        #expect(try !cache.root.contains("k"))
        try cache.root.set(1, forKey: "k")
        store.fail(true)
        #expect(throws: StoreError.self) { try cache.root.set(2, forKey: "k") }
        store.fail(false)
        #expect(try cache.root.value(forKey: "k") == 1)
        #expect(cache.statistics[.storeFailed] == 2)
        try cache.close()
        #expect(throws: StoreError.self) { try cache.root.set(1, forKey: "k") }
        #expect(throws: StoreError.self) { try cache.root.value(forKey: "k", as: Int.self) }
    }

    @Test func `a program of another version empties what is not protected, unless it is compatible`() throws {
        let store = try DictionaryStorage.make()
        func open(_ version: String?, compatible: Set<String> = []) throws -> RecordCache {
            try records(over: store) {
                $0.programVersion = version
                $0.compatibleProgramVersions = compatible
                $0.protectedGroups = [["settings"], ["a", "b"]]
                $0.closesStore = false
            }
        }
        let groups = [["settings", "deep"], ["settings"], ["a", "b"], ["a"], [], ["settings2"]]
        func fill(_ cache: RecordCache) throws {
            for path in groups { try path.reduce(cache.root) { $0.group($1) }.set(1, forKey: "k") }
        }
        func left(_ cache: RecordCache) throws -> [Bool] {
            try groups.map { path in try path.reduce(cache.root) { $0.group($1) }.contains("k") }
        }
        let all = groups.map { _ in true }
        let kept = [true, true, true, false, false, false]
        try fill(open(nil))
        // A store that nobody has named is one of another version.
        #expect(try left(open("1")) == kept)
        try fill(open("1"))
        #expect(try left(open("1")) == all && left(open(nil)) == all)
        #expect(try left(open("2", compatible: ["1"])) == all)
        #expect(try left(open("1", compatible: ["3"])) == kept)
    }

    @Test func `caches of two names in one store see nothing of each other`() throws {
        let store = try DictionaryStorage.make()
        let caches = try ["a", "b"].map { name in
            try records(over: store) {
                $0.name = name
                $0.closesStore = false
            }
        }
        for (number, cache) in caches.enumerated() { try cache.group("g").set(number, forKey: "k") }
        try caches[0].removeAll(schemas: true)
        #expect(try caches[1].group("g").value(forKey: "k") == 1)
        #expect(try caches[0].count() == 0 && caches[1].count() == 1)
    }

    @Test func `threads that write, migrate and clear lose nothing and bring nothing back`() async throws {
        let cache = try records(over: try DictionaryStorage.make()) { $0.memoryBytesMax = 2000 }
        let group = cache.group("g")
        let wrong = await onThreads(4) { thread in
            var wrong = 0
            for round in 0..<150 {
                let key = "\(thread)"
                try? group.set(People.V1(name: "\(round)"), forKey: key)
                if round % 5 == 0 { cache.dropMemory() }
                // The others read each key too, and migrate it.
                for other in 0..<4 { _ = try? group.value(forKey: "\(other)", as: People.V2.self) }
                if (try? group.value(forKey: key, as: People.V2.self))??.fullName != "\(round)" { wrong += 1 }
                if round % 7 == 0 {
                    _ = try? group.remove(key)
                    if (try? group.contains(key)) != false { wrong += 1 }
                }
            }
            return wrong
        }
        #expect(wrong == [0, 0, 0, 0])
        #expect(cache.statistics[.writeBackFailed] == 0 && cache.statistics[.migrated] > 0)
    }

    struct Nosy: CacheRecord {
        static let recordName = "Person"
        static let cache = Mutex<RecordCache?>(nil)
        static let timeline = RecordTimeline(version: 2).migrating(from: 1) { data in
            // A step that uses the cache, on the very key that is being read.
            guard let group = cache.withLock(\.self)?.group("g") else { return }
            try group.set(1, forKey: "seen")
            if try group.contains("k") { data["name"] = "seen" }
        }
        var name: String
    }

    @Test func `the cache may be used by a step, by a monitor, and from tasks`() async throws {
        let store = try DictionaryStorage.make()
        let events = Counter()
        let cache = try records(over: store) { $0.monitor = { _, _ in events.add() } }
        Nosy.cache.withLock { $0 = cache }
        defer { Nosy.cache.withLock { $0 = nil } }
        let group = cache.group("g")
        try await group.set(People.V1.ada, forKey: "k")
        #expect(try await group.value(forKey: "k", as: Nosy.self)?.name == "seen")
        #expect(try await group.remove("seen"))
        try await group.set(Int?.none, forKey: "k")
        #expect(try await group.clear() == 0 && events.count >= 8)
    }

    @Test func `a group is cleared of what memory alone has left`() throws {
        let store = try BoundedStorage(.objects(1), policy: policy("lru"), over: DictionaryStorage.make())
        let cache = try records(over: store)
        let group = cache.group("g")
        for number in 0..<3 { try group.set(number, forKey: "\(number)") }
        #expect(try Set(group.keys()) == ["0", "1", "2"] && cache.count() == 3)
        #expect(try group.clear() == 3)
        #expect(try (0..<3).allSatisfy { try group.value(forKey: "\($0)", as: Int.self) == nil })
    }
}
