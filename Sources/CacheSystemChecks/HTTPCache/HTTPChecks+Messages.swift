internal import CacheConformance
internal import CacheSystems

// What clients are given: whole answers, parts of them, and fields that are theirs to see.
extension HTTPChecks {
    private static let stored: HTTPFields = [
        "Cache-Control": "max-age=100", "ETag": "\"a\"", "Last-Modified": "@-9", "Content-Length": "10",
    ]

    /// A part of ten digits that are stored.
    private static func part(
        _ rule: String, _ asking: HTTPFields, answers: Int = 206, _ content: String = "", has: HTTPFields = [:]
    ) -> HTTPRow {
        HTTPRow(
            rule,
            [
                HTTPStep(.whole, gives: stored, body: "0123456789"),
                HTTPStep(.nothing, asking, answers: answers, has: has, content: content),
            ])
    }

    static let messages = [
        table(
            "HTC-32",
            "A part of a stored body is served as what it is; what an origin sends of one is not taken for the whole.",
            "RFC 9110 §14. Open ends, suffixes, versions. What cannot be understood is answered by the whole.",
            [
                part(
                    "from the beginning", ["Range": "bytes=0-3"], "0123",
                    has: ["Content-Range": "bytes 0-3/10", "Content-Length": "4"]),
                part("from the middle", ["Range": "bytes=4-5"], "45", has: ["Content-Range": "bytes 4-5/10"]),
                part("to the end", ["Range": "bytes=7-"], "789", has: ["Content-Range": "bytes 7-9/10"]),
                part("beyond the end", ["Range": "bytes=7-99"], "789", has: ["Content-Range": "bytes 7-9/10"]),
                part("the last", ["Range": "bytes=-2"], "89", has: ["Content-Range": "bytes 8-9/10"]),
                part(
                    "more than there is from the end", ["Range": "bytes=-99"], "0123456789",
                    has: ["Content-Range": "bytes 0-9/10"]),
                part("behind the end", ["Range": "bytes=10-"], answers: 416, has: ["Content-Range": "bytes */10"]),
                part("none from the end", ["Range": "bytes=-0"], answers: 416),
                part("backwards", ["Range": "bytes=5-4"], answers: 200, "0123456789"),
                part("another unit", ["Range": "lines=1-2"], answers: 200, "0123456789"),
                part("nonsense", ["Range": "bytes=x"], answers: 200, "0123456789"),
                part("several", ["Range": "bytes=0-1,3-4"], answers: 200, "0123456789"),
                part("of this version", ["Range": "bytes=0-3", "If-Range": "\"a\""], "0123"),
                part("of another", ["Range": "bytes=0-3", "If-Range": "\"b\""], answers: 200, "0123456789"),
                part("of a weak version", ["Range": "bytes=0-3", "If-Range": "W/\"a\""], answers: 200, "0123456789"),
                part("of a date", ["Range": "bytes=0-3", "If-Range": "@-9"], "0123"),
                part("of another date", ["Range": "bytes=0-3", "If-Range": "@-8"], answers: 200, "0123456789"),
                part("that the client has", ["Range": "bytes=0-3", "If-None-Match": "\"a\""], answers: 304),
                HTTPRow(
                    "a part of what was confirmed",
                    [
                        HTTPStep(.whole, gives: fresh(1, ["ETag": "\"a\""]), body: "0123456789"),
                        HTTPStep(
                            .confirming, after: 2, ["Range": "bytes=0-3"], gives: ["ETag": "\"a\""], answers: 206,
                            content: "0123", omits: ["Range"]),
                    ]),
            ]),
        table(
            "HTC-50", "A part of a body that an origin sends is passed on, and not taken for the whole.",
            "Finds caches that store whatever comes under the address.",
            [
                HTTPRow(
                    "a part of an origin's is not stored",
                    [
                        HTTPStep(
                            .whole, ["Range": "bytes=0-3"], status: 206,
                            gives: fresh(100, ["Content-Range": "bytes 0-3/10"]), body: "0123"),
                        HTTPStep(.whole, gives: fresh(100)), HTTPStep(.nothing),
                    ]),
                HTTPRow(
                    "the whole that an origin gives for a part is",
                    [HTTPStep(.whole, ["Range": "lines=0-3"], gives: fresh(100)), HTTPStep(.nothing)]),
            ]),
        table(
            "HTC-33", "What is served from the store has its status and its fields, and says how old it is.",
            "Age in whole seconds, the Date of the origin, or when it came. No Warning.",
            [
                HTTPRow(
                    "age",
                    [
                        HTTPStep(.whole, gives: fresh(100, ["Age": "7", "X-A": "1"])),
                        HTTPStep(.nothing, after: 3.9, has: ["Age": "10", "X-A": "1"], lacks: ["Warning"]),
                    ]),
                HTTPRow(
                    "date",
                    [
                        HTTPStep(.whole, gives: fresh(100, ["Date": "@-5"])),
                        HTTPStep(.nothing, has: ["Date": "@-5", "Age": "5"]),
                    ]),
                HTTPRow(
                    "no date",
                    [
                        HTTPStep(.whole, gives: fresh(100, ["Date": ""]), has: ["Date": "@0"]),
                        HTTPStep(.nothing, after: 5, has: ["Date": "@-5"]),
                    ]),
                HTTPRow(
                    "stale",
                    [
                        HTTPStep(.whole, gives: fresh(1)),
                        HTTPStep(
                            .nothing, after: 9, ["Cache-Control": "max-stale"], has: ["Age": "9"], lacks: ["Warning"]),
                    ]),
                HTTPRow(
                    "order of lines",
                    [
                        HTTPStep(.whole, gives: fresh(100, ["X-A": "2", "X-B": "x", "X-A": "1"])),
                        HTTPStep(.nothing, has: ["X-A": "2, 1"]),
                    ]),
            ]),
        table(
            "HTC-34", "What is for one connection is neither passed on nor stored, in both directions.",
            "RFC 9110 §7.6.1: the usual ones, and those that Connection names.",
            [
                HTTPRow(
                    "answers",
                    [
                        HTTPStep(
                            .whole,
                            gives: fresh(
                                100,
                                [
                                    "Connection": "x-a, close", "X-A": "1", "Keep-Alive": "1", "TE": "x",
                                    "Upgrade": "h2c", "X-B": "2",
                                ]),
                            has: ["X-B": "2"], lacks: ["Connection", "X-A", "Keep-Alive", "TE", "Upgrade"]),
                        HTTPStep(
                            .nothing, has: ["X-B": "2"], lacks: ["Connection", "X-A", "Keep-Alive", "TE", "Upgrade"]),
                    ]),
                HTTPRow(
                    "requests",
                    [
                        HTTPStep(
                            .whole, ["Connection": "x-a", "X-A": "1", "X-B": "2", "Proxy-Authorization": "x"],
                            gives: fresh(100),
                            asks: ["X-B": "2"], omits: ["X-A", "Connection", "Proxy-Authorization"])
                    ]),
                HTTPRow(
                    "what says that it may be stored is not read from them",
                    [
                        HTTPStep(.whole, gives: ["Connection": "cache-control", "Cache-Control": "max-age=100"]),
                        HTTPStep(.whole),
                    ]),
            ]),
        check(
            "HTC-35",
            "An answer that stands in the place of the platform's cache of addresses keeps its status and its fields.",
            "Finds adapters that give the content alone.", steps: ["get a 203 with fields", "get it again"], standing
        ) { bench in
            try bench.exchange(HTTPStep(.whole, status: 203, gives: fresh(100, ["X-A": "1"])))
            try bench.exchange(HTTPStep(.nothing, answers: 203, has: ["X-A": "1"]))
        },
        check(
            "HTC-36", "An answer that is taken from elsewhere is stored by the same rules.",
            "Finds imports that look at Expires alone.", steps: ["take answers", "get each"], standing
        ) { bench in
            func take(_ path: String, _ fields: HTTPFields) throws {
                var answer = CheckedHTTPAnswer()
                answer.fields = bench.origin.dated(fields)
                answer.body = Array("taken".utf8)
                try bench.cache.take(answer, for: bench.request(path))
            }
            try take("/fresh", ["Cache-Control": "max-age=100", "Expires": "@-100"])
            try take("/none", ["Cache-Control": "no-store, max-age=100", "Expires": "@100"])
            try bench.exchange(HTTPStep(.nothing, path: "/fresh", content: "taken"), "max-age")
            try bench.exchange(HTTPStep(.whole, path: "/none"), "no-store")
        },
    ]

    private static var standing: CheckedHTTPSetup {
        var setup = CheckedHTTPSetup()
        setup.standsForURLCache = true
        return setup
    }
}
