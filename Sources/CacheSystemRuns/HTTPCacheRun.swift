public import CacheCore
internal import CacheEngine
public import CacheHarness
internal import CacheSystems

/// HTTPCache under page loads: pages with the files that they are made of, some with validators, some with a date alone, data that vary by
/// language, pages for one person, and advertisements that must not be stored. The site is away now and then, and the last pages are
/// visited without a connection.
public final class HTTPCacheRun: RunnableSystem {
    /// `http-cache`.
    public static let name = "http-cache"
    /// Visits, pages and files; what the site says of them; outages; for whom the cache is and its room.
    public static let settings: [ParameterSpecification] =
        ParameterSpecification.requests(2500, objects: 300, exponent: 0.9)
        + ParameterSpecification.sizes(median: 8000, most: 500_000) + ParameterSpecification.origin
        + ParameterSpecification.outages + [
            ParameterSpecification(
                "profile", .choice(default: "private", HTTPProfile.allCases.map(\.rawValue)), "For whom the cache is."),
            ParameterSpecification(
                "assets", .integer(default: 600, 1...10_000_000), "How many files pages are made of."),
            ParameterSpecification("assets-per-page", .integer(default: 8, 0...64), "How many of them a page has."),
            ParameterSpecification(
                "personal-share", .number(default: 0.2, 0...1), "The part of the pages that is for one person."),
            ParameterSpecification(
                "page-max-age", .integer(default: 60, 0...1_000_000_000), "For how many seconds a page is fresh."),
            ParameterSpecification(
                "page-revalidate-window", .integer(default: 300, 0...1_000_000_000),
                "For how many seconds after that it may be served while it is confirmed."),
            ParameterSpecification(
                "change-seconds", .integer(default: 1800, 1...1_000_000),
                "How often a page changes; files a hundred times less often."),
            ParameterSpecification(
                "offline-visits", .integer(default: 200, 0...1_000_000_000),
                "How many of the last visits have no connection."),
            ParameterSpecification(
                "store-bytes", .integer(default: 8_000_000, 1...1_000_000_000_000), "How many bytes may be stored."),
            ParameterSpecification(
                "memory-bytes", .integer(default: 1_000_000, 0...1_000_000_000_000),
                "How many bytes of records memory holds."),
            ParameterSpecification(
                "seconds-between-requests", .number(default: 20, 0...1e6), "The time between visits, in virtual time."),
        ]
    /// It keeps its answers in a backend, and long bodies in files beside it.
    public static let keepsFiles = true
    /// Experiments beside its workload.
    public static let probes = HTTPCacheProbes.all

    /// The most requests of all visits together: each takes 8 bytes of memory.
    private static let requestsMax = 100_000_000

    private struct Step {
        let resource: UInt32
        let language: UInt8
        let isFirst: Bool
        let isOffline: Bool
    }

    private let setup: SystemRunSetup
    private let site: PageSite
    private let steps: [Step]
    private let clock = VirtualClock(wallNanoseconds: PageSite.epochSeconds * 1_000_000_000)
    private let source: SimulatedOrigin
    private let server: SiteServer
    private let stepNanoseconds: Int64
    private let refreshes = EventCounter()
    private let failures = EventCounter()
    private var cache: HTTPCache?
    private var outdated = 0
    private var answered = 0
    private var offline = (requests: 0, answered: 0)

    /// Draws the visits.
    public init(_ setup: SystemRunSetup) throws {
        self.setup = setup
        let site = PageSite(setup)
        let perVisit = setup.values.integer("assets-per-page") + 3
        let requests = setup.scaled("requests") * perVisit
        guard requests <= Self.requestsMax else {
            throw AssayError(
                .badInput,
                "requests, \(setup.scaled("requests")) visits of \(perVisit) requests each, are more than \(Self.requestsMax) requests."
            )
        }
        let visits = setup.drawnObjects(
            setup.scaled("requests"), of: site.pages, exponent: setup.values.number("exponent"))
        let firstOffline = visits.count - Int(Double(setup.values.integer("offline-visits")) * setup.scale)
        steps = visits.enumerated().flatMap { visit, page in
            let language = UInt8(setup.drawn(0x6C61_6E67, visit) * Double(PageSite.languages.count))
            return site.resources(ofPage: Int(page)).enumerated().map {
                Step(
                    resource: UInt32($1), language: language, isFirst: $0 == 0, isOffline: visit >= firstOffline)
            }
        }
        self.site = site
        source = SimulatedOrigin(try setup.originProfileWithOutages(requests: requests))
        server = SiteServer(site: site, source: source, clock: clock)
        stepNanoseconds = try setup.stepNanoseconds()
    }

    /// Opens the cache over its store.
    public func open() throws {
        var options = HTTPCacheOptions("pages")
        options.profile = HTTPProfile(rawValue: setup.values.text("profile")) ?? .private
        options.bodyDirectory = setup.directory + "/bodies"
        options.storeBytesMax = setup.scaled("store-bytes")
        options.memoryBytesMax = setup.scaled("memory-bytes")
        options.clock = clock
        options.monitor = { [refreshes, failures] event, _ in
            if event == .refreshing { refreshes.add() }
            if event == .servedOnError { failures.add() }
        }
        cache = try HTTPCache(options, policy: setup.policy, storage: setup.openStore(), origin: server)
    }

    /// How many requests there are, for pages and all that is in them.
    public var stepCount: Int { steps.count }
    /// What the site was asked.
    public var origin: OriginCounts { source.counts }

    /// One task does everything while the thread that drives waits for it, so that nothing is used by two at a time.
    private struct Handed: @unchecked Sendable {
        let run: HTTPCacheRun
        let sheet: SystemCallRecorder
    }

    /// Makes some requests, one after the other.
    public func drive(_ range: Range<Int>, _ sheet: SystemCallRecorder) throws {
        let handed = Handed(run: self, sheet: sheet)
        try awaited {
            for step in range { try await handed.run.make(handed.run.steps[step], handed.sheet) }
        }
    }

    private func make(_ step: Step, _ sheet: SystemCallRecorder) async throws {
        guard let cache else { return }
        if step.isFirst { clock.advance(nanoseconds: stepNanoseconds) }
        cache.isOffline = step.isOffline
        let resource = Int(step.resource)
        var request = HTTPRequest("GET", PageSite.address(of: resource))
        request.fields["Accept-Language"] = PageSite.languages[Int(step.language)]
        let before = (refreshes: refreshes.count, failures: failures.count)
        var body: [UInt8]?
        var source = HTTPSource.cache
        let start = sheet.begin()
        do {
            let response = try await cache.respond(to: request)
            if response.status == 200 {
                body = try await response.body.bytes()
                source = response.source
            } else if response.status != 504 {
                throw AssayError(.verdict, "\(request.url) was answered with status \(response.status)")
            }
        } catch is SimulatedOrigin.OriginUnavailable { body = nil }
        let time = sheet.stop(start)
        let isRefreshed = refreshes.count > before.refreshes
        // What is done beside the answer is part of its request: the next one finds it done.
        while cache.isBusy { await Task.yield() }
        let outcome = outcome(source, isRefreshed: isRefreshed, hasFailed: failures.count > before.failures)
        try account(step, body, outcome, time, sheet)
    }

    private func account(
        _ step: Step, _ body: [UInt8]?, _ outcome: SystemOutcome, _ time: UInt64?, _ sheet: SystemCallRecorder
    ) throws {
        let resource = Int(step.resource)
        if let body {
            let current = site.revision(of: resource, at: server.now / 1_000_000_000).number
            let found = body.count < Payload.headerBytes ? 0 : Int(Payload(saidBy: body, texture: .init()).version >> 2)
            let content = site.content(resource, revision: found, language: Int(step.language))
            try require(
                found <= current && content.matches(body), "resource \(resource), revision \(found) of \(current)")
            try require(
                outcome != .miss || found == current,
                "resource \(resource) as new, of revision \(found), not \(current)")
            answered += 1
            if found < current { outdated += 1 }
        }
        let size = setup.drawnSize(resource)
        let isAway = step.isOffline || source.isAway(at: server.now)
        sheet.end(
            body == nil ? .unanswered : outcome, time, bytes: body?.count ?? 0,
            without: source.cost(bytes: isAway ? nil : size))
        if isAway { sheet.endedInOutage(isAnswered: body != nil) }
        if step.isOffline {
            offline.requests += 1
            if body != nil { offline.answered += 1 }
        }
    }

    private func outcome(_ source: HTTPSource, isRefreshed: Bool, hasFailed: Bool) -> SystemOutcome {
        switch source {
        case .origin, .shared: .miss
        case .fresh: .hit
        case .validated: .confirmed
        case .cache: .unanswered
        case .stale: isRefreshed ? .refreshed : hasFailed ? .fallback : .hit
        }
    }

    /// The addresses of which something is stored.
    public func entries() throws -> Int { try cache?.urls().count ?? 0 }

    /// How the origin confirmed, what left, and what was answered without it.
    public func figures() throws -> [SystemFigure] {
        guard let cache else { return [] }
        let statistics = cache.statistics
        return [
            SystemFigure("confirmed, of what the origin was asked", statistics[.confirmed], of: statistics[.asked]),
            SystemFigure("confirmed beside the answer", count: statistics[.refreshing]),
            SystemFigure("answers that were outdated", outdated, of: answered),
            SystemFigure("answers stored", count: statistics[.stored]),
            SystemFigure("answers displaced", count: statistics[.displaced]),
            SystemFigure("bytes stored", Double(cache.storedBytes), .bytes),
            SystemFigure("answered without a connection", offline.answered, of: offline.requests),
        ]
    }

    /// Closes the cache.
    public func close() throws {
        try cache?.close()
        cache = nil
    }
}
