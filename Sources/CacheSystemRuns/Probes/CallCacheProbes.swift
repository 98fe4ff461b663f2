internal import CacheCore
internal import CacheEngine
internal import CacheHarness
internal import CacheSystems

/// Experiments with CallCache.
enum CallCacheProbes {
    static let all = [
        SystemProbe("keys by size", keysBySize), SystemProbe("collisions of keys", KeyCollisions.figures),
        SystemProbe("clearing", clearing), SystemProbe("a monitor", monitor),
    ]

    // MARK: Keys

    /// Parameters as an app has them: some of every kind.
    private struct Search: Encodable {
        var words: String
        var page: Int
        var radius: Double
        var isSafe: Bool
        var languages: Set<String>
        var filters: [String: Int]

        init(_ number: Int) {
            words = "what is looked for, number \(number)"
            page = number % 10
            radius = Double(number) / 8
            isSafe = number.isMultiple(of: 2)
            languages = ["en", "de", "fr", "ja"]
            filters = ["price": number, "year": 2000, "rooms": 3, "floor": number % 7]
        }
    }

    /// What the key of a number, of a search, and of a list of 100 searches costs.
    private static func keysBySize(_ setup: SystemRunSetup) throws -> [SystemFigure] {
        [
            try keyFigure("small", (0..<setup.probeCount(2000, least: 50)).map { $0 }),
            try keyFigure("medium", (0..<setup.probeCount(500, least: 20)).map { Search($0) }),
            try keyFigure(
                "large", (0..<setup.probeCount(10, least: 2)).map { (0..<100).map(Search.init) + [Search($0)] }),
        ]
    }

    private static func keyFigure(_ size: String, _ parameters: [some Encodable]) throws -> SystemFigure {
        var keys: [CanonicalKey] = []
        let times = try ProbeRounds { _ in
            let before = keys
            keys = []
            keys.reserveCapacity(parameters.count)
            let time = try ProbeRounds.nanoseconds {
                for some in parameters { keys.append(try CanonicalKey(of: some)) }
            }
            try require(before.isEmpty || keys == before, "\(size) parameters have other keys each time")
            return time
        }
        try require(Set(keys).count == keys.count, "different \(size) parameters share a key")
        return SystemFigure("key of \(size) parameters", times.median() / Double(keys.count), .nanoseconds)
    }

    // MARK: Clearing

    /// How long it takes to clear stores of a thousand answers, of ten thousand and so on: to a million at full scale, or as far as
    /// the backend is filled and cleared within a minute. What takes long is done once.
    private static func clearing(_ setup: SystemRunSetup) throws -> [SystemFigure] {
        let cache = try CallCache(CallCacheOptions("app"), policy: setup.policy, storage: setup.openStore())
        let function = cache.function("answer") { (number: Int) in number }
        let sizes = [1000, 10_000, 100_000, 1_000_000]
        var figures: [SystemFigure] = []
        var nanosecondsEach = 0.0
        for size in sizes where size <= max(sizes[0], setup.probeCount(1_000_000, least: 1)) {
            guard nanosecondsEach * Double(size) <= 60e9 * setup.scale else { break }
            let times = try ProbeRounds(size == sizes[0] ? 3 : 1, warmsUp: false) { _ in
                let filling = try ProbeRounds.nanoseconds {
                    for number in 0..<size { try function.store(number, for: number) }
                }
                try requireCount(of: cache, size)
                let clearing = try ProbeRounds.nanoseconds { try cache.removeAll() }
                try requireCount(of: cache, 0)
                nanosecondsEach = (filling + clearing) / Double(size)
                return clearing
            }
            figures.append(SystemFigure("clearing \(size) answers", times.median(), .nanoseconds))
        }
        try cache.close()
        return figures
    }

    private static func requireCount(of cache: CallCache, _ expected: Int) throws {
        let count = try cache.count()
        try require(count == expected, "\(count) answers are stored, not \(expected)")
    }

    // MARK: Hooks

    /// What a monitor costs a call that is answered from memory: the same calls through a cache with one and through one without.
    private static func monitor(_ setup: SystemRunSetup) throws -> [SystemFigure] {
        let (rounds, calls, objects) = (31, setup.probeCount(2000, least: 50), 50)
        let told = EventCounter()
        let ways = try [false, true].map { isMonitored in
            var options = CallCacheOptions("app")
            if isMonitored { options.monitor = { event, _ in if event == .hit { told.add() } } }
            var setup = setup
            setup.directory += isMonitored ? "/with" : "/without"
            let cache = try CallCache(options, policy: setup.policy, storage: setup.openStore())
            let function = cache.function("answer") { (number: Int) in number }
            for object in 0..<objects { try function.store(object, for: object) }
            return (cache: cache, function: function)
        }
        let times = try ProbeRounds(rounds, ways: 2) { way in
            try ProbeRounds.nanoseconds {
                for call in 0..<calls {
                    let answer = try ways[way].function.blockingAnswer(to: call % objects, .cacheElseNetwork) {
                        throw AssayError(.verdict, "what is stored was asked for")
                    }
                    try require(answer.value == call % objects, "call \(call % objects)")
                }
            }
        }
        try require(told.count == (rounds + 1) * calls, "the monitor was told \(told.count) hits")
        for way in ways { try way.cache.close() }
        return [
            SystemFigure("a call without a monitor", times.median(0) / Double(calls), .nanoseconds),
            SystemFigure("what a monitor adds", times.medianDifference(1, over: 0) / Double(calls), .nanoseconds),
        ]
    }
}
