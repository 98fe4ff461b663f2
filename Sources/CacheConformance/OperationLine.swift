import CacheCore

extension Program: Codable {
    /// Reads an array of operations, before which `open` may say what the cache is opened with.
    ///
    /// - Throws: `DecodingError` for an operation that does not exist or lacks something, and for a program that asks for more
    ///   time, costs, bytes or operations than a program may.
    public init(from decoder: any Decoder) throws {
        func corrupt(_ words: String) -> DecodingError {
            .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: words))
        }
        var lines = try [OperationLine](from: decoder)
        var setup = CacheSetup()
        if let first = lines.first, first.operation == "open" {
            setup = first.setup ?? setup
            lines.removeFirst()
        }
        self.init(
            try lines.enumerated().map { index, line in
                guard let operation = line.read() else {
                    throw corrupt("operation \(index + 1), '\(line.operation)', does not exist or lacks what it needs")
                }
                return operation
            }, setup: setup)
        if let fault = ProgramBounds.fault(in: self) { throw corrupt(fault) }
    }

    /// Writes an array of operations; keys and literal values in hexadecimal.
    public func encode(to encoder: any Encoder) throws {
        var open = OperationLine("open")
        open.setup = setup
        try ((setup.isPlain ? [] : [open]) + operations.map(OperationLine.init)).encode(to: encoder)
    }
}

/// Bytes that JSON has in hexadecimal.
package struct HexBytes: Codable {
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package init(from decoder: any Decoder) throws {
        let digits = try decoder.singleValueContainer().decode(String.self)
        guard let bytes = KeyText.bytes(hex: digits) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "'\(digits.prefix(20))' is not bytes in hexadecimal"))
        }
        self.bytes = bytes
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(KeyText.hex(bytes[...]))
    }
}

/// An operation taken apart, each part under the name that it has in JSON: what all operations share is done to parts.
package struct OperationLine: Codable {
    /// A value that another is compared with.
    struct Expected: Codable {
        var operation = "value"
        var value: HexBytes?
        var sequence: Int?
        var bytes: Int?
    }

    package var operation: String
    package var group: String?
    package var key: HexBytes?
    /// The second key of an operation that names two.
    package var other: HexBytes?
    package var keys: [HexBytes]?
    /// The keys that an origin has no value for.
    package var lacking: [HexBytes]?
    /// A literal value, or the number and the length of a described one.
    private var value: HexBytes?
    private var sequence: Int?
    private var bytes: Int?
    private var expected: Expected?
    var expiresAtNanoseconds: Int64?
    /// Nil if they are plain.
    package var terms: PutTerms?
    /// A number: an amount, nanoseconds.
    package var amount: Int64?
    package var tag: String?
    /// What the origin has: `value`, `nothing`, `failure`.
    private var origin: String?
    package var meanwhile: [OperationLine]?
    /// What is put by one call, or what a listener does.
    package var items: [OperationLine]?
    /// A change, or what listens, by its word.
    private var word: String?
    var setup: CacheSetup?

    package init(
        _ operation: String, _ key: [UInt8]? = nil, _ payload: Payload? = nil, _ terms: PutTerms = .plain,
        amount: Int64? = nil, keys: [[UInt8]]? = nil, tag: String? = nil, word: String? = nil
    ) {
        (self.operation, self.amount, self.tag, self.word) = (operation, amount, tag, word)
        self.key = key.map(HexBytes.init)
        self.keys = keys?.map(HexBytes.init)
        self.terms = terms == .plain ? nil : terms
        self.payload = payload
    }

    /// The value that the operation itself names.
    package var payload: Payload? {
        get { Self.payload(value, sequence, bytes) }
        set { (value, sequence, bytes) = Self.members(of: newValue) }
    }

    /// The value that another is compared with.
    package var expectedPayload: Payload? {
        get { expected.flatMap { Self.payload($0.value, $0.sequence, $0.bytes) } }
        set {
            let (value, sequence, bytes) = Self.members(of: newValue)
            expected = newValue.map { _ in Expected(value: value, sequence: sequence, bytes: bytes) }
        }
    }

    private static func payload(_ value: HexBytes?, _ sequence: Int?, _ bytes: Int?) -> Payload? {
        if let sequence, let bytes { return .described(sequence: sequence, byteCount: bytes) }
        return value.map { .bytes($0.bytes) }
    }

    private static func members(of payload: Payload?) -> (HexBytes?, Int?, Int?) {
        switch payload {
        case .bytes(let literal): (HexBytes(literal), nil, nil)
        case .described(let number, let byteCount): (nil, number, byteCount)
        case nil: (nil, nil, nil)
        }
    }

    // MARK: From an operation

    package init(_ operation: CacheOperation) {
        switch operation {
        case .put(let key, let value, let expiry, let terms):
            self.init("put", key, value, terms)
            expiresAtNanoseconds = expiry
        case .get(let key): self.init("get", key)
        case .contains(let key): self.init("contains", key)
        case .remove(let key): self.init("remove", key)
        case .removeAll: self.init("removeAll")
        case .count: self.init("count")
        case .keys: self.init("keys")
        case .firstKeys(let amount): self.init("firstKeys", amount: Int64(amount))
        case .flush: self.init("flush")
        case .close: self.init("close")
        case .reopen: self.init("reopen")
        case .relocate: self.init("relocate")
        case .abandon: self.init("abandon")
        case .upgrade: self.init("upgrade")
        case .putIfAbsent(let key, let value, let terms): self.init("putIfAbsent", key, value, terms)
        case .replace(let key, let value, let terms): self.init("replace", key, value, terms)
        case .compareAndSet(let key, let old, let new):
            self.init("compareAndSet", key, new)
            expectedPayload = old
        case .exchange(let key, let value): self.init("exchange", key, value)
        case .take(let key): self.init("take", key)
        case .getMany(let keys): self.init("getMany", keys: keys)
        case .removeMany(let keys): self.init("removeMany", keys: keys)
        case .advance(let time): self.init("advance", amount: time)
        case .moveWallClock(let time): self.init("moveWallClock", amount: time)
        case .sleep(let time): self.init("sleep", amount: time)
        case .touch(let key, let time): self.init("touch", key, amount: time)
        case .remainingTime(let key): self.init("remainingTime", key)
        case .cost: self.init("cost")
        case .resize(let amount): self.init("resize", amount: Int64(amount))
        case .maintain: self.init("maintain")
        case .statistics: self.init("statistics")
        case .events: self.init("events")
        case .load(let key, let from):
            switch from.answer {
            case .value(let payload, let terms):
                self.init("load", key, payload, terms)
                origin = "value"
            case .nothing, .failure:
                self.init("load", key)
                origin = from.answer == .nothing ? "nothing" : "failure"
            }
            if !from.meanwhile.isEmpty { meanwhile = from.meanwhile.map(OperationLine.init) }
        case .pause(let time): self.init("pause", amount: Int64(time))
        case .writes: self.init("writes")
        case .failWrites(let fails): self.init("failWrites", amount: fails ? 1 : 0)
        case .within(let name, let inner):
            self.init(inner)
            group = name
        case .removeTagged(let tag): self.init("removeTagged", tag: tag)
        case .mark(let key): self.init("mark", key)
        case .setIfMarked(let key, let value): self.init("setIfMarked", key, value)
        case .removeIfMarked(let key): self.init("removeIfMarked", key)
        case .putMany(let many):
            self.init("putMany")
            items = many.map { OperationLine("put", $0.key, $0.payload) }
        case .update(let key, .set(let value)): self.init("update", key, value)
        case .update(let key, let change): self.init("update", key, word: change.word)
        case .increment(let key, let step): self.init("increment", key, amount: Int64(step))
        case .rename(let key, let new):
            self.init("rename", key)
            other = HexBytes(new)
        case .pin(let key): self.init("pin", key)
        case .unpin(let key): self.init("unpin", key)
        case .loadMany(let keys, let missing, let first):
            self.init("loadMany", keys: keys)
            (lacking, sequence) = (missing.map(HexBytes.init), first)
        case .giveUp(let key): self.init("giveUp", key)
        case .failWritesOf(let keys): self.init("failWritesOf", keys: keys)
        case .listen(let listener):
            self.init("listen", word: listener.word)
            if case .slow(let time) = listener { amount = Int64(time) }
            if case .reenters(let inner) = listener { items = [OperationLine(inner)] }
        case .limitGroup(let name, let amount): self.init("limitGroup", amount: Int64(amount), tag: name)
        case .diskUsage: self.init("diskUsage")
        case .dropMemory: self.init("dropMemory")
        case .failLower(let fails): self.init("failLower", amount: fails ? 1 : 0)
        }
    }

    // MARK: To an operation

    /// The operation, nil if the line does not say one.
    package func read() -> CacheOperation? {
        guard let group else { return readPlain() }
        return readPlain().map { .within(group: group, $0) }
    }

    private func readPlain() -> CacheOperation? {
        if let key = key?.bytes { return payload.flatMap { read(key, $0) } ?? read(key) }
        let keys = keys?.map(\.bytes)
        let number = amount.map { Int(clamping: $0) }
        switch (operation, amount, number) {
        case ("advance", let time?, _): return .advance(nanoseconds: time)
        case ("moveWallClock", let time?, _): return .moveWallClock(nanoseconds: time)
        case ("sleep", let time?, _): return .sleep(nanoseconds: time)
        case ("resize", _, let number?): return .resize(number)
        case ("firstKeys", _, let number?): return .firstKeys(number)
        case ("pause", _, let number?): return .pause(milliseconds: number)
        case ("failWrites", _, let number?): return .failWrites(number == 1)
        case ("failLower", _, let number?): return .failLower(number == 1)
        case ("limitGroup", _, let number?): return tag.map { .limitGroup($0, number) }
        case ("removeTagged", _, _): return tag.map { .removeTagged($0) }
        case ("getMany", _, _): return keys.map { .getMany($0) }
        case ("removeMany", _, _): return keys.map { .removeMany($0) }
        case ("failWritesOf", _, _): return keys.map { .failWritesOf($0) }
        case ("putMany", _, _):
            let pairs = items?.compactMap { line in
                line.payload.flatMap { payload in line.key.map { KeyedPayload($0.bytes, payload) } }
            }
            return pairs.flatMap { $0.count == items?.count ? .putMany($0) : nil }
        case ("loadMany", _, _):
            guard let keys, let sequence else { return nil }
            return .loadMany(keys, lacking: lacking?.map(\.bytes) ?? [], sequence: sequence)
        case ("listen", _, _):
            switch word {
            case "slow": return number.map { .listen(.slow(milliseconds: $0)) }
            case "reenters": return items?.first?.read().map { .listen(.reenters($0)) }
            default: return [Listener.plain, .none, .fails].first { $0.word == word }.map { .listen($0) }
            }
        default: return Self.plain[operation]
        }
    }

    private func read(_ key: [UInt8], _ value: Payload) -> CacheOperation? {
        let terms = terms ?? .plain
        switch operation {
        case "put": return .put(key, value, expiresAtNanoseconds: expiresAtNanoseconds, terms: terms)
        case "putIfAbsent": return .putIfAbsent(key, value, terms: terms)
        case "replace": return .replace(key, value, terms: terms)
        case "exchange": return .exchange(key, value)
        case "compareAndSet": return expectedPayload.map { .compareAndSet(key, expected: $0, value) }
        case "setIfMarked": return .setIfMarked(key, value)
        case "update": return .update(key, .set(value))
        case "load" where origin == "value": return fetch(.value(value, terms)).map { .load(key, $0) }
        default: return nil
        }
    }

    private func read(_ key: [UInt8]) -> CacheOperation? {
        switch operation {
        case "get": return .get(key)
        case "contains": return .contains(key)
        case "remove": return .remove(key)
        case "take": return .take(key)
        case "touch": return amount.map { .touch(key, timeToLiveNanoseconds: $0) }
        case "remainingTime": return .remainingTime(key)
        case "load" where origin == "nothing": return fetch(.nothing).map { .load(key, $0) }
        case "load" where origin == "failure": return fetch(.failure).map { .load(key, $0) }
        case "mark": return .mark(key)
        case "removeIfMarked": return .removeIfMarked(key)
        case "update" where payload == nil: return .update(key, word == Change.countUp.word ? .countUp : .remove)
        case "increment": return amount.map { .increment(key, by: Int(clamping: $0)) }
        case "rename": return other.map { .rename(key, to: $0.bytes) }
        case "pin": return .pin(key)
        case "unpin": return .unpin(key)
        case "giveUp": return .giveUp(key)
        default: return nil
        }
    }

    private func fetch(_ answer: Origin.Answer) -> Origin? {
        let steps = (meanwhile ?? []).compactMap { $0.read() }
        return steps.count == meanwhile?.count ?? 0 ? Origin(answer, meanwhile: steps) : nil
    }

    /// The operations that have nothing to say besides their name.
    private static let plain = Dictionary(
        uniqueKeysWithValues: [
            CacheOperation.removeAll, .count, .keys, .flush, .close, .reopen, .relocate, .abandon, .cost, .maintain,
            .statistics, .events, .writes, .diskUsage, .dropMemory, .upgrade,
        ].map { ($0.name, $0) })

    // MARK: What is done to parts

    /// The same line with every value as literal bytes, so that who reads it need not know how values are made.
    var spelled: OperationLine {
        var line = self
        line.payload = payload.map { .bytes($0.bytes(for: key?.bytes ?? [])) }
        line.expectedPayload = expectedPayload.map { .bytes($0.bytes(for: key?.bytes ?? [])) }
        if payload == nil { line.sequence = sequence }
        line.meanwhile = meanwhile?.map(\.spelled)
        line.items = items?.map(\.spelled)
        return line
    }

    /// The same line that says nothing of a time to live.
    var withoutLife: OperationLine {
        var line = self
        line.terms?.timeToLiveNanoseconds = nil
        if line.terms == .plain { line.terms = nil }
        line.meanwhile = meanwhile?.map(\.withoutLife)
        return line
    }

    /// The times to live that the line gives.
    var lives: [Int64] {
        (terms?.timeToLiveNanoseconds.map { [$0] } ?? []) + (meanwhile ?? []).flatMap(\.lives)
    }
}

extension CacheOperation {
    /// The same operation on another key.
    package func replacingKey(_ new: [UInt8]) -> CacheOperation {
        var line = OperationLine(self)
        if line.key != nil { line.key = HexBytes(new) }
        return line.read() ?? self
    }
}
