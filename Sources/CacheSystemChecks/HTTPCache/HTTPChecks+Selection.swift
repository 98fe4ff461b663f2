internal import CacheConformance
internal import CacheSystems

// Which stored answer is for a request (RFC 9111 §2, §4.1).
extension HTTPChecks {
    private static func language(_ seen: HTTPStep.Seen, _ value: String, content: String? = nil) -> HTTPStep {
        HTTPStep(seen, ["Accept-Language": value], gives: fresh(100, ["Vary": "Accept-Language"]), content: content)
    }

    private static func field(_ seen: HTTPStep.Seen, _ asking: HTTPFields, vary: String = "X-A", content: String? = nil)
        -> HTTPStep
    {
        HTTPStep(seen, asking, gives: fresh(100, ["Vary": vary]), content: content)
    }

    static let selection = [
        table(
            "HTC-27", "An answer serves requests alone that have what it was chosen by.",
            "Finds caches that do not look at Vary.",
            [
                HTTPRow("the same", [field(.whole, ["X-A": "1"]), field(.nothing, ["X-A": "1"])]),
                HTTPRow("another", [field(.whole, ["X-A": "1"]), field(.whole, ["X-A": "2"])]),
                HTTPRow("none", [field(.whole, ["X-A": "1"]), field(.whole, [:])]),
                HTTPRow("none before", [field(.whole, [:]), field(.whole, ["X-A": "1"])]),
                HTTPRow("none twice", [field(.whole, [:]), field(.nothing, ["X-B": "1"])]),
                HTTPRow(
                    "one of two differs",
                    [
                        field(.whole, ["X-A": "1", "X-B": "1"], vary: "X-A, X-B"),
                        field(.whole, ["X-A": "1", "X-B": "2"], vary: "X-A, X-B"),
                    ]),
                HTTPRow("*", [field(.whole, ["X-A": "1"], vary: "*"), field(.whole, ["X-A": "1"], vary: "*")]),
                HTTPRow(
                    "* among names",
                    [field(.whole, ["X-A": "1"], vary: "X-A, *"), field(.whole, ["X-A": "1"], vary: "X-A, *")]),
                HTTPRow("* with spaces", [field(.whole, [:], vary: " , * ,"), field(.whole, [:], vary: "*")]),
            ]),
        table(
            "HTC-28", "Several answers of one address are kept side by side, for different requests.",
            "Finds caches that keep the last alone.",
            [
                HTTPRow(
                    "three",
                    [field(.whole, ["X-A": "1"]), field(.whole, ["X-A": "2"]), field(.whole, ["X-A": "3"])]
                        + [
                            field(.nothing, ["X-A": "1"], content: "answer 1"),
                            field(.nothing, ["X-A": "2"], content: "answer 2"),
                            field(.nothing, ["X-A": "3"], content: "answer 3"),
                        ]),
                HTTPRow(
                    "one is replaced, the other stays",
                    [
                        field(.whole, ["X-A": "1"]), field(.whole, ["X-A": "2"]),
                        HTTPStep(.whole, ["X-A": "1"], use: .reload, gives: fresh(100, ["Vary": "X-A"])),
                        field(.nothing, ["X-A": "1"], content: "answer 3"),
                        field(.nothing, ["X-A": "2"], content: "answer 2"),
                    ]),
                HTTPRow(
                    "a change ends all of them",
                    [
                        field(.whole, ["X-A": "1"]), field(.whole, ["X-A": "2"]), HTTPStep(.whole, method: "POST"),
                        field(.whole, ["X-A": "1"]), field(.whole, ["X-A": "2"]),
                    ]),
                HTTPRow(
                    "one is confirmed, the other stays stale",
                    [
                        HTTPStep(.whole, ["X-A": "1"], gives: fresh(1, ["Vary": "X-A", "ETag": "\"1\""])),
                        HTTPStep(.changed, ["X-A": "2"], gives: fresh(1, ["Vary": "X-A", "ETag": "\"2\""])),
                        HTTPStep(
                            .confirming, after: 5, ["X-A": "1"], gives: fresh(100, ["ETag": "\"1\""]),
                            content: "answer 1"),
                        HTTPStep(.confirming, ["X-A": "2"], gives: fresh(100, ["ETag": "\"2\""]), content: "answer 2"),
                    ]),
                HTTPRow(
                    "an origin may say which of them is right for a new request",
                    [
                        HTTPStep(.whole, ["X-A": "1"], gives: fresh(100, ["Vary": "X-A", "ETag": "\"1\""])),
                        HTTPStep(
                            .confirming, ["X-A": "2"], gives: ["ETag": "\"1\""], content: "answer 1",
                            asks: ["If-None-Match": "\"1\""]),
                    ]),
            ]),
        table(
            "HTC-29", "Values of the fields that an answer was chosen by are equal if they mean the same.",
            "White space, lines, and for languages and codings case and order.",
            [
                HTTPRow("spaces", [field(.whole, ["X-A": "a, b"]), field(.nothing, ["X-A": "a,b"])]),
                HTTPRow("lines", [field(.whole, ["X-A": "a, b"]), field(.nothing, ["X-A": "a", "X-A": "b"])]),
                HTTPRow("case of any field matters", [field(.whole, ["X-A": "a"]), field(.whole, ["X-A": "A"])]),
                HTTPRow("case of languages", [language(.whole, "en, de"), language(.nothing, "EN, de")]),
                HTTPRow("order of languages", [language(.whole, "en, de"), language(.nothing, "de, en")]),
                HTTPRow(
                    "weights of languages",
                    [language(.whole, "en;q=1.0, de; q=0.5"), language(.nothing, "de;q=0.5,en;q=1.0")]),
                HTTPRow("other weights", [language(.whole, "en;q=0.5, de"), language(.whole, "en, de;q=0.5")]),
            ]),
        table(
            "HTC-30", "Addresses are equal if they name the same, and others are not.",
            "Finds keys without the query, the scheme or the port, and files in the place of directories.",
            [
                HTTPRow(
                    "the query",
                    [
                        HTTPStep(.whole, path: "/r?a", gives: fresh()), HTTPStep(.whole, path: "/r?b", gives: fresh()),
                        HTTPStep(.whole, gives: fresh()),
                    ]),
                HTTPRow(
                    "case of the path",
                    [HTTPStep(.whole, path: "/a", gives: fresh()), HTTPStep(.whole, path: "/A", gives: fresh())]),
                HTTPRow(
                    "case of the host",
                    [HTTPStep(.whole, gives: fresh()), HTTPStep(.nothing, path: "HTTP://SITE.Example/r")]),
                HTTPRow(
                    "the usual port",
                    [HTTPStep(.whole, gives: fresh()), HTTPStep(.nothing, path: "http://site.example:80/r")]),
                HTTPRow(
                    "an escaped letter",
                    [HTTPStep(.whole, path: "/%72", gives: fresh()), HTTPStep(.nothing, path: "/r")]),
                HTTPRow(
                    "dots", [HTTPStep(.whole, path: "/a/./b/../../r", gives: fresh()), HTTPStep(.nothing, path: "/r")]),
                HTTPRow(
                    "a fragment", [HTTPStep(.whole, path: "/r#x", gives: fresh()), HTTPStep(.nothing, path: "/r")]),
                HTTPRow(
                    "an escaped slash",
                    [HTTPStep(.whole, path: "/a%2Fb", gives: fresh()), HTTPStep(.whole, path: "/a/b", gives: fresh())]),
            ]),
        check(
            "HTC-31", "Files may be named after addresses, and different addresses have different ones.",
            "Scheme and port, a path that is also the beginning of another, a query.",
            steps: ["get each of several addresses", "get them again"], namingFiles
        ) { bench in
            let urls = [
                "http://site.example/a", "https://site.example/a", "http://site.example:8080/a",
                "http://site.example/a/b",
                "http://site.example/a/b/c", "http://site.example/a?b", "http://other.example/a",
            ]
            for url in urls { try bench.exchange(HTTPStep(.whole, path: url, gives: fresh(100), body: url), url) }
            for url in urls { try bench.exchange(HTTPStep(.nothing, path: url, content: url), url) }
        },
    ]

    private static var namingFiles: CheckedHTTPSetup {
        var setup = CheckedHTTPSetup()
        setup.namesFilesByURL = true
        return setup
    }
}
