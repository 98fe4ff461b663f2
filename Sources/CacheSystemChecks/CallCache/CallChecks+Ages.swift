internal import CacheConformance

// How old an answer may be, and what removes it.
extension CallChecks {
    static let ages = [
        check(
            "CAL-6", "Reading an answer does not make it younger.",
            "Reads every 50 ns under a limit of 100. Finds ages that count from the last access.",
            steps: ["limit 100 ns", "store", "wait 50 and read, six times"]
        ) { bench in
            try bench.cache.setMaxAge(nanoseconds: 100)
            _ = try bench.replies("networkOnly")
            for moment in 1...6 {
                bench.cache.advance(nanoseconds: 50)
                try bench.require(moment < 2 ? .cached("new") : .missing, "what is read at \(moment * 50)")
            }
        },
        check(
            "CAL-7", "An answer as old as the limit is never served, whenever it was stored.",
            "Stores between two sweeps of a timer. Finds limits that only a timer knows of.",
            steps: ["limit 100 ns", "wait 50, store", "wait 99, read", "wait 1, read"]
        ) { bench in
            try bench.cache.setMaxAge(nanoseconds: 100)
            bench.cache.advance(nanoseconds: 50)
            _ = try bench.replies("networkOnly")
            bench.cache.advance(nanoseconds: 99)
            try bench.require(.cached("new"), "before its time is over")
            bench.cache.advance(nanoseconds: 1)
            try bench.require(.missing, "when its time is over")
        },
        check(
            "CAL-8", "Asking whether there is an answer does not make it younger.",
            "Asks at 150 and reads at 250 under a limit of 100. Finds questions that touch.",
            steps: ["limit 100 ns", "store", "wait 150, ask whether it is cached", "wait 100, read"]
        ) { bench in
            try bench.cache.setMaxAge(nanoseconds: 100)
            _ = try bench.replies("networkOnly")
            bench.cache.advance(nanoseconds: 150)
            _ = try bench.cache.isCached(CheckedCall("cacheOnly"))
            bench.cache.advance(nanoseconds: 100)
            try bench.require(.missing, "the answer")
        },
        check(
            "CAL-9", "A limit that was set holds after the cache was opened again.",
            "Finds limits that everybody must set anew.",
            steps: ["limit 100 ns", "store", "close, open", "wait 1000, read"]
        ) { bench in
            try bench.cache.setMaxAge(nanoseconds: 100)
            _ = try bench.replies("networkOnly")
            let cache = try bench.reopened()
            try CheckViolation.unless(
                cache.call(CheckedCall("cacheOnly")) { nil }.replies, is: [.cached("new")], "at once")
            cache.advance(nanoseconds: 1000)
            try CheckViolation.unless(
                cache.call(CheckedCall("cacheOnly")) { nil }.replies, is: [.missing], "afterwards")
        },
        check(
            "CAL-10", "Setting a limit again replaces it, and holds for what is stored already.",
            "Sets three limits and waits. Finds timers that add up.",
            steps: ["store", "limit 300, 200, 100 ns", "wait 100", "read, count sweeps"]
        ) { bench in
            _ = try bench.replies("networkOnly")
            for limit in [300, 200, 100] as [Int64] { try bench.cache.setMaxAge(nanoseconds: limit) }
            bench.cache.advance(nanoseconds: 600)
            try bench.require(.missing, "the answer")
            guard bench.cache.sweeps <= 6 else {
                throw CheckViolation(observed: "\(bench.cache.sweeps) sweeps in six periods", permitted: "at most 6")
            }
        },
        check(
            "CAL-11", "A limit holds for its own cache alone.",
            "Two caches in one store. Finds limits that reach other users of a store.",
            steps: ["store in both", "limit 100 ns in one", "wait 1000", "read in the other"]
        ) { bench in
            for cache in bench.caches { _ = try cache.call(CheckedCall("networkOnly")) { "new" } }
            try bench.cache.setMaxAge(nanoseconds: 100)
            bench.cache.advance(nanoseconds: 1000)
            try bench.require(.missing, "in the one with the limit")
            let other = try bench.caches[1].call(CheckedCall("cacheOnly")) { nil }
            try CheckViolation.unless(other.replies, is: [.cached("new")], "in the other")
        },
        check(
            "CAL-12", "A call's own limit holds for that call alone.",
            "Finds limits that are ignored, and ones that stay.",
            steps: ["store", "wait 50", "call with a limit of 50 ns", "call without"]
        ) { bench in
            _ = try bench.replies("networkOnly")
            bench.cache.advance(nanoseconds: 50)
            var call = CheckedCall("cacheOnly")
            call.maxAgeNanoseconds = 50
            try CheckViolation.unless(bench.cache.call(call) { nil }.replies, is: [.missing], "with a limit of its own")
            try bench.require(.cached("new"), "without")
        },
    ]

    static let removals = [
        check(
            "CAL-13", "Removing everything removes this cache's answers, and nothing of others in the store.",
            "Finds caches that wipe a store which others use.",
            steps: ["store in two caches of one store", "clear one", "read in both"]
        ) { bench in
            for cache in bench.caches { _ = try cache.call(CheckedCall("networkOnly")) { "new" } }
            try bench.cache.removeAll()
            try bench.require(.missing, "in the one that was cleared")
            let other = try bench.caches[1].call(CheckedCall("cacheOnly")) { nil }
            try CheckViolation.unless(other.replies, is: [.cached("new")], "in the other")
        },
        check(
            "CAL-14", "Removing one answer leaves those for other parameters; removing none does nothing.",
            "Finds removals by function.", steps: ["store for 1, 2", "remove 1, 1 and 3", "read"]
        ) { bench in
            for number in 1...2 { _ = try bench.replies("networkOnly", .integer(number)) }
            for number in [1, 1, 3] { try bench.cache.remove(CheckedCall("cacheOnly", parameters: .integer(number))) }
            try bench.require(.missing, "what was removed", for: .integer(1))
            try bench.require(.cached("new"), "what was not", for: .integer(2))
        },
        check(
            "CAL-15", "What is removed while it is asked for stays removed.",
            "The origin removes one answer, or all, before it answers. Finds answers that rise again.",
            steps: ["call; the origin removes", "read"]
        ) { bench in
            let cache = bench.cache
            for (number, policy) in ["networkOnly", "cacheElseNetwork", "networkElseCache", "cacheThenNetwork"]
                .enumerated()
            {
                for clearsAll in [false, true] {
                    let call = CheckedCall(policy, parameters: .integer(number))
                    let trail = try cache.call(call) {
                        if clearsAll { try cache.removeAll() } else { try cache.remove(call) }
                        return "new"
                    }
                    try CheckViolation.unless(trail.replies, is: [.fresh("new")], "what \(policy) tells")
                    try bench.require(.missing, "what \(policy) leaves", for: .integer(number))
                }
            }
        },
    ]
}
