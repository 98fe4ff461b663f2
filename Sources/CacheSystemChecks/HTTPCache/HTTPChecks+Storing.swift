internal import CacheConformance
internal import CacheSystems

// What may be stored (RFC 9111 §3), and what ends it (§4.4).
extension HTTPChecks {
    /// A write to a resource, and what becomes of the next read.
    private static func writing(
        _ rule: String, method: String = "POST", path: String = "/r", status: Int = 200, gives: HTTPFields = [:],
        reading: String = "/r", _ seen: HTTPStep.Seen
    ) -> HTTPRow {
        HTTPRow(
            rule,
            [
                HTTPStep(.whole, path: reading, gives: fresh(100)),
                HTTPStep(.whole, method: method, path: path, status: status, gives: gives),
                HTTPStep(seen, path: reading, gives: fresh(100), content: seen == .nothing ? "answer 1" : nil),
            ])
    }

    private static let secret: HTTPFields = ["Authorization": "Basic x"]

    static let storing = [
        table(
            "HTC-21",
            "Statuses have the meaning that they have: with a lifetime all but a few are stored, without one only some.",
            "Negative ones too. Parts and confirmations are not answers by themselves.",
            [200, 203, 299, 301, 302, 303, 307, 308, 400, 404, 405, 410, 414, 451, 500, 501, 503, 599].map {
                status in
                second("\(status) with a lifetime", fresh(100), .nothing, status: status)
            } + [
                second("206", fresh(100), .whole, status: 206),
                second(
                    "must-understand and a known status", ["Cache-Control": "no-store, must-understand, max-age=100"],
                    .nothing),
                second(
                    "must-understand and an unknown one", ["Cache-Control": "must-understand, max-age=100"], .whole,
                    status: 299),
                HTTPRow(
                    "a stored 404 ends in its time",
                    [
                        HTTPStep(.whole, status: 404, gives: fresh(10)), HTTPStep(.nothing, after: 9, answers: 404),
                        HTTPStep(.whole, after: 1, gives: fresh(10)), HTTPStep(.nothing),
                    ]),
            ]),
        table(
            "HTC-22",
            "A redirection is stored by its status: for good ones the rules of any answer, for others a lifetime alone.",
            "Finds caches that take a temporary one for a permanent one when they are offline.",
            [
                HTTPRow(
                    "301",
                    [
                        HTTPStep(.whole, status: 301, gives: ["Location": "/t"]),
                        HTTPStep(.nothing, use: .cacheOnly, answers: 301, has: ["Location": "/t"]),
                    ]),
                HTTPRow(
                    "302",
                    [
                        HTTPStep(.whole, status: 302, gives: ["Location": "/t"]),
                        HTTPStep(.nothing, use: .cacheOnly, answers: 504),
                    ]),
                HTTPRow(
                    "302 with a lifetime",
                    [
                        HTTPStep(.whole, status: 302, gives: fresh(100, ["Location": "/t"])),
                        HTTPStep(.nothing, answers: 302, has: ["Location": "/t"]),
                    ]),
            ]),
        table(
            "HTC-23", "What is private is stored for one user, and not for many.",
            "With the names of fields, all but these is. Cookies that are set are kept, as any field.",
            [
                second("private, for one", [.private], ["Cache-Control": "private, max-age=100"], .nothing),
                second("private, for many", [.shared], ["Cache-Control": "private, max-age=100"], .whole),
                second("private, and s-maxage", [.shared], ["Cache-Control": "private, s-maxage=100"], .whole),
                HTTPRow(
                    "a private field, for many", [.shared],
                    [
                        HTTPStep(
                            .whole, gives: fresh(100, ["Cache-Control": "private=\"x-a\"", "X-A": "1", "X-B": "2"])),
                        HTTPStep(.nothing, has: ["X-B": "2"], lacks: ["X-A"]),
                    ]),
                HTTPRow(
                    "cookies, for one", [.private],
                    [
                        HTTPStep(.whole, gives: fresh(100, ["Set-Cookie": "a=1"])),
                        HTTPStep(.nothing, has: ["Set-Cookie": "a=1"]),
                    ]),
                second("cookies, for many", [.shared], fresh(100, ["Set-Cookie": "a=1"]), .whole),
                second(
                    "cookies that are fresh by a guess, for many", [.shared],
                    ["Last-Modified": "@-1000", "Set-Cookie": "a=1"], .whole),
            ]),
        table(
            "HTC-24", "An answer to one who has shown who they are is given to others only if it says that it may.",
            "RFC 9111 §3.5, for shared caches. A private one has one user.",
            [
                second("for many", [.shared], fresh(100), .whole, asking: secret),
                second("for one", [.private], fresh(100), .nothing, asking: secret),
                second("public", [.shared], ["Cache-Control": "public, max-age=100"], .nothing, asking: secret),
                second("s-maxage", [.shared], ["Cache-Control": "s-maxage=100"], .nothing, asking: secret),
                second(
                    "must-revalidate", [.shared], ["Cache-Control": "must-revalidate, max-age=100"], .nothing,
                    asking: secret),
                HTTPRow(
                    "to somebody else", [.shared],
                    [HTTPStep(.whole, secret, gives: fresh(100)), HTTPStep(.whole, gives: fresh(100))]),
            ]),
        table(
            "HTC-25",
            "What changes a resource ends what is stored of it, and of what the answer names at the same origin.",
            "RFC 9111 §4.4. Not if it failed. Unknown methods may change anything.",
            ["POST", "PUT", "DELETE", "PATCH", "X-METHOD"].map { writing($0, method: $0, .whole) } + [
                writing("201", status: 201, .whole), writing("303", status: 303, gives: ["Location": "/t"], .whole),
                writing("a failure of the client", status: 404, .nothing), writing("a failure", status: 500, .nothing),
                writing("OPTIONS", method: "OPTIONS", .nothing),
                writing("another resource", path: "/w", .nothing), writing("another query", path: "/r?a", .nothing),
                writing("Location", path: "/w", status: 201, gives: ["Location": "/r"], .whole),
                writing("Location, whole", path: "/w", gives: ["Location": "http://SITE.example:80/a/../r"], .whole),
                writing("Content-Location", path: "/w", gives: ["Content-Location": "r"], .whole),
                writing(
                    "of another origin", path: "/w", gives: ["Location": "http://other.example/r"],
                    reading: "http://other.example/r", .nothing),
                writing(
                    "of another scheme", path: "/w", gives: ["Content-Location": "https://site.example/r"],
                    reading: "https://site.example/r", .nothing),
            ]),
        table(
            "HTC-26", "An answer without content is an answer.",
            "Finds caches that take a length of 0 for an unfinished file.",
            [
                HTTPRow("200", [HTTPStep(.whole, gives: fresh(100), body: ""), HTTPStep(.nothing, after: 1)]),
                HTTPRow(
                    "with its length",
                    [
                        HTTPStep(.whole, gives: fresh(100, ["Content-Length": "0"]), body: ""),
                        HTTPStep(.nothing, after: 1),
                    ]),
                HTTPRow(
                    "204",
                    [HTTPStep(.whole, status: 204, gives: fresh(100), body: ""), HTTPStep(.nothing, answers: 204)]),
            ]),
    ]
}
