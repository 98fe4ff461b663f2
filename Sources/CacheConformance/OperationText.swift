import CacheCore

extension CacheOperation: CustomStringConvertible {
    /// One line, such as `put "a" value 3 (300 bytes)`.
    public var description: String {
        let words = ([name] + (key.map { [KeyText.describe($0)] } ?? [])).joined(separator: " ")
        switch self {
        case .put(let key, _, _, let terms), .putIfAbsent(let key, _, let terms), .replace(let key, _, let terms):
            return "\(words) \(ValueText.describe(entry!, under: key))\(terms.text)"
        case .compareAndSet(let key, let expected, _):
            let old = ValueText.describe(StoredEntry(expected.bytes(for: key)), under: key)
            return "\(words) \(old) → \(ValueText.describe(entry!, under: key))"
        case .exchange(let key, _), .setIfMarked(let key, _):
            return "\(words) \(ValueText.describe(entry!, under: key))"
        case .getMany(let keys), .removeMany(let keys), .loadMany(let keys, _, _), .failWritesOf(let keys):
            return "\(name) " + ValueText.list(keys.map(KeyText.describe), ", ")
        case .advance(let time), .moveWallClock(let time), .sleep(let time), .touch(_, let time):
            return "\(words) \(time) ns"
        case .resize(let amount), .firstKeys(let amount): return "\(name) \(amount)"
        case .pause(let time): return "\(name) \(time) ms"
        case .failWrites(let fails), .failLower(let fails): return "\(name) \(fails)"
        case .putMany(let items): return "\(name) " + ValueText.list(items.map { KeyText.describe($0.key) }, ", ")
        case .update(_, let change): return "\(words) \(change.word)"
        case .increment(_, let step): return "\(words) by \(step)"
        case .rename(_, let other): return "\(words) to \(KeyText.describe(other))"
        case .listen(let listener): return "\(name) \(listener.word)"
        case .limitGroup(let group, let amount): return "\(name) \"\(group)\" \(amount)"
        case .removeTagged(let tag): return "\(name) \"\(tag)\""
        case .within(let group, let inner): return "in group \"\(group)\": \(inner)"
        case .load(let key, let origin): return "\(words) from \(origin.text(for: key))"
        default: return words
        }
    }

    /// The operation's word in the JSON form.
    package var name: String { OperationLine(self).operation }

    /// The operation as a statement on `store`, which `open()` opens.
    var swift: String {
        switch self {
        case .put(let key, let payload, let expiry, .plain):
            "try store.put(StoredEntry(\(payload.swift(for: key))"
                + (expiry.map { ", expiresAtNanoseconds: \($0)" } ?? "") + "), for: \(KeyText.swift(key)))"
        case .get(let key): "try store.get(\(KeyText.swift(key)))"
        case .contains(let key): "try store.contains(\(KeyText.swift(key)))"
        case .remove(let key): "try store.remove(\(KeyText.swift(key)))"
        case .removeAll: "try store.removeAll()"
        case .count: "try store.count()"
        case .keys: "try store.keys()"
        case .flush: "try store.flush()"
        case .close: "try store.close()"
        case .reopen: "try store.close(); store = try open()"
        case .upgrade: "try store.close(); /* with the newest program: */ store = try open()"
        case .relocate: "try store.close(); /* rename the directory */ store = try open()"
        case .abandon: "store = try open()  // without close()"
        default: "store.perform(\(swiftCase))"
        }
    }

    /// The operation as a value.
    var swiftCase: String {
        func quoted(_ text: String) -> String { String(reflecting: text) }
        let key = key.map(KeyText.swift) ?? ""
        switch self {
        case .put(_, let payload, _, let terms), .putIfAbsent(_, let payload, let terms),
            .replace(_, let payload, let terms):
            return ".\(name)(\(key), \(payload.swiftCase)\(terms == .plain ? "" : ", terms: \(terms.swift)"))"
        case .compareAndSet(_, let old, let new):
            return ".compareAndSet(\(key), expected: \(old.swiftCase), \(new.swiftCase))"
        case .exchange(_, let payload), .setIfMarked(_, let payload):
            return ".\(name)(\(key), \(payload.swiftCase))"
        case .putMany(let items):
            let pairs = items.map { "KeyedPayload(\(KeyText.swift($0.key)), \($0.payload.swiftCase))" }
            return ".putMany([\(pairs.joined(separator: ", "))])"
        case .update(_, .set(let payload)): return ".update(\(key), .set(\(payload.swiftCase)))"
        case .update(_, let change): return ".update(\(key), .\(change.word))"
        case .increment(_, let step): return ".increment(\(key), by: \(step))"
        case .rename(_, let other): return ".rename(\(key), to: \(KeyText.swift(other)))"
        case .loadMany(let keys, let lacking, let sequence):
            let lists = [keys, lacking].map { $0.map(KeyText.swift).joined(separator: ", ") }
            return ".loadMany([\(lists[0])], lacking: [\(lists[1])], sequence: \(sequence))"
        case .listen(let listener): return ".listen(.\(listener.swift))"
        case .limitGroup(let group, let amount): return ".limitGroup(\(quoted(group)), \(amount))"
        case .getMany(let keys), .removeMany(let keys), .failWritesOf(let keys):
            return ".\(name)([" + keys.map(KeyText.swift).joined(separator: ", ") + "])"
        case .advance(let time), .moveWallClock(let time), .sleep(let time): return ".\(name)(nanoseconds: \(time))"
        case .touch(_, let time): return ".touch(\(key), timeToLiveNanoseconds: \(time))"
        case .resize(let amount), .firstKeys(let amount): return ".\(name)(\(amount))"
        case .pause(let time): return ".pause(milliseconds: \(time))"
        case .failWrites(let fails), .failLower(let fails): return ".\(name)(\(fails))"
        case .removeTagged(let tag): return ".removeTagged(\(quoted(tag)))"
        case .within(let group, let inner): return ".within(group: \(quoted(group)), \(inner.swiftCase))"
        case .load(_, let origin): return ".load(\(key), \(origin.swift))"
        default: return key.isEmpty ? ".\(name)" : ".\(name)(\(key))"
        }
    }
}

extension PutTerms {
    /// What is not plain, in words.
    fileprivate var text: String {
        (timeToLiveNanoseconds.map { ", lives \($0) ns" } ?? "") + (cost == 1 ? "" : ", costs \(cost)")
            + (tags.isEmpty ? "" : ", tags \(tags.joined(separator: " "))")
    }

    fileprivate var swift: String {
        let parts = [
            timeToLiveNanoseconds.map { "timeToLiveNanoseconds: \($0)" }, cost == 1 ? nil : "cost: \(cost)",
            tags.isEmpty ? nil : "tags: \(tags)",
        ]
        return "PutTerms(" + parts.compactMap(\.self).joined(separator: ", ") + ")"
    }
}

extension Origin {
    fileprivate func text(for key: [UInt8]) -> String {
        let has =
            switch answer {
            case .value(let payload, let terms):
                ValueText.describe(StoredEntry(payload.bytes(for: key)), under: key) + terms.text
            case .nothing: "an origin without it"
            case .failure: "an origin that fails"
            }
        return has + (meanwhile.isEmpty ? "" : ", while: " + meanwhile.map(\.description).joined(separator: "; "))
    }

    fileprivate var swift: String {
        let has =
            switch answer {
            case .value(let payload, let terms):
                ".value(\(payload.swiftCase)\(terms == .plain ? "" : ", \(terms.swift)"))"
            case .nothing: ".nothing"
            case .failure: ".failure"
            }
        let steps = meanwhile.map(\.swiftCase).joined(separator: ", ")
        return "Origin(\(has)\(meanwhile.isEmpty ? "" : ", meanwhile: [\(steps)]"))"
    }
}

extension Payload {
    var swiftCase: String {
        switch self {
        case .bytes(let bytes): ".bytes(\(KeyText.swift(bytes)))"
        case .described(let sequence, let byteCount): ".described(sequence: \(sequence), byteCount: \(byteCount))"
        }
    }

    fileprivate func swift(for key: [UInt8]) -> String {
        if byteCount <= 16 { return KeyText.swift(bytes(for: key)) }
        switch self {
        case .bytes(let bytes): return KeyText.swift(bytes)
        case .described(let sequence, let byteCount):
            return "Payload.described(sequence: \(sequence), byteCount: \(byteCount)).bytes(for: \(KeyText.swift(key)))"
        }
    }
}

extension Program: CustomStringConvertible {
    /// One operation a line.
    public var description: String {
        let capacity = setup.capacity.map { ["open with \($0)"] } ?? []
        let idle = setup.timeToIdleNanoseconds.map { ["open with a time to idle of \($0) ns"] } ?? []
        let life = setup.timeToLiveNanoseconds.map { ["open with a time to live of \($0) ns for all"] } ?? []
        let stale = setup.staleNanoseconds.map { ["open to serve stale for \($0) ns"] } ?? []
        let refresh = setup.refreshNanoseconds.map { ["open to refresh after \($0) ns"] } ?? []
        let format = setup.format.map { ["open with the program of version \($0)"] } ?? []
        let hash = setup.collide == true ? ["open with a hash of few values"] : []
        let faces = setup.faces.map { ["ask \($0) faces in turns, the first first"] } ?? []
        let opening = format + capacity + life + idle + stale + refresh + hash + faces
        return (opening + operations.map(\.description)).joined(separator: "\n")
    }

    /// Statements that reproduce the program; `open()` stands for opening the subject in an empty directory.
    public var swiftSource: String {
        let isStore = setup.isPlain && operations.allSatisfy { !$0.swift.hasPrefix("store.perform") }
        if isStore { return (["var store = try open()"] + operations.map(\.swift)).joined(separator: "\n") }
        let capacity = setup.capacity.map { "capacity: .\($0.unit.rawValue)(\($0.amount))" }
        let idle = setup.timeToIdleNanoseconds.map { "timeToIdleNanoseconds: \($0)" }
        let stale = setup.staleNanoseconds.map { "staleNanoseconds: \($0)" }
        let refresh = setup.refreshNanoseconds.map { "refreshNanoseconds: \($0)" }
        let format = setup.format.map { "format: \($0)" }
        let parts = [capacity, idle, stale, refresh, format].compactMap(\.self).joined(separator: ", ")
        let more = [
            setup.timeToLiveNanoseconds.map { "setup.timeToLiveNanoseconds = \($0)" },
            setup.collide.map { "setup.collide = \($0)" }, setup.faces.map { "setup.faces = \($0)" },
        ].compactMap(\.self)
        let opening =
            more.isEmpty
            ? ["let cache = try subject.open(CacheSetup(\(parts)), in: nil)"]
            : ["var setup = CacheSetup(\(parts))"] + more + ["let cache = try subject.open(setup, in: nil)"]
        return
            (opening
            + operations.enumerated().map { index, operation in
                let face = setup.faces == nil ? "" : ", face: \(setup.face(inTurn: index))"
                return "cache.perform(\(operation.swiftCase)\(face))"
            }).joined(separator: "\n")
    }
}
