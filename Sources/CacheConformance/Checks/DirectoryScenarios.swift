import CacheCore

/// The bodies of checks about directories, which are not programs of one store.
enum DirectoryScenarios {
    private static let key = Array("a".utf8)

    /// PER-10.
    static func twoStores(_ context: CheckContext) throws(CheckStop) {
        guard context.subject.needsDirectory else { throw .blocked("the subject has no directories") }
        let steps = [
            "open stores in two directories", "put under one key in both", "get in both", "clear the first",
            "get in both",
        ]
        let found = try context.expecting("no error", steps: steps) { () throws(StoreError) in
            let sandboxes = [try Sandbox(needsDirectory: true), try Sandbox(needsDirectory: true)]
            defer { for sandbox in sandboxes { sandbox.end() } }
            let first = try context.open(in: sandboxes[0].directory)
            let second = try context.open(in: sandboxes[1].directory)
            try first.put(entry(1), for: key)
            try second.put(entry(2), for: key)
            var found = [try first.get(key), try second.get(key)]
            try first.removeAll()
            found += [try first.get(key), try second.get(key)]
            try first.close()
            try second.close()
            return found
        }
        let isRight =
            (found[0] == nil || found[0] == entry(1)) && (found[1] == nil || found[1] == entry(2)) && found[2] == nil
            && (found[3] == nil || found[3] == entry(2))
            && (!context.claims.retains || (found[0] != nil && found[1] != nil && found[3] != nil))
        try context.require(
            isRight, observed: found.map { describe($0) }.joined(separator: "; "),
            permitted: "value 1; value 2; nil; value 2", steps: steps)
        guard found[0] != nil, found[1] != nil else { throw .blocked("the witness: the entries were not found") }
    }

    /// PER-11.
    static func readOnly(_ context: CheckContext) throws(CheckStop) {
        let steps = ["put and close", "take write permission from the directory", "open", "get"]
        let sandbox = try context.expecting("no error", steps: steps) { () throws(StoreError) in
            let sandbox = try Sandbox(needsDirectory: context.subject.needsDirectory)
            let store = try context.open(in: sandbox.directory)
            try store.put(entry(1), for: key)
            try store.close()
            return sandbox
        }
        defer { sandbox.end() }
        guard let directory = sandbox.directory else { throw .blocked("the subject has no directory") }
        guard Directory.makeReadOnly(directory) else {
            throw .blocked("this process may write everywhere; do not run as root")
        }
        var found: StoredEntry?
        do throws(StoreError) {
            let store = try context.open(in: directory)
            found = try store.get(key)
            try store.close()
        } catch { return }
        try context.require(
            found == nil || found == entry(1), observed: describe(found), permitted: "value 1, nil, or a typed error",
            steps: steps)
    }

    /// PER-13.
    static func foreignFiles(_ context: CheckContext) throws(CheckStop) {
        let steps = [
            "put a and b", "close", "lay README, .hidden and notes/x into the directory", "open, count, clear",
            "reopen",
        ]
        let names = ["README", ".hidden", "notes/x"]
        var strangers: [String] = []
        let seen = try context.expecting("no error", steps: steps) { () throws(StoreError) in
            let sandbox = try Sandbox(needsDirectory: context.subject.needsDirectory)
            defer { sandbox.end() }
            guard let directory = sandbox.directory else { return Seen?.none }
            var store = try context.open(in: directory)
            try store.put(entry(1), for: key)
            try store.put(entry(2), for: Array("b".utf8))
            try store.close()
            Directory.make(directory + "/notes")
            for name in names { _ = Directory.write(Array(name.utf8), to: "\(directory)/\(name)") }
            store = try context.open(in: directory)
            let counts = context.claims.iterates
            var seen = Seen(entry: try store.get(key), counts: counts ? [try store.count()] : [])
            try store.removeAll()
            try store.close()
            store = try context.open(in: directory)
            if counts { seen.counts.append(try store.count()) }
            try store.close()
            strangers = names.filter { Directory.read("\(directory)/\($0)") != Array($0.utf8) }
            return seen
        }
        guard let seen else { throw .blocked("the subject has no directory") }
        try context.require(
            strangers.isEmpty, observed: "\(strangers.joined(separator: ", ")) deleted or altered",
            permitted: "foreign files as they were", steps: steps)
        let least = context.claims.retains ? 2 : 0
        try context.require(
            seen.counts.isEmpty || (least...2).contains(seen.counts[0]) && seen.counts[1] == 0,
            observed: seen.counts.map(String.init).joined(separator: " entries, then "),
            permitted: "2 entries, then 0", steps: steps)
        guard seen.entry != nil else { throw .blocked("the witness: the entry was not found") }
    }

    private struct Seen {
        var entry: StoredEntry?
        var counts: [Int]
    }

    /// PER-14.
    static func permissions(_ context: CheckContext) throws(CheckStop) -> String {
        let steps = ["open, put small and large values, close", "look at the permissions"]
        let modes = try context.expecting("no error", steps: steps) { () throws(StoreError) in
            let sandbox = try Sandbox(needsDirectory: context.subject.needsDirectory)
            defer { sandbox.end() }
            let store = try context.open(in: sandbox.directory)
            for number in 0..<8 {
                let key = Array("k\(number)".utf8)
                try store.put(StoredEntry(value(number, 40 << number).bytes(for: key)), for: key)
            }
            try store.close()
            return sandbox.directory.map { Directory.modes($0) }
        }
        guard let modes else { throw .blocked("the subject has no directory") }
        let words = modes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return words.joined(separator: ", ")
    }

    static func entry(_ sequence: Int) -> StoredEntry { StoredEntry(value(sequence).bytes(for: key)) }

    static func describe(_ entry: StoredEntry?) -> String {
        ValueText.describe(.entry(entry), of: .get(key))
    }
}
