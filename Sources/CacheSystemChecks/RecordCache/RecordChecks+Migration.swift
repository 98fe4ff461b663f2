internal import CacheConformance
internal import CacheSystems

// What is recorded of types, and what becomes of records whose types have changed since.
extension RecordChecks {
    static let schemas = [
        check(
            "REC-16", "The fields of a type and version are recorded by its first value, also those that are nil.",
            "Finds fields that are known only once they have a value.",
            steps: ["set an empty record", "reopen", "list its fields"]
        ) { bench in
            try bench.set(Records.PersonV1(), "k")
            for _ in 0..<2 {
                try CheckViolation.unless(
                    bench.cache.fields(of: "Person", version: 1), is: ["name", "age", "secret", "address"], "the fields"
                )
                try bench.reopen()
            }
        },
        check(
            "REC-17",
            "Other fields under the same version are refused: no value is stored without some of them in silence.",
            "Finds caches that drop the fields that were not there when the version was recorded.",
            steps: ["set a record", "set one of the same version with another field", "get it"]
        ) { bench in
            try bench.set(Records.PersonV1(name: "Ada"), "k")
            let changed = Records.PersonChanged(name: "Ada", email: "ada@example.org")
            do { try bench.set(changed, "changed") } catch { return }
            try bench.require(changed, "changed", "what was stored")
        },
        check(
            "REC-18", "Where the record of fields is lost, nothing is wiped, and no field is read as another.",
            "Finds caches that delete everything when one file is missing.",
            steps: [
                "set records and a text", "lose the schemas", "reopen, get the text",
                "set a record of the type, get the old one",
            ]
        ) { bench in
            try bench.set(Records.PersonV1(name: "Ada", age: "36"), "ada")
            try bench.set("v", "text")
            try bench.cache.loseSchemas()
            try bench.reopen()
            try bench.require("v", "text", "a value that needs no fields")
            let before = try bench.cache.get("ada", in: [], as: Records.PersonV1.self)
            guard before == nil || before == Records.PersonV1(name: "Ada", age: "36") else {
                throw CheckViolation(observed: "\(before!)", permitted: "nothing, or the record")
            }
            try bench.set(Records.PersonV1(name: "Bo"), "bo")
            try bench.require(
                Records.PersonV1(name: "Ada", age: "36"), "ada", "the record once its type is known again")
        },
    ]

    private static let old = Records.PersonV1(
        name: "Ada", age: "36", secret: 7, address: Records.Address(street: "St James's Square"))
    private static let new = Records.PersonV4(fullName: "Ada", age: 36, street: "St James's Square")

    static let migrations = [
        check(
            "REC-19", "A record is brought from version to version: renamed, retyped, moved out of a child, removed.",
            "From version 1 to 4 with a step for each; a version without one, too. Finds caches that take one step alone.",
            steps: ["set by version 1, alone and in a list", "reopen", "get by version 4"]
        ) { bench in
            try bench.set(old, "k")
            try bench.set([old, Records.PersonV1()], "list")
            try bench.reopen()
            try bench.require(new, "k", "the record")
            try bench.require([new, Records.PersonV4()], "list", "the records in a list")
        },
        check(
            "REC-20", "A record that was migrated is not migrated again.",
            "Finds caches that migrate at every read.",
            steps: ["set by version 1", "get by 4", "reopen, get by 4", "count"]
        ) { bench in
            try bench.set(old, "k")
            for _ in 0..<2 {
                try bench.reopen()
                try bench.require(new, "k", "the record")
            }
            try CheckViolation.unless(bench.cache.migrations, is: 0, "migrations after the second restart")
        },
        check(
            "REC-21", "A record that a step refuses is gone alone: others of its version are migrated.",
            "Finds caches that return an empty object, and forget the fields of the version.",
            steps: ["set three by version 1, one with no age", "get each by version 2, the bad one first"]
        ) { bench in
            for (key, age) in [("a", "1"), ("bad", "old"), ("c", "3")] {
                try bench.set(Records.PersonV1(name: key, age: age), key)
            }
            try bench.reopen()
            try bench.require(nil as Records.PersonV2?, "bad", "the one that is refused")
            try bench.require(Records.PersonV2(fullName: "a", age: 1), "a", "another")
            try bench.reopen()
            try bench.require(nil as Records.PersonV2?, "bad", "the one that is refused, after a restart")
            try bench.require(Records.PersonV2(fullName: "c", age: 3), "c", "the third")
        },
        check(
            "REC-22",
            "What a newer version stored is not read by an older one as something else, and stays for the newer.",
            "Finds downgrades that are taken for migrations.",
            steps: ["set by version 4", "reopen, get by version 2", "reopen, get by version 4"]
        ) { bench in
            try bench.set(new, "k")
            try bench.reopen()
            try bench.require(nil as Records.PersonV2?, "k", "by the older version")
            try bench.reopen()
            try bench.require(new, "k", "by the newer")
        },
        check(
            "REC-23",
            "A record whose type is gone can be read as its fields: by itself, in a list and in a dictionary.",
            "Finds caches that know such records inside of living ones alone.",
            steps: ["set a person, a list and a dictionary of them", "reopen", "get them as data"]
        ) { bench in
            try bench.set(old, "k")
            try bench.set([old], "list")
            try bench.set(["x": old], "dictionary")
            try bench.reopen()
            let found = [
                try bench.cache.get("k", in: [], as: RecordData.self),
                try bench.cache.get("list", in: [], as: [RecordData].self)?.first,
                try bench.cache.get("dictionary", in: [], as: [String: RecordData].self)?["x"],
            ]
            for data in found {
                try CheckViolation.unless(data?.typeName, is: "Person", "its type")
                try CheckViolation.unless(data?["name"]?.text, is: "Ada", "its name")
                try CheckViolation.unless(
                    data?["address"]?.record?["street"]?.text, is: "St James's Square", "the street of its address")
            }
        },
    ]
}
