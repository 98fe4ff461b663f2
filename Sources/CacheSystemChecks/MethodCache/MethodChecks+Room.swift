internal import CacheConformance
internal import CacheEngine
internal import Dispatch
internal import Foundation
internal import Synchronization

extension MethodChecks {
    /// Checks of what stays and what leaves.
    static let room: [Check] = [
        check(
            "MTH-11", "A result that is written again is the new one.",
            "Writes over a result under FIFO, LRU and LFU. Finds sets that are ignored.",
            steps: ["remember 1, then 2, under one key", "look"]
        ) { subject in
            for policy in ["fifo", "lru", "lfu"] {
                let (_, method) = try counting(subject, MethodSetup(capacity: 3, policy: policy))
                method.remember(.integer(1), [.text("a")])
                method.remember(.integer(2), [.text("a")])
                try CheckViolation.unless(method.cached([.text("a")]), is: .integer(2), "under \(policy)")
            }
        },
        check(
            "MTH-12", "A result that is written several times takes the room of one.",
            "A cache of 3: a three times, then b and c. Finds a key that has several places in the order.",
            steps: ["remember a three times, then b and c", "look for a, b, c"]
        ) { subject in
            for policy in ["fifo", "lru", "lfu"] {
                let (_, method) = try counting(subject, MethodSetup(capacity: 3, policy: policy))
                for key in ["a", "a", "a", "b", "c"] { method.remember(.text(key), [.text(key)]) }
                let found = ["a", "b", "c"].map { method.cached([.text($0)]) }
                try CheckViolation.unless(found, is: ["a", "b", "c"].map { .text($0) }, "under \(policy)")
            }
        },
        check(
            "MTH-13", "Newcomers of an LFU are not each other's victims while an older result of the same count stays.",
            "A cache of 2: a, b, c, d, each once. Finds ties that evict the newest, so that the first stays for ever.",
            steps: ["remember a, b, c, d in a cache of 2", "look for a and d"]
        ) { subject in
            let (_, method) = try counting(subject, MethodSetup(capacity: 2, policy: "lfu"))
            for key in ["a", "b", "c", "d"] { method.remember(.text(key), [.text(key)]) }
            try CheckViolation.unless(
                ["a", "d"].map { method.cached([.text($0)]) }, is: [nil, .text("d")], "what is kept of a and d")
        },
        check(
            "MTH-14", "What has expired makes room before a result that is valid.",
            "A cache of 2 under LRU, where the older result was read last. Finds dead entries that push out live ones.",
            steps: ["remember a; wait 60 of 100 ns; remember b; look for a; wait 50", "remember c", "look for a, b, c"]
        ) { subject in
            let (instance, method) = try counting(
                subject, MethodSetup(capacity: 2, policy: "lru", lifeNanoseconds: 100))
            method.remember(.text("a"), [.text("a")])
            instance.advance(nanoseconds: 60)
            method.remember(.text("b"), [.text("b")])
            try CheckViolation.unless(method.cached([.text("a")]), is: .text("a"), "a before its end")
            instance.advance(nanoseconds: 50)
            method.remember(.text("c"), [.text("c")])
            try CheckViolation.unless(
                ["a", "b", "c"].map { method.cached([.text($0)]) }, is: [nil, .text("b"), .text("c")], "what is kept")
        },
        check(
            "MTH-15", "Threads that ask for one result at once call the method once.",
            "Four threads, ten keys, a method that takes 5 ms. Finds caches whose single steps are locked and whose whole is not.",
            steps: ["4 threads call with the same 10 keys at once", "count the calls"]
        ) { subject in
            let instance = try subject.openMethods(MethodSetup())
            let calls = EventCounter()
            let method = instance.memoize("slow") { _ in
                calls.add()
                Thread.sleep(forTimeInterval: 0.005)
                return .integer(1)
            }
            let finished = DispatchGroup()
            let start = DispatchSemaphore(value: 0)
            for _ in 0..<4 {
                finished.enter()
                Thread.detachNewThread {
                    start.wait()
                    for key in 0..<10 { _ = try? method.call([.integer(key)]) }
                    finished.leave()
                }
            }
            for _ in 0..<4 { start.signal() }
            finished.wait()
            try CheckViolation.unless(calls.count, is: 10, "calls of the method")
        },
    ]

    /// Checks of the trigger, the switch and the monitor.
    static let control: [Check] = [
        check(
            "MTH-16", "A trigger clears a cache of any policy.",
            "Attaches, fires and calls again under FIFO, LRU and LFU. Finds triggers that one kind alone listens to.",
            steps: ["attach a trigger", "call, fire, call"]
        ) { subject in
            for policy in ["fifo", "lru", "lfu"] {
                let (instance, method) = try counting(subject, MethodSetup(policy: policy))
                instance.attachTrigger()
                let before = try method.call([])
                _ = instance.fireTrigger()
                try CheckViolation.unless(
                    [before, try method.call([])], is: [.integer(1), .integer(2)], "results under \(policy)")
            }
        },
        check(
            "MTH-17", "A trigger that is attached twice clears once.",
            "Finds observers that add up.", steps: ["attach twice", "fire"]
        ) { subject in
            let (instance, _) = try counting(subject)
            instance.attachTrigger()
            instance.attachTrigger()
            try CheckViolation.unless(instance.fireTrigger(), is: 1, "times that the cache was cleared")
        },
        check(
            "MTH-18", "A cache can be switched off while the program runs: then every call is the method's own.",
            "Finds switches of the compiler.", steps: ["call; switch off; call; switch on; call"]
        ) { subject in
            let (instance, method) = try counting(subject)
            var results = [try method.call([])]
            instance.set(on: false)
            results.append(try method.call([]))
            instance.set(on: true)
            results.append(try method.call([]))
            try CheckViolation.unless(results, is: [.integer(1), .integer(2), .integer(1)], "results")
        },
        check(
            "MTH-19", "The monitor is told of every call once.",
            "Finds lines that nobody asked for.", steps: ["call three times with a monitor"]
        ) { subject in
            let (instance, method) = try counting(subject)
            for number in [1, 1, 2] { _ = try method.call([.integer(number)]) }
            try CheckViolation.unless(instance.monitoredCount, is: 3, "what the monitor was told")
        },
    ]
}
