import CacheConformance
import CacheCore

/// What only MyCache promises: an empty value is kept, and is not absence.
let myChecks = [
    Check(
        "MINE-1", of: MyCache.self, "An empty value is found.",
        explanation: "Puts an empty value and reads it. Finds caches that take an empty value for none.",
        steps: ["put a = \"\"", "get a"]
    ) { cache in
        let instance = try cache.open(CacheSetup(), in: nil)
        let key = Array("a".utf8)
        _ = instance.perform(.put(key, .bytes([])))
        try CheckViolation.unless(instance.perform(.get(key)), is: .entry(StoredEntry([])), "get a")
        _ = instance.perform(.close)
    }
]
