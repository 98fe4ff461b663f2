internal import CacheConformance
internal import CacheSystems

// When what is stored may be served (RFC 9111 §4.2.4, §5.2; RFC 5861).
extension HTTPChecks {
    private static let tag: HTTPFields = ["ETag": "\"a\""]

    private static func stale(_ directives: String) -> HTTPFields {
        ["Cache-Control": "max-age=1" + (directives.isEmpty ? "" : ", " + directives), "ETag": "\"a\""]
    }

    /// A stored answer that is nine seconds stale when its origin fails.
    private static func failing(
        _ rule: String, _ profiles: [HTTPProfile], _ directives: String, _ step: HTTPStep
    ) -> HTTPRow { HTTPRow(rule, profiles, [HTTPStep(.whole, gives: stale(directives)), step]) }

    private static func failing(_ rule: String, _ directives: String, _ step: HTTPStep) -> HTTPRow {
        failing(rule, HTTPProfile.allCases, directives, step)
    }

    static let reuse = [
        table(
            "HTC-10", "What says no-cache is confirmed before each use, fresh or not.",
            "With the names of fields it holds for those alone, which are left out. Finds caches that look at the age alone.",
            [
                second("with a validator", fresh(100, ["Cache-Control": "no-cache", "ETag": "\"a\""]), .confirming),
                second("without one", ["Cache-Control": "no-cache, max-age=100"], .whole),
                HTTPRow(
                    "for a field",
                    [
                        HTTPStep(
                            .whole,
                            gives: fresh(
                                100, ["Cache-Control": "no-cache=\"x-a, x-b\"", "X-A": "1", "X-B": "2", "X-C": "3"])),
                        HTTPStep(.nothing, after: 1, has: ["X-C": "3"], lacks: ["X-A", "X-B"]),
                    ]),
            ]),
        table(
            "HTC-11", "What says must-revalidate is never served stale, not even when its origin cannot be reached.",
            "There is a 504 then. In a shared cache proxy-revalidate and s-maxage say the same.",
            [
                failing("may be stale", "", HTTPStep(.unreachable, after: 10)),
                failing("must-revalidate", "must-revalidate", HTTPStep(.unreachable, after: 10, answers: 504)),
                failing("no-cache", "no-cache", HTTPStep(.unreachable, after: 10, answers: 504)),
                failing(
                    "proxy-revalidate", [.shared], "proxy-revalidate", HTTPStep(.unreachable, after: 10, answers: 504)),
                failing("s-maxage", [.shared], "s-maxage=1", HTTPStep(.unreachable, after: 10, answers: 504)),
                failing(
                    "proxy-revalidate in a private cache", [.private], "proxy-revalidate",
                    HTTPStep(.unreachable, after: 10)),
                failing(
                    "must-revalidate and max-stale", "must-revalidate",
                    HTTPStep(.confirming, after: 10, ["Cache-Control": "max-stale"], gives: tag)),
                failing(
                    "proxy-revalidate and max-stale", [.shared], "proxy-revalidate",
                    HTTPStep(.confirming, after: 10, ["Cache-Control": "max-stale"], gives: tag)),
                failing(
                    "must-revalidate and stale-while-revalidate", "must-revalidate, stale-while-revalidate=100",
                    HTTPStep(.confirming, after: 10, gives: tag)),
                failing(
                    "must-revalidate and stale-if-error", "must-revalidate, stale-if-error=100",
                    HTTPStep(.changed, after: 10, status: 503)),
            ]),
        table(
            "HTC-12",
            "Within stale-if-error a stale answer is served in the place of its origin's failure, and not after.",
            "RFC 5861 §4: 500, 502, 503, 504; in an answer or in a request. The failure does not take the good one's place.",
            [
                HTTPRow(
                    "503",
                    [
                        HTTPStep(.whole, gives: stale("stale-if-error=100")),
                        HTTPStep(.changed, after: 10, status: 503, answers: 200, content: "answer 1"),
                        HTTPStep(.confirming, after: 1, gives: fresh(100, tag), content: "answer 1"),
                        HTTPStep(.nothing, content: "answer 1"),
                    ]),
                failing(
                    "500", "stale-if-error=100",
                    HTTPStep(.changed, after: 10, status: 500, answers: 200, content: "answer 1")),
                failing("too late", "stale-if-error=5", HTTPStep(.changed, after: 10, status: 503)),
                failing("not allowed", "", HTTPStep(.changed, after: 10, status: 503)),
                failing("404 is no failure", "stale-if-error=100", HTTPStep(.changed, after: 10, status: 404)),
                failing(
                    "in the request", "",
                    HTTPStep(
                        .changed, after: 10, ["Cache-Control": "stale-if-error=100"], status: 503, answers: 200,
                        content: "answer 1")),
                HTTPRow(
                    "a failure does not take the place of what is good",
                    [
                        HTTPStep(.whole, gives: stale("")), HTTPStep(.changed, after: 10, status: 503, gives: fresh()),
                        HTTPStep(.confirming, after: 1, gives: tag, content: "answer 1"),
                    ]),
            ]),
        check(
            "HTC-13",
            "Within stale-while-revalidate a stale answer is served at once, and its origin asked once beside that.",
            "RFC 5861 §3. Afterwards it is fresh; after the window it is confirmed first.",
            steps: ["get", "get when it is stale", "get at once", "get after the window"]
        ) { bench in
            try bench.exchange(HTTPStep(.whole, gives: stale("stale-while-revalidate=10")))
            let refreshed = HTTPStep(
                .confirming, after: 5, gives: stale("stale-while-revalidate=10"), has: ["Age": "5"])
            try bench.exchange(refreshed, "stale")
            try bench.exchange(HTTPStep(.nothing, has: ["Age": "0"]), "refreshed")
            try bench.exchange(
                HTTPStep(.confirming, after: 30, gives: stale(""), has: ["Age": "0"]), "after the window")
            for (number, method) in ["GET", "HEAD"].enumerated() {
                let path = "/\(number)"
                let gives = fresh(1, ["Cache-Control": "stale-while-revalidate=10"])
                try bench.exchange(HTTPStep(.whole, path: path, gives: gives), method)
                let asking: HTTPFields = ["Range": "bytes=0-1", "If-Range": "\"b\""]
                try bench.exchange(
                    HTTPStep(
                        .whole, after: 5, asking, method: method, path: path, gives: gives, has: ["Age": "5"],
                        content: "answer \(2 * number + 2)", omits: ["Range"]), method)
                try bench.exchange(HTTPStep(.nothing, path: path, content: "answer \(2 * number + 3)"), method)
            }
        },
        table(
            "HTC-14", "A request may ask for less age, more freshness, nothing stored, or nothing but what is stored.",
            "RFC 9111 §5.2.1. Finds caches that look at answers alone, and min-fresh taken for max-stale.",
            [
                HTTPRow(
                    "max-age that is met",
                    [HTTPStep(.whole, gives: fresh()), HTTPStep(.nothing, after: 9, ["Cache-Control": "max-age=10"])]),
                HTTPRow(
                    "max-age that is not",
                    [HTTPStep(.whole, gives: fresh()), HTTPStep(.whole, after: 11, ["Cache-Control": "max-age=10"])]),
                HTTPRow(
                    "min-fresh that is met",
                    [
                        HTTPStep(.whole, gives: fresh()),
                        HTTPStep(.nothing, after: 50, ["Cache-Control": "min-fresh=50"]),
                    ]),
                HTTPRow(
                    "min-fresh that is not",
                    [HTTPStep(.whole, gives: fresh()), HTTPStep(.whole, after: 51, ["Cache-Control": "min-fresh=50"])]),
                HTTPRow(
                    "max-stale",
                    [HTTPStep(.whole, gives: fresh(10)), HTTPStep(.nothing, after: 99, ["Cache-Control": "max-stale"])]),
                HTTPRow(
                    "max-stale that is met",
                    [
                        HTTPStep(.whole, gives: fresh(10)),
                        HTTPStep(.nothing, after: 20, ["Cache-Control": "max-stale=10"]),
                    ]),
                HTTPRow(
                    "max-stale that is not",
                    [
                        HTTPStep(.whole, gives: fresh(10)),
                        HTTPStep(.whole, after: 21, ["Cache-Control": "max-stale=10"]),
                    ]),
                HTTPRow(
                    "max-stale that is no number",
                    [HTTPStep(.whole, gives: fresh(10)), HTTPStep(.whole, after: 11, ["Cache-Control": "max-stale=x"])]),
                HTTPRow(
                    "no-cache",
                    [
                        HTTPStep(.whole, gives: fresh(100, tag)),
                        HTTPStep(.confirming, ["Cache-Control": "no-cache"], gives: tag),
                    ]),
                HTTPRow(
                    "no-store",
                    [HTTPStep(.whole, ["Cache-Control": "no-store"], gives: fresh()), HTTPStep(.whole, gives: fresh())]),
                HTTPRow(
                    "only-if-cached",
                    [
                        HTTPStep(.nothing, ["Cache-Control": "only-if-cached"], answers: 504),
                        HTTPStep(.whole, gives: fresh(10)), HTTPStep(.nothing, ["Cache-Control": "only-if-cached"]),
                        HTTPStep(.nothing, after: 20, ["Cache-Control": "only-if-cached"], answers: 504),
                        HTTPStep(.nothing, ["Cache-Control": "only-if-cached, max-stale"]),
                    ]),
            ]),
        table(
            "HTC-15",
            "Pragma: no-cache in a request counts where it has no Cache-Control; in an answer it says nothing.",
            "RFC 9111 §5.4. Finds caches that look for it in answers, where any Cache-Control undoes it.",
            [
                HTTPRow(
                    "in a request",
                    [
                        HTTPStep(.whole, gives: fresh(100, tag)),
                        HTTPStep(.confirming, ["Pragma": "no-cache"], gives: tag),
                    ]),
                HTTPRow(
                    "beside Cache-Control",
                    [
                        HTTPStep(.whole, gives: fresh()),
                        HTTPStep(.nothing, ["Pragma": "no-cache", "Cache-Control": "max-age=50"]),
                    ]),
                second("in an answer", ["Pragma": "no-cache", "Expires": "@100"], .nothing),
            ]),
    ]
}
