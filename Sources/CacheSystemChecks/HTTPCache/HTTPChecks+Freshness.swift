internal import CacheConformance
internal import CacheSystems

// How long an answer is fresh, and how old it is (RFC 9111 §4.2).
extension HTTPChecks {
    /// A row of an answer that is fresh for ten seconds, and of its age.
    private static func aged(_ rule: String, _ age: HTTPFields, _ seen: HTTPStep.Seen) -> HTTPRow {
        HTTPRow(rule, [HTTPStep(.whole, gives: fresh(10, age)), HTTPStep(seen)])
    }

    static let freshness = [
        table(
            "HTC-1", "An answer is served without asking as long as it is fresh, and not a moment longer.",
            "max-age before Expires, Expires counted from Date. Finds boundaries that are off by one.",
            [
                HTTPRow(
                    "max-age",
                    [HTTPStep(.whole, gives: fresh(10)), HTTPStep(.nothing, after: 9.9), HTTPStep(.whole, after: 0.1)]),
                HTTPRow(
                    "Expires",
                    [
                        HTTPStep(.whole, gives: ["Expires": "@10"]), HTTPStep(.nothing, after: 9),
                        HTTPStep(.whole, after: 1),
                    ]),
                HTTPRow(
                    "max-age counts, not an Expires before it",
                    [HTTPStep(.whole, gives: fresh(10, ["Expires": "@-100"])), HTTPStep(.nothing, after: 9)]),
                HTTPRow(
                    "max-age counts, not an Expires after it",
                    [HTTPStep(.whole, gives: fresh(10, ["Expires": "@100"])), HTTPStep(.whole, after: 11)]),
                HTTPRow(
                    "Expires counts from the origin's clock, which is fast",
                    [
                        HTTPStep(.whole, gives: ["Date": "@1000", "Expires": "@1010"]), HTTPStep(.nothing, after: 9),
                        HTTPStep(.whole, after: 1),
                    ]),
                second("max-age=0 is stale", fresh(0), .whole),
                second("Expires is now", ["Expires": "@0"], .whole),
                second("Expires is past", ["Expires": "@-10"], .whole),
                second("no lifetime at all", [:], .whole),
                second("a huge max-age is fresh", ["Cache-Control": "max-age=99999999999999999999"], .nothing),
                second("Expires without Date", ["Date": "", "Expires": "@100"], .nothing),
            ]),
        table(
            "HTC-2",
            "An answer without a lifetime is fresh for a tenth of the time since it was changed, if its status allows that.",
            "At most a day. Finds caches that ask each time, and those that guess for any status.",
            [
                HTTPRow(
                    "a tenth",
                    [
                        HTTPStep(.whole, gives: ["Last-Modified": "@-1000"]), HTTPStep(.nothing, after: 99),
                        HTTPStep(.confirming, after: 2),
                    ]),
                HTTPRow(
                    "at most a day",
                    [
                        HTTPStep(.whole, gives: ["Last-Modified": "@-100000000"]), HTTPStep(.nothing, after: 86_000),
                        HTTPStep(.confirming, after: 1_000),
                    ]),
                second("not where Expires says otherwise", ["Last-Modified": "@-1000", "Expires": "0"], .confirming),
                second("not changed in the future", ["Last-Modified": "@1000"], .confirming),
                second("301", ["Last-Modified": "@-1000", "Location": "/t"], .nothing, status: 301),
                second("404", ["Last-Modified": "@-1000"], .nothing, status: 404),
                second("410", ["Last-Modified": "@-1000"], .nothing, status: 410),
                second("501", ["Last-Modified": "@-1000"], .nothing, status: 501),
                second("not 302", ["Last-Modified": "@-1000", "Location": "/t"], .whole, status: 302),
                second("not 500", ["Last-Modified": "@-1000"], .whole, status: 500),
                second("not a status that nobody knows", ["Last-Modified": "@-1000"], .whole, status: 299),
                second(
                    "public, for such a status", ["Last-Modified": "@-1000", "Cache-Control": "public"], .nothing,
                    status: 299),
            ]),
        table(
            "HTC-3",
            "The age of an answer counts from its Date or its Age, whichever says more, with its way and its stay.",
            "Finds caches that let an answer be fresh anew in each of them.",
            [
                HTTPRow(
                    "Age",
                    [
                        HTTPStep(.whole, gives: fresh(10, ["Age": "7"])), HTTPStep(.nothing, after: 2),
                        HTTPStep(.whole, after: 1),
                    ]),
                HTTPRow(
                    "an Age beyond its lifetime", [HTTPStep(.whole, gives: fresh(10, ["Age": "11"])), HTTPStep(.whole)]),
                HTTPRow(
                    "an old Date",
                    [
                        HTTPStep(.whole, gives: fresh(10, ["Date": "@-7"])), HTTPStep(.nothing, after: 2),
                        HTTPStep(.whole, after: 1),
                    ]),
                HTTPRow(
                    "a Date in the future",
                    [HTTPStep(.whole, gives: fresh(10, ["Date": "@99"])), HTTPStep(.nothing, after: 9)]),
                HTTPRow(
                    "an answer that was long on its way",
                    [
                        HTTPStep(.whole, gives: fresh(10), delay: 8), HTTPStep(.nothing, after: 1),
                        HTTPStep(.whole, after: 1),
                    ]),
                HTTPRow(
                    "a huge Age",
                    [HTTPStep(.whole, gives: fresh(10, ["Age": "99999999999999999999"])), HTTPStep(.whole)]),
                HTTPRow(
                    "an Age that is no number",
                    [HTTPStep(.whole, gives: fresh(10, ["Age": "abc"])), HTTPStep(.nothing)]),
                HTTPRow(
                    "a negative Age", [HTTPStep(.whole, gives: fresh(10, ["Age": "-7"])), HTTPStep(.nothing, after: 5)]),
                HTTPRow(
                    "the first of two Ages",
                    [HTTPStep(.whole, gives: fresh(10, ["Age": "11", "Age": "0"])), HTTPStep(.whole)]),
                aged("an Age with a fraction", ["Age": "11.0"], .nothing),
                aged("an Age with a parameter", ["Age": "11;a=1"], .nothing),
                aged("an Age with a letter behind it", ["Age": "11a"], .nothing),
                aged("a letter, and an Age", ["Age": "a, 11"], .nothing),
                aged("an Age, and a letter", ["Age": "11, a"], .whole),
                aged("a letter and an Age on two lines", ["Age": "a", "Age": "11"], .nothing),
                HTTPRow(
                    "the first of an Age that is a list",
                    [HTTPStep(.whole, gives: fresh(10, ["Age": "0, 11"])), HTTPStep(.nothing)]),
            ]),
        table(
            "HTC-4",
            "s-maxage, and CDN-Cache-Control before it, count in a shared cache before anything else, and in a private one not at all.",
            "RFC 9111 §5.2.2.10, RFC 9213. Finds caches that do not know them.",
            [
                second("a longer one", [.shared], ["Cache-Control": "max-age=0, s-maxage=100"], .nothing),
                second("a shorter one", [.shared], ["Cache-Control": "max-age=100, s-maxage=0"], .whole),
                second("in a private cache", [.private], ["Cache-Control": "max-age=0, s-maxage=100"], .whole),
                second("alone", [.shared], ["Cache-Control": "s-maxage=100"], .nothing),
                second("before Expires", [.shared], ["Cache-Control": "s-maxage=100", "Expires": "@-1"], .nothing),
                second(
                    "CDN-Cache-Control", [.shared],
                    ["CDN-Cache-Control": "max-age=100", "Cache-Control": "no-store", "Expires": "@-1"], .nothing),
                second(
                    "a shorter one of it", [.shared],
                    ["CDN-Cache-Control": "max-age=0", "Cache-Control": "s-maxage=100"], .whole),
                second("no-store in it", [.shared], fresh(100, ["CDN-Cache-Control": "no-store"]), .whole),
                second(
                    "one that is malformed counts for nothing", [.shared],
                    fresh(100, ["CDN-Cache-Control": "no-store, &&&"]), .nothing),
                second(
                    "not in a private cache", [.private],
                    ["CDN-Cache-Control": "max-age=100", "Cache-Control": "no-store"], .whole),
            ]),
        table(
            "HTC-5", "The old sequences of the original's tests, with a 304 that makes what is stored fresh again.",
            "New, fresh, confirmed, fresh; by max-age and by Expires. Without a lifetime it is confirmed each time.",
            [
                HTTPRow(
                    "max-age=5",
                    [
                        HTTPStep(.whole, gives: fresh(5, ["Last-Modified": "@0"])), HTTPStep(.nothing, after: 1),
                        HTTPStep(.confirming, after: 10, gives: fresh(5)), HTTPStep(.nothing),
                    ]),
                HTTPRow(
                    "Expires",
                    [
                        HTTPStep(.whole, gives: ["Expires": "@5", "Last-Modified": "@0"]), HTTPStep(.nothing, after: 1),
                        HTTPStep(.confirming, after: 10, gives: ["Expires": "@5"]), HTTPStep(.nothing),
                    ]),
                HTTPRow(
                    "neither",
                    [
                        HTTPStep(.whole, gives: ["Last-Modified": "@0"]), HTTPStep(.confirming, after: 1),
                        HTTPStep(.confirming),
                    ]),
            ]),
    ]
}
