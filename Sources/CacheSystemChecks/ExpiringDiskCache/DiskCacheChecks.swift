internal import CacheConformance
internal import CacheCore
internal import CacheEngine
internal import Dispatch
internal import Foundation

/// EXP: what a cache of expiring objects on disk must do beside what every cache does.
enum DiskCacheChecks {
    private static func check(
        _ id: String, _ assertion: String, _ explanation: String, steps: [String], diskBytesMax: Int? = nil,
        _ body: @escaping @Sendable (any DiskCacheInstance) throws -> Void
    ) -> Check {
        Check(
            id, of: (any DiskCacheSubject).self, assertion, explanation: explanation, steps: steps
        ) { subject in
            let directory = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: directory) }
            try body(try subject.openTexts(in: directory, diskBytesMax: diskBytesMax))
        }
    }

    /// Keys that careless file names confuse.
    static let hostileKeys = [
        "a/b", "a-b", "a b", "a//b", "a", "A", "", ".", "..", "/", "//$%foobar--893", "日本", "中文", "🙂", "ß", "ss",
        String(repeating: "x", count: 300), String(repeating: "x", count: 299) + "y", "nul\u{0}", "a\\b", "-",
    ]

    static let all = [
        check(
            "EXP-1", "An expired object is deleted from memory and disk by the read that finds it so.",
            "Finds caches that hide what has expired, and fill the disk.", steps: ["set for 10 ns", "wait 10", "get"]
        ) { cache in
            try cache.set("v", "k", lifeNanoseconds: 10)
            try CheckViolation.unless(cache.get("k", returningExpired: false), is: "v", "before its end")
            cache.advance(nanoseconds: 10)
            try CheckViolation.unless(cache.get("k", returningExpired: false), is: nil, "at its end")
            try CheckViolation.unless(cache.held("k"), is: HeldTiers(memory: false, disk: false), "who holds it")
        },
        check(
            "EXP-2", "Removing what has expired reaches memory and disk, however keys are spelled, and nothing else.",
            "Finds sweeps that go by file names.",
            steps: ["set hostile keys for 10 ns or ever", "wait 10", "removeExpired"]
        ) { cache in
            for (number, key) in hostileKeys.enumerated() {
                try cache.set(key, key, lifeNanoseconds: number % 2 == 0 ? 10 : nil)
            }
            cache.advance(nanoseconds: 10)
            try cache.removeExpired()
            for (number, key) in hostileKeys.enumerated() {
                let permitted: String? = number % 2 == 0 ? nil : key
                try CheckViolation.unless(
                    try cache.get(key, returningExpired: true), is: permitted, "what \(key.prefix(20)) has")
            }
        },
        check(
            "EXP-3", "An object that is read from disk is in memory afterwards.",
            "Finds caches that read the disk every time after a restart.", steps: ["set", "drop memory", "get"]
        ) { cache in
            try cache.set("v", "k", lifeNanoseconds: nil)
            cache.dropMemory()
            try CheckViolation.unless(cache.get("k", returningExpired: false), is: "v", "the object")
            try CheckViolation.unless(cache.held("k").memory, is: true, "whether memory holds it")
        },
        check(
            "EXP-4", "No key reads another key's object.",
            "Sets keys that careless file names confuse, drops memory and reads. Finds names that are not one to one.",
            steps: ["set hostile keys of up to 200 bytes to their own spelling", "drop memory", "get each"]
        ) { cache in
            let keys = hostileKeys.filter { $0.utf8.count <= 200 }
            for key in keys { try cache.set(key, key, lifeNanoseconds: nil) }
            cache.dropMemory()
            for key in keys {
                try CheckViolation.unless(cache.get(key, returningExpired: false), is: key, "what a key has")
            }
        },
        check(
            "EXP-5", "A long key is on disk, or setting it throws.",
            "Finds objects that are in memory alone, in silence.",
            steps: ["set a key of 300 bytes", "drop memory", "get"]
        ) { cache in
            let key = String(repeating: "k", count: 300)
            do { try cache.set("v", key, lifeNanoseconds: nil) } catch { return }
            cache.dropMemory()
            try CheckViolation.unless(cache.get(key, returningExpired: false), is: "v", "the object")
        },
        check(
            "EXP-6", "Threads that miss one key at once share one load.",
            "Four threads, ten keys, a load of 5 ms. Finds stampedes.",
            steps: ["4 threads load the same 10 keys at once"]
        ) { cache in
            let calls = EventCounter()
            let finished = DispatchGroup()
            for _ in 0..<4 {
                finished.enter()
                Thread.detachNewThread {
                    for key in 0..<10 {
                        _ = try? cache.get("\(key)") {
                            calls.add()
                            Thread.sleep(forTimeInterval: 0.005)
                            return "v"
                        }
                    }
                    finished.leave()
                }
            }
            finished.wait()
            try CheckViolation.unless(calls.count, is: 10, "loads")
        },
        check(
            "EXP-7", "The disk never holds more than its limit.",
            "Sets 50 objects of 100 bytes under a limit of 1000. Finds disks that only grow.",
            steps: ["set 50 objects of 100 bytes", "count the bytes"], diskBytesMax: 1000
        ) { cache in
            for number in 0..<50 {
                try cache.set(String(repeating: "x", count: 100), "\(number)", lifeNanoseconds: nil)
                let bytes = try cache.diskBytes()
                guard bytes <= 1000 else {
                    throw CheckViolation(
                        observed: "\(bytes) bytes after \(number + 1) objects", permitted: "at most 1000")
                }
            }
            try CheckViolation.unless(cache.diskBytes() > 500, is: true, "whether more than half is used")
        },
        check(
            "EXP-8", "A damaged file is noticed, and gone afterwards.",
            "Changes a byte in every file. Finds files that are read as an object, and files that nobody ever deletes.",
            steps: ["set", "change a byte in its file", "drop memory", "get twice"]
        ) { cache in
            try cache.set("v", "k", lifeNanoseconds: nil)
            try cache.damageFiles()
            cache.dropMemory()
            do {
                try CheckViolation.unless(cache.get("k", returningExpired: false), is: nil, "the damaged object")
            } catch let error as StoreError { try CheckViolation.unless(error.code, is: .corrupt, "the error") }
            try CheckViolation.unless(cache.held("k"), is: HeldTiers(memory: false, disk: false), "who holds it")
        },
        check(
            "EXP-9", "An object that cannot be written makes setting it throw, and the old one is not served.",
            "Finds errors of writing that are ignored.", steps: ["set", "set what the codec refuses", "get"]
        ) { cache in
            var hasThrown = false
            do { try cache.set("unencodable", "k", lifeNanoseconds: nil) } catch { hasThrown = true }
            try CheckViolation.unless(hasThrown, is: true, "whether it threw")
            try CheckViolation.unless(cache.get("k", returningExpired: false), is: nil, "the object")
        },
        check(
            "EXP-10", "An expired object is returned to those who ask for it, until it is deleted.",
            "Finds caches that cannot serve a stale object when there is no other.",
            steps: ["set for 10 ns", "wait 20", "get, returning expired", "remove what has expired", "the same"]
        ) { cache in
            try cache.set("v", "k", lifeNanoseconds: 10)
            cache.advance(nanoseconds: 20)
            try CheckViolation.unless(cache.get("k", returningExpired: true), is: "v", "what is returned expired")
            try cache.removeExpired()
            try CheckViolation.unless(cache.get("k", returningExpired: true), is: nil, "after it was deleted")
        },
        check(
            "EXP-11", "A load that fails is told and stores nothing; one that succeeds is not asked again.",
            "Finds errors that are kept.", steps: ["load with an error", "load twice"]
        ) { cache in
            struct Trouble: Error {}
            do {
                _ = try cache.get("k") { throw Trouble() }
                throw CheckViolation(observed: "no error", permitted: "the load's error")
            } catch is Trouble {}
            let loaded = [try cache.get("k") { "a" }, try cache.get("k") { "b" }]
            try CheckViolation.unless(loaded, is: ["a", "a"], "what is loaded")
        },
    ]
}
