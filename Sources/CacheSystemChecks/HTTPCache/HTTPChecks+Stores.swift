internal import CacheConformance
internal import CacheSystems

// What is on disk, what fits, and what survives.
extension HTTPChecks {
    private static func large(_ number: Int) -> String { "body \(number) " + String(repeating: "x", count: 3000) }

    static let stores = [
        check(
            "HTC-42", "What may not be stored is in no file, neither its content nor its fields.",
            "A long answer and a short one, by the answer's word and by the request's.",
            steps: ["get answers that say no-store", "look into the files"]
        ) { bench in
            let secret = "confidential-text"
            for (number, body) in [secret, secret + large(1)].enumerated() {
                let gives = HTTPStep(
                    .whole, path: "/answer\(number)",
                    gives: ["Cache-Control": "no-store, max-age=100", "X-A": secret], body: body)
                try bench.exchange(gives)
                try CheckViolation.unless(
                    bench.isOnDisk(secret), is: false, "whether an answer that says so is in a file")
                try bench.exchange(
                    HTTPStep(
                        .whole, ["Cache-Control": "no-store"], path: "/request\(number)",
                        gives: fresh(100, ["X-A": secret]),
                        body: body))
                try CheckViolation.unless(
                    bench.isOnDisk(secret), is: false, "whether one to a request that says so is in a file")
            }
            try bench.exchange(HTTPStep(.whole, path: "/kept", gives: fresh(100), body: "kept-" + large(2)))
            try CheckViolation.unless(
                bench.isOnDisk("kept-body 2"), is: true, "whether what may be stored is in a file")
        },
        check(
            "HTC-43", "A body that does not come whole is given as far as it came, as a failure, and is not stored.",
            "Shorter than its length, longer, and broken off; short ones and long ones. What was there before is not lost for it.",
            steps: ["get from an origin that breaks off", "get", "look into the files"]
        ) { bench in
            for (number, body) in ["partial", "partial " + large(1)].enumerated() {
                for length in [1, 9999] {
                    let path = "/\(number)/\(length)"
                    let gives = fresh(100, ["Content-Length": "\(length)"])
                    do {
                        try bench.exchange(HTTPStep(.whole, path: path, gives: gives, body: body))
                        throw CheckViolation(observed: "\(path): a whole answer", permitted: "an error")
                    } catch let surprise as CheckViolation { throw surprise } catch {}
                    try bench.exchange(HTTPStep(.whole, path: path, gives: fresh(100)), path)
                }
            }
            try CheckViolation.unless(bench.isOnDisk("partial"), is: false, "whether a part is in a file")
        },
        check(
            "HTC-44", "What was stored is there after the end of the process, whether the cache was closed or not.",
            "Answers with short and long bodies, confirmed ones and removed ones, at once after they came.",
            steps: ["get", "open again without closing", "get"]
        ) { bench in
            for (number, body) in ["short", large(1)].enumerated() {
                let path = "/\(number)"
                try bench.exchange(
                    HTTPStep(.whole, path: path, gives: fresh(1, ["ETag": "\"a\"", "Vary": "X-A"]), body: body))
                try bench.exchange(HTTPStep(.confirming, after: 5, path: path, gives: fresh(100), content: body))
                try bench.exchange(HTTPStep(.whole, path: path + "/gone", gives: fresh(100)))
                try bench.cache.purge("http://site.example\(path)/gone")
                try bench.reopen(closes: number == 1)
                try bench.exchange(
                    HTTPStep(.nothing, after: 10, path: path, has: ["Age": "10", "ETag": "\"a\""], content: body), path)
                try bench.exchange(
                    HTTPStep(.changed, ["X-A": "1"], path: path, gives: fresh(100, ["Vary": "X-A"])), path)
                try bench.exchange(HTTPStep(.whole, path: path + "/gone"), path)
            }
        },
        check(
            "HTC-45", "Stored bytes stay within their limit, by removing answers, and their files with them.",
            "Twenty answers of 3 kB in the room for five. Finds limits that are never looked at.",
            steps: ["get twenty answers", "add up the files", "get them again"], limited { $0.storeBytesMax = 20_000 }
        ) { bench in
            for number in 0..<20 {
                try bench.exchange(HTTPStep(.whole, path: "/\(number)", gives: fresh(100), body: large(number)))
            }
            let stored = try (0..<20).filter { try bench.isOnDisk("body \($0) ") }
            guard (1...6).contains(stored.count) else {
                throw CheckViolation(observed: "\(stored.count) of 20 are in files", permitted: "1 to 6")
            }
            for number in stored { try bench.exchange(HTTPStep(.nothing, path: "/\(number)", content: large(number))) }
        },
        check(
            "HTC-46",
            "An answer above the limit of one is passed on whole, and not stored; one at the limit is stored.",
            "With its length named and without. Finds limits that are looked at before the length is known.",
            steps: ["get answers of 99, 100 and 101 bytes", "get them again"], limited { $0.bodyBytesMax = 100 }
        ) { bench in
            for length in 99...101 {
                for isNamed in [true, false] {
                    let path = "/\(length)/\(isNamed)"
                    let body = String(repeating: "x", count: length)
                    let gives = isNamed ? fresh(100, ["Content-Length": "\(length)"]) : fresh(100)
                    try bench.exchange(HTTPStep(.whole, path: path, gives: gives, body: body), path)
                    try bench.exchange(
                        HTTPStep(length > 100 ? .whole : .nothing, path: path, gives: gives, body: body, content: body),
                        path)
                }
            }
        },
        check(
            "HTC-47",
            "What is stored can be removed by its address, and by the group that it was stored under, after a restart too.",
            "Finds groups that memory alone knows.",
            steps: ["get in groups", "open again", "purge a group, and an address", "get all"]
        ) { bench in
            func get(_ path: String, _ group: String?, _ seen: HTTPStep.Seen) throws {
                var step = HTTPStep(seen, path: path, gives: fresh(100), body: path, content: path)
                step.request.group = group
                try bench.exchange(step, path)
            }
            for (path, group) in [("/a", "p"), ("/b", "p"), ("/c", "q"), ("/d", nil)] { try get(path, group, .whole) }
            try bench.reopen()
            try bench.cache.purge(group: "p")
            try bench.cache.purge("http://site.example/d")
            for (path, seen) in [("/a", HTTPStep.Seen.whole), ("/b", .whole), ("/c", .nothing), ("/d", .whole)] {
                try get(path, nil, seen)
            }
        },
        check(
            "HTC-48", "All but named addresses can be removed.",
            "Exactly the others go.", steps: ["get three", "retain one", "get three"]
        ) { bench in
            for path in ["/a", "/b", "/c"] {
                try bench.exchange(HTTPStep(.whole, path: path, gives: fresh(100), body: path))
            }
            try bench.cache.retain(only: ["http://site.example/b"])
            for path in ["/a", "/b", "/c"] {
                try bench.exchange(
                    HTTPStep(path == "/b" ? .nothing : .whole, path: path, body: path, content: path), path)
            }
        },
        check(
            "HTC-49", "Bytes that a caller keeps beside an answer are there as long as it is, after a restart too.",
            "They stay when it is confirmed.",
            steps: ["get with bytes", "confirm", "open again", "ask for them", "purge", "ask"]
        ) { bench in
            var step = HTTPStep(.whole, gives: fresh(1, ["ETag": "\"a\""]))
            step.request.userData = [1, 2, 3]
            try bench.exchange(step)
            try bench.exchange(HTTPStep(.confirming, after: 2, gives: fresh(100)))
            try bench.reopen()
            let url = step.request.url
            try CheckViolation.unless(bench.cache.userData(url), is: [1, 2, 3], "the bytes")
            try bench.cache.purge(url)
            try CheckViolation.unless(bench.cache.userData(url), is: nil, "the bytes of what was removed")
        },
    ]

    private static func limited(_ change: (inout CheckedHTTPSetup) -> Void) -> CheckedHTTPSetup {
        var setup = CheckedHTTPSetup()
        change(&setup)
        return setup
    }
}
