internal import CacheConformance
internal import CacheSystems

// Answers that come together, as in a package.
extension HTTPChecks {
    /// An answer with a long or a short body, made so many seconds ago.
    private static func packed(
        _ bench: HTTPBench, _ path: String, _ body: String, ago: Int64 = 50
    ) -> (CheckedHTTPAnswer, CheckedHTTPRequest) {
        var answer = CheckedHTTPAnswer()
        answer.fields = [
            "Date": HTTPDate.text(of: bench.cache.nowSeconds - ago),
            "Expires": HTTPDate.text(of: bench.cache.nowSeconds + 100),
        ]
        answer.body = Array(body.utf8)
        return (answer, bench.request(path) { $0.group = "package" })
    }

    private static func long(_ text: String) -> String { text + String(repeating: "x", count: 500) }

    static let packages = [
        check(
            "HTC-51", "Of answers that are stored together all are there afterwards, or what was there before.",
            "Short ones and long ones, new ones and such as take the place of others; the last breaks off. Finds packages that are "
                + "unpacked as far as they go.",
            steps: ["get", "store together, of which the last breaks off", "get", "store all", "get"]
        ) { bench in
            let bodies = [("/short", "before"), ("/long", long("before"))]
            for (path, body) in bodies {
                try bench.exchange(
                    HTTPStep(.whole, path: path, gives: fresh(100, ["Date": "@-90"]), body: body), path)
            }
            func answers() -> [(CheckedHTTPAnswer, CheckedHTTPRequest)] {
                ["/short", "/long", "/new", "/last"].map { packed(bench, $0, $0 == "/short" ? "after" : long("after")) }
            }
            var damaged = answers()
            damaged[3].0.breaksOff = true
            do {
                try bench.cache.takeAll(damaged)
                throw CheckViolation(observed: "no error for what breaks off", permitted: "an error")
            } catch let surprise as CheckViolation { throw surprise } catch {}
            for (path, body) in bodies { try bench.exchange(HTTPStep(.nothing, path: path, content: body), path) }
            try CheckViolation.unless(
                bench.isOnDisk("after"), is: false, "whether anything that was not stored is in a file")
            try bench.cache.takeAll(answers())
            try bench.reopen(closes: false)
            for (path, body) in [
                ("/short", "after"), ("/long", long("after")), ("/new", long("after")), ("/last", long("after")),
            ] {
                try bench.exchange(HTTPStep(.nothing, path: path, content: body), path)
            }
            try CheckViolation.unless(bench.isOnDisk("before"), is: false, "whether what was replaced is in a file")
        },
        check(
            "HTC-52", "An answer that is newer than that of a package stays.",
            "By the moments at which their origins made them.",
            steps: ["get two", "store an older and a newer one together", "get"]
        ) { bench in
            for path in ["/older", "/newer"] {
                try bench.exchange(
                    HTTPStep(.whole, path: path, gives: fresh(200, ["Date": "@-50"]), body: "before"), path)
            }
            try bench.cache.takeAll([
                packed(bench, "/older", "after", ago: 60), packed(bench, "/newer", "after", ago: 40),
            ])
            for (path, body) in [("/older", "before"), ("/newer", "after")] {
                try bench.exchange(HTTPStep(.nothing, path: path, content: body), path)
            }
        },
        check(
            "HTC-53", "What was stored together can be removed by its group, and by itself alone.",
            "After a restart too. What has been replaced since is not of the group any more.",
            steps: ["store three together", "get one anew", "open again", "purge the group", "get"]
        ) { bench in
            try bench.cache.takeAll(["/a", "/b", "/c"].map { packed(bench, $0, long($0)) })
            var anew = HTTPStep(.whole, path: "/c", gives: fresh(100), body: "anew")
            anew.request.use = .reload
            try bench.exchange(anew)
            try bench.reopen()
            try bench.cache.purge("http://site.example/a")
            try bench.exchange(HTTPStep(.nothing, path: "/b", content: long("/b")))
            try bench.cache.purge(group: "package")
            for path in ["/a", "/b"] { try bench.exchange(HTTPStep(.whole, path: path, gives: fresh(100)), path) }
            try bench.exchange(HTTPStep(.nothing, path: "/c", content: "anew"))
        },
    ]
}
