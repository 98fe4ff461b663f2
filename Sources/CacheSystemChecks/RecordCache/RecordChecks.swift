internal import CacheConformance
internal import CacheCore
internal import CacheEngine
internal import CacheSystems
internal import Foundation

/// REC: what a cache of records in groups must do beside what every cache does.
enum RecordChecks {
    typealias Records = CheckedRecords

    /// The cache of a check, and how to open it again.
    final class Bench {
        private let subject: any RecordCacheSubject
        private let directory: String
        private(set) var cache: any RecordCacheInstance

        init(_ subject: any RecordCacheSubject, _ directory: String) throws {
            self.subject = subject
            self.directory = directory
            cache = try subject.openRecords(in: directory, program: nil)
        }

        /// Closes the cache and opens it again.
        func reopen(program: String? = nil) throws {
            try cache.close()
            cache = try subject.openRecords(in: directory, program: program)
        }

        func set(_ value: some Codable & Sendable, _ key: String, in group: [String] = []) throws {
            try cache.set(value, key, in: group, keepsInMemory: true)
        }

        func require<Value: Codable & Sendable & Equatable>(
            _ value: Value?, _ key: String, in group: [String] = [], _ what: String
        ) throws { try CheckViolation.unless(cache.get(key, in: group, as: Value.self), is: value, what) }
    }

    static func check(
        _ id: String, _ assertion: String, _ explanation: String, steps: [String],
        _ body: @escaping @Sendable (Bench) throws -> Void
    ) -> Check {
        Check(
            id, of: (any RecordCacheSubject).self, assertion, explanation: explanation, steps: steps
        ) { subject in
            let directory = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: directory) }
            try body(try Bench(subject, directory))
        }
    }

    static let all = groups + memory + wholes + schemas + migrations + objects

    private static let groups = [
        check(
            "REC-1", "Removing a record removes it from its own group, and no other of its key.",
            "Finds removals that forget the group.",
            steps: ["set k in two groups and in none", "remove one", "get all"]
        ) { bench in
            for group in [[], ["g"], ["h"]] { try bench.set(group.joined(), "k", in: group) }
            try bench.cache.remove("k", in: ["g"])
            try bench.require(nil as String?, "k", in: ["g"], "what was removed")
            for group in [[], ["h"]] { try bench.require(group.joined(), "k", in: group, "what was not") }
        },
        check(
            "REC-2", "Storing nil removes what is under that key in that group, and nothing else.",
            "Finds removals that forget the group.",
            steps: ["set k in a group and in none", "set nil in the group", "get"]
        ) { bench in
            for group in [[], ["g"]] { try bench.set("v", "k", in: group) }
            try bench.cache.set(nil as String?, "k", in: ["g"], keepsInMemory: true)
            try bench.require(nil as String?, "k", in: ["g"], "what was set to nil")
            try bench.require("v", "k", "what was not")
        },
        check(
            "REC-3", "Clearing a group clears the groups inside it, from memory and the store, and leaves every other.",
            "Finds caches that delete files and go on serving from memory.",
            steps: ["set in g, g.h, g.h.i, gh and none", "clear g", "get all, reopen, get all"]
        ) { bench in
            let inside = [["g"], ["g", "h"], ["g", "h", "i"]]
            let outside = [[], ["gh"], ["h"]]
            for group in inside + outside { try bench.set("v", "k", in: group) }
            try bench.cache.clear(["g"])
            for _ in 0..<2 {
                for group in inside { try bench.require(nil as String?, "k", in: group, "in \(group)") }
                for group in outside { try bench.require("v", "k", in: group, "in \(group)") }
                try bench.reopen()
            }
        },
        check(
            "REC-4", "The empty text is a key like any other.",
            "Finds removals of a whole group.", steps: ["set \"\" and k in a group", "remove \"\"", "get k"]
        ) { bench in
            for key in ["", "k"] { try bench.set(key, key, in: ["g"]) }
            try bench.require("", "", in: ["g"], "the empty key")
            try bench.cache.remove("", in: ["g"])
            try bench.require(nil as String?, "", in: ["g"], "the empty key afterwards")
            try bench.require("k", "k", in: ["g"], "the other key")
        },
        check(
            "REC-5", "Any text is a key: what is stored under it is in the store, and under no other.",
            "Slashes, dots, a nul, 300 bytes, upper and lower case. Finds keys that are names of files.",
            steps: ["set hostile keys to their own spelling", "reopen", "get each"]
        ) { bench in
            let keys = DiskCacheChecks.hostileKeys + ["../up", "a.b", "x/y/z"]
            for key in keys { try bench.set(key, key, in: ["g"]) }
            try bench.reopen()
            for key in keys { try bench.require(key, key, in: ["g"], "what a key has") }
        },
        check(
            "REC-6", "A key and a group of one name are two things.",
            "Finds groups that are directories beside files.", steps: ["set k in a.b", "set b in a", "reopen", "get"]
        ) { bench in
            try bench.set("inner", "k", in: ["a", "b"])
            try bench.set("outer", "b", in: ["a"])
            try bench.reopen()
            try bench.require("inner", "k", in: ["a", "b"], "the key in the group")
            try bench.require("outer", "b", in: ["a"], "the key beside the group")
        },
        check(
            "REC-7", "Listing a group gives every key and every group in it once, and stops where it is told to.",
            "Finds lists that leave out names with a dot.",
            steps: ["set a, b.c and . in g, and k in g.h", "list g", "list one of it"]
        ) { bench in
            let keys = ["a", "b.c", ".x"]
            for key in keys { try bench.set(1, key, in: ["g"]) }
            try bench.set(1, "k", in: ["g", "h"])
            try CheckViolation.unless(
                bench.cache.list(["g"], atMost: 100).sorted(), is: (keys + ["h/"]).sorted(), "the list")
            try CheckViolation.unless(bench.cache.list(["g"], atMost: 1).count, is: 1, "a list of one")
        },
    ]

    private static let memory = [
        check(
            "REC-8", "What is not to be in memory never is: not by a write, a read, or a restart.",
            "Finds hints that are dropped.", steps: ["set one in memory, one not", "get both", "reopen, get both"]
        ) { bench in
            for (key, keeps) in [("in", true), ("out", false)] {
                try bench.cache.set("v", key, in: ["g"], keepsInMemory: keeps)
                for moment in ["after the write", "after a read"] {
                    try CheckViolation.unless(
                        bench.cache.isInMemory(key, in: ["g"]), is: keeps, "'\(key)' in memory \(moment)")
                    try bench.require("v", key, in: ["g"], "the value")
                }
            }
            try bench.reopen()
            try bench.require("v", "out", in: ["g"], "the value after a restart")
            try CheckViolation.unless(
                bench.cache.isInMemory("out", in: ["g"]), is: false, "'out' in memory after a restart")
        },
        check(
            "REC-9", "What is read from the store is in memory afterwards.",
            "Finds caches that read the disk every time after a restart.", steps: ["set", "reopen", "get"]
        ) { bench in
            try bench.set("v", "k", in: ["g"])
            try bench.reopen()
            try bench.require("v", "k", in: ["g"], "the value")
            try CheckViolation.unless(bench.cache.isInMemory("k", in: ["g"]), is: true, "whether memory holds it")
        },
        check(
            "REC-10", "What is too long for memory is in the store alone, and takes the place of what memory had.",
            "A text of 2 MiB. Finds the old value after it was replaced.",
            steps: ["set a short text", "set a long one", "get"]
        ) { bench in
            try bench.set("short", "k")
            let long = String(repeating: "x", count: 2 << 20)
            try bench.set(long, "k")
            try CheckViolation.unless(bench.cache.isInMemory("k", in: []), is: false, "whether memory holds it")
            try bench.require(long, "k", "the value")
        },
    ]

    private static let wholes = [
        check(
            "REC-11", "A number comes back to the last bit, and nothing is not 0.",
            "Finds numbers that lose their precision.",
            steps: ["set 0.1 + 0.2, 0 and false", "get, and get what is not there"]
        ) { bench in
            try bench.set(0.1 + 0.2, "number")
            try bench.set(0, "zero")
            try bench.reopen()
            try bench.require(0.1 + 0.2, "number", "the number")
            try bench.require(0, "zero", "the zero")
            try bench.require(nil as Int?, "none", "what was not stored")
        },
        check(
            "REC-12", "A damaged entry is none, and harms no other.",
            "Changes a byte in every file. Finds caches that end their process.",
            steps: ["set", "change a byte in every file", "get", "set again, get"]
        ) { bench in
            try bench.set(Records.PersonV1(name: "Ada"), "k")
            try bench.cache.damage()
            try bench.require(nil as Records.PersonV1?, "k", "the damaged value")
            try bench.set(Records.PersonV1(name: "Bo"), "k")
            try bench.require(Records.PersonV1(name: "Bo"), "k", "the new one")
        },
        check(
            "REC-13", "What is stored after everything was removed is there after a restart.",
            "Finds descriptions of types that are removed from the store and taken for recorded.",
            steps: ["set a record", "remove everything", "set it again", "reopen, get"]
        ) { bench in
            try bench.set(Records.PersonV1(name: "Ada"), "k")
            try bench.cache.clearAll {}
            try bench.require(nil as Records.PersonV1?, "k", "what was removed")
            try bench.set(Records.PersonV1(name: "Bo"), "k")
            try bench.reopen()
            try bench.require(Records.PersonV1(name: "Bo"), "k", "what was stored after it")
        },
        check(
            "REC-14", "Who is told that everything was removed may use the cache.",
            "Finds callbacks that come on the cache's own queue.",
            steps: ["remove everything", "then get, set and get"]
        ) { bench in
            let cache = bench.cache
            let calls = EventCounter()
            let works = EventCounter()
            try cache.clearAll {
                calls.add()
                guard (try? cache.get("k", in: [], as: String.self)) == .some(nil) else { return }
                guard (try? cache.set("v", "k", in: [], keepsInMemory: true)) != nil else { return }
                works.add()
            }
            try CheckViolation.unless(
                [calls.count, works.count], is: [1, 1], "how often it was told, and could use the cache")
            try bench.require("v", "k", "what was stored")
        },
        check(
            "REC-15", "A program of another version empties the store but for what is protected.",
            "Finds caches that wipe too much, or at every start.",
            steps: ["set in groups by program 1", "reopen by 1, get", "reopen by 2, get"]
        ) { bench in
            try bench.reopen(program: "1")
            let groups = [["protected"], ["protected", "g"], ["g"], []]
            for group in groups { try bench.set("v", "k", in: group) }
            try bench.reopen(program: "1")
            for group in groups { try bench.require("v", "k", in: group, "by the same version in \(group)") }
            try bench.reopen(program: "2")
            for group in groups {
                let isProtected = group.first == "protected"
                try bench.require(isProtected ? "v" : nil, "k", in: group, "by another version in \(group)")
            }
        },
    ]
}
