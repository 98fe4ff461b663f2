public import CacheCore
internal import CacheEngine
public import CacheHarness
internal import CacheSystems
internal import Synchronization

/// CallCache under sessions of an app: remote functions are called by the six policies, as an app mixes them, over hours in which the
/// server is away now and then and the app is started anew.
///
/// The posts that a function answers with change from time to time, so that it can be told how many answers were outdated. Without the cache
/// each call would ask the server.
public final class CallCacheRun: RunnableSystem {
    /// `call-cache`.
    public static let name = "call-cache"
    /// Calls and their parameters; the mix of policies; ages and room; outages and restarts.
    public static let settings: [ParameterSpecification] =
        ParameterSpecification.requests(40_000, objects: 2000, exponent: 0.9)
        + ParameterSpecification.sizes(median: 1500, most: 20_000) + ParameterSpecification.origin
        + ParameterSpecification.outages + [
            ParameterSpecification(
                "max-age-seconds", .integer(default: 600, 1...1_000_000_000), "How old an answer from the cache may be."
            ),
            ParameterSpecification(
                "outage-max-age-seconds", .integer(default: 86_400, 1...1_000_000_000),
                "How old one may be that is given instead of an error."),
            ParameterSpecification(
                "error-age-seconds", .integer(default: 5, 0...1_000_000), "For how long a failed call is not repeated."),
            ParameterSpecification(
                "change-seconds", .integer(default: 1800, 1...1_000_000_000), "How often a post changes on the server."),
            ParameterSpecification(
                "memory-answers", .integer(default: 200, 0...100_000_000), "How many answers memory holds."),
            ParameterSpecification(
                "store-bytes", .integer(default: 2_000_000, 1...1_000_000_000_000), "How many bytes the store holds."),
            ParameterSpecification(
                "restart-every", .integer(default: 10_000, 1...1_000_000_000), "How many calls lie between two starts."),
            ParameterSpecification(
                "seconds-between-requests", .number(default: 2, 0...1e6), "How fast calls follow in virtual time."),
        ]
        + FetchPolicy.allCases.map {
            ParameterSpecification(
                share($0), .integer(default: 1, 0...1000), "How often `\($0.rawValue)` is used, beside the others.")
        }
    /// It keeps its answers in a backend.
    public static let keepsFiles = true
    /// Experiments beside its workload.
    public static let probes = CallCacheProbes.all

    /// `share-cache-else-network`.
    private static func share(_ policy: FetchPolicy) -> String {
        policy.rawValue.reduce(into: "share-") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
    }

    private typealias Feed = CachedFunction<FeedQuery, Post>

    private let setup: SystemRunSetup
    private let objects: [UInt32]
    private let policies: [FetchPolicy]
    private let clock = VirtualClock(wallNanoseconds: 1_800_000_000_000_000_000)
    private let source: SimulatedOrigin
    private let seen = SeenEvents()
    private let stepNanoseconds: Int64
    private let startNanoseconds: Int64
    private var cache: CallCache?
    private var feed: Feed?
    private var outdated = 0
    private var byPolicy: [FetchPolicy: (calls: Int, hits: Int, answered: Int)] = [:]

    /// Draws the calls.
    public init(_ setup: SystemRunSetup) throws {
        self.setup = setup
        let requests = setup.scaled("requests")
        objects = setup.drawnObjects(
            requests, of: setup.scaled("objects"), exponent: setup.values.number("exponent"))
        let pool = FetchPolicy.allCases.flatMap {
            [FetchPolicy](repeating: $0, count: setup.values.integer(Self.share($0)))
        }
        guard !pool.isEmpty else { throw AssayError(.badInput, "no policy has a share; give one to at least one.") }
        policies = (0..<requests).map { pool[Int(setup.drawn(0x706F_6C, $0) * Double(pool.count))] }
        source = SimulatedOrigin(try setup.originProfileWithOutages(requests: requests))
        stepNanoseconds = try setup.stepNanoseconds()
        startNanoseconds = clock.wallNanoseconds()
    }

    /// Opens the cache over its store.
    public func open() throws {
        var options = CallCacheOptions("app")
        options.maxAge = .seconds(setup.values.integer("max-age-seconds"))
        options.memoryAnswersMax = setup.scaled("memory-answers")
        options.storeBytesMax = setup.scaled("store-bytes")
        options.errorAge = .seconds(setup.values.integer("error-age-seconds"))
        options.clock = clock
        options.monitor = { [seen] event, _ in seen.note(event) }
        let cache = try CallCache(options, policy: setup.policy, storage: setup.openStore())
        feed = cache.function("feed") { _ in throw SimulatedOrigin.OriginUnavailable() }
        self.cache = cache
    }

    /// How many calls there are.
    public var stepCount: Int { objects.count }
    /// What the server was asked.
    public var origin: OriginCounts { source.counts }

    private var now: Int64 { clock.wallNanoseconds() - startNanoseconds }

    /// Makes some calls.
    public func drive(_ steps: Range<Int>, _ sheet: SystemCallRecorder) throws {
        let restartEvery = setup.scaled("restart-every")
        for step in steps {
            clock.advance(nanoseconds: stepNanoseconds)
            if step > 0, step.isMultiple(of: restartEvery) {
                try close()
                try sheet.aside("opening") { try open() }
            }
            try call(Int(objects[step]), policies[step], sheet)
        }
    }

    private func call(_ object: Int, _ policy: FetchPolicy, _ sheet: SystemCallRecorder) throws {
        guard let feed else { return }
        let post = currentPost(object)
        let query = FeedQuery(author: object, page: 0, languages: ["en"])
        // Old news are better than none, where the choice is between these.
        let age = policy == .networkElseCache || policy == .cacheOnly ? "outage-max-age-seconds" : "max-age-seconds"
        let rules = CallRules(maxAge: .less(.seconds(setup.values.integer(age))))
        seen.begin()
        let start = sheet.begin()
        let answer: CallAnswer<Post>?
        do {
            answer = try feed.blockingAnswer(to: query, policy, rules: rules) {
                try source.ask(bytes: post.text.utf8.count, at: now)
                return post
            }
        } catch is SimulatedOrigin.OriginUnavailable { answer = nil } catch is CallError { answer = nil }
        let time = sheet.stop(start)
        let outcome = outcome(isAnswered: answer != nil)
        if let value = answer?.value {
            try require(
                value == self.post(object, revision: value.revision) && value.revision <= post.revision,
                "post \(object), revision \(value.revision)")
            if value.revision < post.revision { outdated += 1 }
        }
        let isAnswered = outcome != .unanswered
        sheet.end(
            outcome, time, bytes: isAnswered ? post.text.utf8.count : 0,
            without: source.costWithout(bytes: post.text.utf8.count, at: now))
        if source.isAway(at: now) { sheet.endedInOutage(isAnswered: isAnswered) }
        byPolicy[policy, default: (0, 0, 0)].calls += 1
        if outcome.isHit { byPolicy[policy]?.hits += 1 }
        if isAnswered { byPolicy[policy]?.answered += 1 }
    }

    /// What became of a call, by the events that it caused.
    private func outcome(isAnswered: Bool) -> SystemOutcome {
        let events = seen.events
        if events.contains(.fellBack) { return .fallback }
        let wasAsked = events.contains(.asked) || events.contains(.spared)
        if events.contains(.hit) { return wasAsked ? .refreshed : .hit }
        return isAnswered ? .miss : .unanswered
    }

    /// What the server would answer now.
    private func currentPost(_ object: Int) -> Post {
        let period = Double(setup.values.integer("change-seconds"))
        let age = Double(now) / 1e9 + period * setup.drawn(0x6167_65, object)
        return post(object, revision: Int(age / period))
    }

    private func post(_ object: Int, revision: Int) -> Post {
        Post(author: object, revision: revision, textCount: setup.drawnSize(object))
    }

    /// The answers that are kept.
    public func entries() throws -> Int { try cache?.count() ?? 0 }

    /// How many answers were old, and what each policy came to.
    public func figures() throws -> [SystemFigure] {
        let answered = byPolicy.values.reduce(0) { $0 + $1.answered }
        return [
            SystemFigure("calls that differ", count: Set(objects).count),
            SystemFigure("answers that were outdated", outdated, of: answered),
            SystemFigure("failed calls that were not repeated", count: seen.spared),
        ]
            + FetchPolicy.allCases.flatMap { policy -> [SystemFigure] in
                guard let counts = byPolicy[policy] else { return [] }
                return [
                    SystemFigure("\(policy.rawValue): hits", counts.hits, of: counts.calls),
                    SystemFigure("\(policy.rawValue): answered", counts.answered, of: counts.calls),
                ]
            }
    }

    /// Closes the cache.
    public func close() throws {
        try cache?.close()
        (cache, feed) = (nil, nil)
    }
}

/// What the function is asked.
private struct FeedQuery: Codable, Sendable {
    let author: Int
    let page: Int
    let languages: Set<String>
}

/// What it answers: a text that says itself what it must be.
private struct Post: Codable, Sendable, Equatable {
    let author: Int
    let revision: Int
    let text: String

    init(author: Int, revision: Int, textCount: Int) {
        self.author = author
        self.revision = revision
        var generator = SeededGenerator(seed: mix64(UInt64(author)) ^ UInt64(revision))
        let words = (0..<(textCount + 15) / 16).map { _ in
            String(String(generator.next() | 1 << 63, radix: 16).prefix(16))
        }
        text = words.joined()
    }
}

/// The events of the call that is under way.
private final class SeenEvents: Sendable {
    private let state = Mutex((events: Set<CallEvent>(), spared: 0))

    var events: Set<CallEvent> { state.withLock { $0.events } }
    var spared: Int { state.withLock { $0.spared } }

    func begin() { state.withLock { $0.events = [] } }

    func note(_ event: CallEvent) {
        state.withLock { state in
            state.events.insert(event)
            if event == .spared { state.spared += 1 }
        }
    }
}
