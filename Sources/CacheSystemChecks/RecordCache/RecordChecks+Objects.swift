internal import CacheConformance
internal import CacheSystems

// Records as objects: equality, copies, and what they look like.
extension RecordChecks {
    static let objects = [
        check(
            "REC-24",
            "Equal records have equal hashes, and the hashes of others differ: equal fields do not cancel each other.",
            "Finds hashes that are the exclusive or of those of the fields.",
            steps: ["hash a hundred pairs of equal numbers, each twice"]
        ) { bench in
            let hashes = try (0..<100).map { try bench.cache.hash(of: Records.Pair(a: $0, b: $0)) }
            let again = try (0..<100).map { try bench.cache.hash(of: Records.Pair(a: $0, b: $0)) }
            try CheckViolation.unless(hashes == again, is: true, "whether equal records have equal hashes")
            guard Set(hashes).count >= 90 else {
                throw CheckViolation(observed: "\(Set(hashes).count) hashes of 100 records", permitted: "at least 90")
            }
        },
        check(
            "REC-25", "A copy is equal, and shares nothing that can be changed, in its lists neither.",
            "Finds copies whose lists have the same objects.",
            steps: ["copy", "change the original's parts", "look at the copy"]
        ) { bench in
            let tree = Records.Tree(1, child: Records.Tree(2), children: [Records.Tree(3)])
            let copy = try bench.cache.copy(tree)
            tree.count = 9
            tree.child?.count = 9
            tree.children[0].count = 9
            try CheckViolation.unless(
                [copy.count, copy.child?.count, copy.children.first?.count], is: [1, 2, 3], "the parts of the copy")
        },
        check(
            "REC-26",
            "A record looks to people as it is: own fields, those of each superclass, those that were added, in order.",
            "A class with two superclasses, nil, lists, a dictionary, a field of a category. Finds orders of a hash table.",
            steps: ["describe two records"]
        ) { bench in
            try CheckViolation.unless(
                bench.cache.describe(Records.Puppy()),
                is: """
                    {
                      "*Puppy": {
                        "weeks": [
                          8,
                          9
                        ],
                        "owner": null,
                        "**Dog": {
                          "name": "Rex",
                          "**Animal": {
                            "legs": 4
                          }
                        }
                      }
                    }
                    """, "the text")
            var guest = Records.Guest(name: "Al", visits: ["b": [1.5, nil], "a": [], "c": []])
            guest.extensions[Records.Guest.nick] = "al"
            try CheckViolation.unless(
                bench.cache.describe(guest),
                is: """
                    {
                      "*Guest": {
                        "name": "Al",
                        "visits": {
                          "a": [],
                          "b": [
                            1.5,
                            null
                          ],
                          "c": []
                        },
                        "(Chat)nick": "al"
                      }
                    }
                    """, "the text of one with an added field")
        },
        check(
            "REC-27", "Numbers that JSON has no form for do not keep a record from being described or stored.",
            "Finds caches that end their process.",
            steps: ["describe a record with NaN and infinity", "set it, get it"]
        ) { bench in
            let guest = Records.Guest(visits: ["x": [.infinity, -.infinity]])
            let text = try bench.cache.describe(Records.Guest(visits: ["x": [.nan, .infinity]]))
            for word in ["nan", "inf"] where !text.contains(word) {
                throw CheckViolation(observed: text, permitted: "a text with \(word)")
            }
            try bench.set(guest, "k")
            try bench.reopen()
            try bench.require(guest, "k", "the record")
        },
        check(
            "REC-28",
            "A field that was added at run time is stored, read and compared with its record, and named among its fields.",
            "Finds added fields that are forgotten.",
            steps: ["set a record", "set one with an added field", "reopen", "get both", "list the fields"]
        ) { bench in
            let plain = Records.Guest(name: "Bo")
            var guest = Records.Guest(name: "Al")
            guest.extensions[Records.Guest.nick] = "al"
            try bench.set(plain, "plain")
            try bench.set(guest, "guest")
            try bench.reopen()
            try bench.require(plain, "plain", "the one without")
            try bench.require(guest, "guest", "the one with an added field")
            try CheckViolation.unless(
                bench.cache.fields(of: "Guest", version: 1)?.contains("(Chat)nick"), is: true,
                "whether the added field is recorded")
        },
    ]
}
