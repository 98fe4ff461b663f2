internal import CacheConformance
internal import CacheEngine
internal import Dispatch
internal import Foundation
internal import Synchronization

// What is told, and what becomes of answers that are no ordinary ones.
extension CallChecks {
    static let answers = [
        check(
            "CAL-16", "Nil is an answer: it is stored, and replaces an older one.",
            "Finds caches in which the old answer stays.", steps: ["store a text", "the origin answers nil", "read"]
        ) { bench in
            _ = try bench.replies("networkOnly", origin: "old")
            try CheckViolation.unless(
                bench.replies("networkOnly", origin: nil), is: [.fresh(nil)], "the origin's answer")
            try bench.require(.cached(nil), "what is cached")
        },
        check(
            "CAL-17", "An error is not stored, and the old answer stays.",
            "Finds errors that are remembered.", steps: ["store", "the origin fails", "read", "call for another"]
        ) { bench in
            _ = try bench.replies("networkOnly", origin: "old")
            for number in 1...2 {
                let trail = try bench.cache.call(CheckedCall("networkOnly", parameters: .integer(number))) {
                    throw CallTrouble("offline")
                }
                try CheckViolation.unless(trail.replies, is: [.failed("offline")], "the origin's error")
            }
            try bench.require(.cached("old"), "what was stored before")
            try CheckViolation.unless(
                bench.replies("cacheElseNetwork", .integer(2)), is: [.fresh("new")], "the next call")
        },
        check(
            "CAL-18", "Nothing is told on the caller's thread before the call has returned.",
            "Finds callbacks that come now from the cache and later from the network.",
            steps: ["store", "call by each policy"]
        ) { bench in
            _ = try bench.replies("networkOnly")
            for policy in ["cacheOnly", "cacheElseNetwork", "cacheThenNetwork"] {
                let trail = try bench.cache.call(CheckedCall(policy)) { "new" }
                try CheckViolation.unless(trail.isReentrant, is: false, "whether \(policy) tells during the call")
            }
        },
        check(
            "CAL-19", "A policy that there is not is refused.",
            "Finds calls that are never answered.", steps: ["call by a policy of another name"]
        ) { bench in
            let trail: CallTrail
            do { trail = try bench.cache.call(CheckedCall("cacheThenCache")) { "new" } } catch { return }
            throw CheckViolation(observed: "told \(trail.replies)", permitted: "an error")
        },
        check(
            "CAL-20", "The cache answers only for errors of the origin that are named for it.",
            "Finds caches that hide the errors of an application behind old answers.",
            steps: [
                "store", "call by networkElseCache, falling back on \"offline\"; the origin fails with \"refused\"",
            ]
        ) { bench in
            _ = try bench.replies("networkOnly", origin: "old")
            var call = CheckedCall("networkElseCache")
            call.fallsBackOn = ["offline"]
            let trail = try bench.cache.call(call) { throw CallTrouble("refused") }
            try CheckViolation.unless(trail.replies, is: [.failed("refused")], "what is told")
        },
        check(
            "CAL-21", "Where the cache answers for an origin that failed, its error can be seen.",
            "Finds errors that vanish.", steps: ["store", "call by networkElseCache; the origin fails"]
        ) { bench in
            _ = try bench.replies("networkOnly", origin: "old")
            let trail = try bench.cache.call(CheckedCall("networkElseCache")) { throw CallTrouble("offline") }
            try CheckViolation.unless(trail.replies, is: [.cached("old", originError: "offline")], "what is told")
        },
        check(
            "CAL-22", "Calls that miss one answer at once share one request.",
            "Four threads, ten sets of parameters, an origin that takes 5 ms. Finds stampedes.",
            steps: ["4 threads call with the same 10 parameters by cacheElseNetwork"]
        ) { bench in
            let cache = bench.cache
            let asked = EventCounter()
            let finished = DispatchGroup()
            for _ in 0..<4 {
                finished.enter()
                Thread.detachNewThread {
                    for number in 0..<10 {
                        _ = try? cache.call(CheckedCall("cacheElseNetwork", parameters: .integer(number))) {
                            asked.add()
                            Thread.sleep(forTimeInterval: 0.005)
                            return "new"
                        }
                    }
                    finished.leave()
                }
            }
            finished.wait()
            try CheckViolation.unless(asked.count, is: 10, "requests")
        },
        check(
            "CAL-23", "An answer that cannot be stored is told all the same, and no older one is left.",
            "Finds caches that end their process.",
            steps: ["store", "the origin answers what the cache cannot encode", "read"]
        ) { bench in
            _ = try bench.replies("networkOnly", origin: "old")
            let replies = try bench.replies("networkOnly", origin: "unencodable")
            try CheckViolation.unless(replies, is: [.fresh("unencodable")], "what is told")
            try bench.require(.missing, "what is left")
        },
    ]

    static let room = [
        check(
            "CAL-24", "The store never holds more of a cache than its limit.",
            "Stores 50 answers of 400 bytes under a limit of 4000. Finds limits that are kept later.",
            steps: ["store 50 answers", "count the bytes after each"], storeBytesMax: 4000
        ) { bench in
            for number in 0..<50 {
                _ = try bench.replies("networkOnly", .integer(number), origin: String(repeating: "x", count: 400))
                let bytes = try bench.cache.storedBytes()
                guard bytes <= 4000 else {
                    throw CheckViolation(
                        observed: "\(bytes) bytes after \(number + 1) answers", permitted: "at most 4000")
                }
            }
            try CheckViolation.unless(bench.cache.storedBytes() > 2000, is: true, "whether more than half is used")
        },
        check(
            "CAL-25", "A damaged record is absent, and gives back its room.",
            "Damages every file, reads and stores anew. Finds accounts that drift.",
            steps: ["store 7 answers that fit", "damage them, read them", "store them again, read them"],
            storeBytesMax: 4000
        ) { bench in
            func store() throws {
                for number in 0..<7 {
                    _ = try bench.replies("networkOnly", .integer(number), origin: String(repeating: "x", count: 400))
                }
            }
            try store()
            try bench.cache.damage()
            for number in 0..<7 { try bench.require(.missing, "a damaged answer", for: .integer(number)) }
            try store()
            for number in 0..<7 {
                try bench.require(
                    .cached(String(repeating: "x", count: 400)), "an answer that fits", for: .integer(number))
            }
        },
    ]
}
