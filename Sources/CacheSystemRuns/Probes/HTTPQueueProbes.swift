internal import CacheCore
internal import CacheEngine
internal import CacheHarness
internal import CacheSystems
internal import Synchronization

/// Experiments with requests that come at once: how many of them the origin gets, and how many at a time.
package enum HTTPQueueProbes {
    static let all = [
        SystemProbe("requests at once") { setup in
            let clients = setup.probeCount(64, least: 16)
            let crowd = try crowd(setup, clients: clients, addresses: 4, limit: 64)
            return [SystemFigure("requests by one of the origin", Double(crowd.requests) / Double(crowd.asked), .times)]
        },
        SystemProbe("requests in flight") { setup in
            let most = try inFlight(setup, limit: 4, allowed: 4)
            return [SystemFigure("requests in flight, of 4 allowed", count: most)]
        },
    ]

    /// How many requests for different addresses were at the origin at once, with a limit of the cache's.
    ///
    /// - Throws: `AssayError` of code `verdict` for more than are allowed.
    package static func inFlight(_ setup: SystemRunSetup, limit: Int, allowed: Int) throws -> Int {
        let crowd = try crowd(setup, clients: 1, addresses: 32, limit: limit)
        try require(crowd.most <= allowed, "\(crowd.most) requests were at the origin at once, of \(allowed) allowed")
        return crowd.most
    }

    /// What the origin saw of clients that each ask for all addresses, while it holds back its answers until everybody has asked.
    package static func crowd(
        _ setup: SystemRunSetup, clients: Int, addresses: Int, limit: Int
    ) throws -> (requests: Int, asked: Int, most: Int) {
        let origin = HeldOrigin()
        let misses = EventCounter()
        let cache = try setup.openWebCache(origin: origin) { options in
            options.originRequestsMax = limit
            // The origin answers when everybody has asked, however long that takes.
            options.originWaitLimit = .seconds(3600)
            options.monitor = { event, _ in if event == .miss { misses.add() } }
        }
        let requests = clients * addresses
        try awaited {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<requests { group.addTask { try await ask(number % addresses, cache) } }
                group.addTask {
                    defer { origin.letGo() }
                    let clock = ContinuousClock()
                    let start = clock.now
                    while misses.count < requests || origin.counts.most < min(limit, addresses) {
                        try await Task.sleep(for: .milliseconds(1))
                        try require(
                            clock.now - start < .seconds(60), "requests that came at once have not come in a minute")
                    }
                    // All have looked for what is stored. Those that are on their way to join others, or to the origin where they must
                    // not be, have once more the time that it took so far.
                    try await Task.sleep(for: max(.milliseconds(100), clock.now - start))
                }
                for try await _ in group {}
            }
        }
        try cache.close()
        return (requests, origin.counts.asked, origin.counts.most)
    }

    private static func ask(_ address: Int, _ cache: HTTPCache) async throws {
        let response = try await cache.respond(to: HTTPRequest("GET", HeldOrigin.address(address)))
        let body = try await response.body.bytes()
        try require(response.status == 200 && HeldOrigin.content(address).matches(body), "address \(address)")
    }
}

/// An origin that answers nobody until it is told to, and knows how many were there at once.
private final class HeldOrigin: HTTPOrigin {
    private struct State {
        var holds = true
        var waiting: [CheckedContinuation<Void, Never>] = []
        var inside = 0
        var counts = (asked: 0, most: 0)
    }

    private let state = Mutex(State())

    static func address(_ number: Int) -> HTTPURL { HTTPURL("https://origin.example/\(number)")! }
    static func content(_ number: Int) -> Payload { Payload(id: ObjectID(number), version: 0, count: 2000) }

    var counts: (asked: Int, most: Int) { state.withLock { $0.counts } }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        await withCheckedContinuation { continuation in
            let mayGo = state.withLock { state in
                state.inside += 1
                state.counts.asked += 1
                state.counts.most = max(state.counts.most, state.inside)
                if state.holds { state.waiting.append(continuation) }
                return !state.holds
            }
            if mayGo { continuation.resume() }
        }
        state.withLock { $0.inside -= 1 }
        guard let number = Int(request.url.path.dropFirst()) else { return HTTPResponse(404) }
        let content = Self.content(number).bytes()
        let fields: HTTPFields = ["Cache-Control": "max-age=600", "Content-Length": "\(content.count)"]
        return HTTPResponse(200, fields: fields, body: HTTPBody(content))
    }

    /// Answers those that wait, and from now on everybody at once.
    func letGo() {
        let waiting = state.withLock { state in
            state.holds = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
