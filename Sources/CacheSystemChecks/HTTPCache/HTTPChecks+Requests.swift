internal import CacheConformance
internal import CacheSystems
internal import Foundation
internal import Synchronization

// What a caller asks of the cache itself, and what several do at once.
extension HTTPChecks {
    private static let tag: HTTPFields = ["ETag": "\"a\""]

    static let requests = [
        table(
            "HTC-37", "A caller may have an answer made anew, confirmed, or taken from the store whatever its age.",
            "How often the origin is asked, for each way.",
            [
                HTTPRow(
                    "reload",
                    [
                        HTTPStep(.whole, gives: fresh(100, tag)),
                        HTTPStep(.whole, use: .reload, gives: fresh(100, tag)), HTTPStep(.nothing),
                    ]),
                HTTPRow(
                    "revalidate",
                    [HTTPStep(.whole, gives: fresh(100, tag)), HTTPStep(.confirming, use: .revalidate, gives: tag)]),
                HTTPRow(
                    "cacheElseOrigin",
                    [
                        HTTPStep(.whole, use: .cacheElseOrigin, gives: fresh(1)),
                        HTTPStep(.nothing, after: 9, use: .cacheElseOrigin),
                    ]),
                HTTPRow(
                    "cacheElseOrigin, fresh",
                    [HTTPStep(.whole, gives: fresh(100)), HTTPStep(.nothing, use: .cacheElseOrigin)]),
                HTTPRow(
                    "cacheElseOrigin, forbidden",
                    [
                        HTTPStep(.whole, gives: fresh(0, ["Cache-Control": "must-revalidate"])),
                        HTTPStep(.whole, after: 1, use: .cacheElseOrigin),
                    ]),
                HTTPRow(
                    "cacheThenRefresh",
                    [
                        HTTPStep(.whole, gives: fresh(10, tag)), HTTPStep(.nothing, use: .cacheThenRefresh),
                        HTTPStep(
                            .confirming, after: 20, use: .cacheThenRefresh, gives: fresh(10, tag), has: ["Age": "20"]),
                        HTTPStep(.nothing, has: ["Age": "0"]),
                    ]),
                HTTPRow(
                    "cacheOnly",
                    [
                        HTTPStep(.nothing, use: .cacheOnly, answers: 504), HTTPStep(.whole, gives: fresh(1)),
                        HTTPStep(.nothing, after: 9, use: .cacheOnly),
                    ]),
            ]),
        check(
            "HTC-38",
            "Offline no origin is asked: what is stored is served, fresh or not, and for the rest there is a 504.",
            "Back online what is stale is confirmed, and what is forbidden stays so.",
            steps: ["get", "go offline", "get it, get another, change it", "go online", "get it"]
        ) { bench in
            try bench.exchange(HTTPStep(.whole, gives: fresh(5, tag)))
            try bench.exchange(HTTPStep(.whole, path: "/must", gives: fresh(5, ["Cache-Control": "must-revalidate"])))
            try bench.cache.setOffline(true)
            try bench.exchange(HTTPStep(.nothing, content: "answer 1"), "fresh")
            try bench.exchange(HTTPStep(.nothing, after: 10, content: "answer 1"), "stale")
            try bench.exchange(HTTPStep(.nothing, path: "/must", answers: 504), "forbidden")
            try bench.exchange(HTTPStep(.nothing, path: "/other", answers: 504), "another")
            try bench.exchange(HTTPStep(.nothing, method: "POST", answers: 504), "a change")
            try bench.cache.setOffline(false)
            try bench.exchange(HTTPStep(.confirming, gives: fresh(5, tag), content: "answer 1"), "online")
            try bench.exchange(HTTPStep(.nothing, content: "answer 1"), "confirmed")
        },
        check(
            "HTC-39", "Where there is nothing to serve, the error of an origin that cannot be reached is the caller's.",
            "It stores nothing, and the next request asks again.", steps: ["get from an origin that fails", "get"]
        ) { bench in
            try bench.exchange(HTTPStep(.unreachable, answers: 0))
            try bench.exchange(HTTPStep(.whole, gives: fresh(100)))
            try bench.exchange(HTTPStep(.nothing))
        },
        check(
            "HTC-40",
            "Those who ask for the same at once share one question, whether it is at the origin or waits for its turn.",
            "Eight ask for one resource while the only turn is taken by another. Finds caches that share running requests alone.",
            steps: ["let one request take the turn", "ask for another resource eight times", "let the origin answer"],
            narrow
        ) { bench in
            let crowd = HTTPCrowd(bench)
            crowd.ask(bench.request("/first"))
            crowd.waitForQuestions(1)
            for _ in 0..<8 { crowd.ask(bench.request("/same")) }
            // They must have come as far as they get: a cache that shares too little is found, one that shares is not.
            Thread.sleep(forTimeInterval: 0.3)
            let answers = try crowd.release()
            try CheckViolation.unless(answers.count, is: 9, "the answers")
            try CheckViolation.unless(bench.origin.answers, is: 2, "how often the origin was asked")
        },
        check(
            "HTC-41", "Of those that wait for their turn at the origin the most urgent goes first.",
            "Three wait with different priorities while the only turn is taken.",
            steps: [
                "let one request take the turn", "ask with priorities 1, 3, 2", "let the origin answer",
                "look at the order",
            ], narrow
        ) { bench in
            let crowd = HTTPCrowd(bench)
            crowd.ask(bench.request("/first"))
            crowd.waitForQuestions(1)
            for priority in [1, 3, 2] { crowd.ask(bench.request("/\(priority)") { $0.priority = priority }) }
            Thread.sleep(forTimeInterval: 0.3)
            _ = try crowd.release()
            let order = bench.origin.asked.dropFirst().map { String($0.url.last!) }
            try CheckViolation.unless(order, is: ["3", "2", "1"], "the order of the questions")
        },
    ]

    private static var narrow: CheckedHTTPSetup {
        var setup = CheckedHTTPSetup()
        setup.originRequestsMax = 1
        return setup
    }
}

/// Clients that ask at once of an origin that does not answer before it is told to.
private final class HTTPCrowd: Sendable {
    private let cache: any HTTPCacheInstance
    private let origin: ScriptedOrigin
    private let asking = DispatchGroup()
    private let results = Mutex<[Result<CheckedHTTPAnswer, any Error>]>([])

    init(_ bench: HTTPBench) {
        cache = bench.cache
        origin = bench.origin
        origin.expect(HTTPStep(.whole, gives: HTTPChecks.fresh(100)))
        origin.hold()
    }

    func ask(_ request: CheckedHTTPRequest) {
        asking.enter()
        Thread.detachNewThread { [self] in
            let result = Result { try cache.respond(to: request) }
            results.withLock { $0.append(result) }
            asking.leave()
        }
    }

    func waitForQuestions(_ count: Int) { while origin.asked.count < count { Thread.sleep(forTimeInterval: 0.001) } }

    /// Lets the origin answer, and waits for all.
    func release() throws -> [CheckedHTTPAnswer] {
        origin.letGo()
        asking.wait()
        return try results.withLock { $0 }.map { try $0.get() }
    }
}
