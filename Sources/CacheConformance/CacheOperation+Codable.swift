extension Program: Codable {
    /// Reads an array of operations, before which `open` may say what the cache is opened with.
    ///
    /// - Throws: `DecodingError` for an operation that does not exist or lacks something, and for a program that asks for more
    ///   time, costs, bytes or operations than a program may.
    public init(from decoder: any Decoder) throws {
        var lines = try [OperationLine](from: decoder)
        var setup = CacheSetup()
        if let first = lines.first, first.operation == "open" {
            setup = first.setup ?? setup
            lines.removeFirst()
        }
        self.init(
            try lines.enumerated().map { index, line in
                guard let operation = line.read() else {
                    throw DecodingError.dataCorrupted(
                        .init(
                            codingPath: decoder.codingPath,
                            debugDescription:
                                "operation \(index + 1), '\(line.operation)', does not exist or lacks what it needs"))
                }
                return operation
            }, setup: setup)
        if let fault = ProgramBounds.fault(in: self) {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: fault))
        }
    }

    /// Writes an array of operations; keys and literal values in hexadecimal.
    public func encode(to encoder: any Encoder) throws {
        var lines = operations.map(OperationLine.init)
        if !setup.isPlain {
            let open = OperationLine(operation: "open")
            open.setup = setup
            lines.insert(open, at: 0)
        }
        try lines.encode(to: encoder)
    }
}

/// An operation as JSON has it.
final class OperationLine: Codable {
    var operation: String
    var key: String?
    var keys: [String]?
    var group: String?
    var value: String?
    var sequence: Int?
    var bytes: Int?
    var expiresAtNanoseconds: Int64?
    var terms: PutTerms?
    /// What a value is compared with.
    var expected: OperationLine?
    /// A number: an amount, nanoseconds.
    var amount: Int64?
    var tag: String?
    var setup: CacheSetup?
    /// What the origin has: `value`, `nothing`, `failure`.
    var origin: String?
    var meanwhile: [OperationLine]?
    /// The second key of an operation that names two.
    var other: String?
    /// The keys that an origin has no value for.
    var lacking: [String]?
    /// What is put by one call.
    var items: [OperationLine]?
    /// A change, or what listens, by its word.
    var word: String?

    init(operation: String) { self.operation = operation }

    convenience init(_ operation: CacheOperation) {
        self.init(operation: operation.name)
        key = operation.key.map { KeyText.hex($0[...]) }
        switch operation {
        case .within(let name, let inner):
            let line = OperationLine(inner)
            copy(line)
            group = name
        case .put(_, let payload, let expiry, let terms):
            set(payload, terms)
            expiresAtNanoseconds = expiry
        case .putIfAbsent(_, let payload, let terms), .replace(_, let payload, let terms): set(payload, terms)
        case .exchange(_, let payload): set(payload, .plain)
        case .compareAndSet(_, let old, let payload):
            set(payload, .plain)
            expected = OperationLine(operation: "value")
            expected!.set(old, .plain)
        case .getMany(let many), .removeMany(let many): keys = many.map { KeyText.hex($0[...]) }
        case .advance(let time), .moveWallClock(let time), .sleep(let time), .touch(_, let time): amount = time
        case .resize(let number), .firstKeys(let number): amount = Int64(number)
        case .pause(let time): amount = Int64(time)
        case .failWrites(let fails): amount = fails ? 1 : 0
        case .removeTagged(let name): tag = name
        case .load(_, let origin): set(origin)
        default: setMore(operation)
        }
    }

    private func setMore(_ operation: CacheOperation) {
        switch operation {
        case .setIfMarked(_, let payload), .update(_, .set(let payload)): set(payload, .plain)
        case .update(_, let change): word = change.word
        case .putMany(let many):
            items = many.map { item in
                let line = OperationLine(operation: "put")
                line.key = KeyText.hex(item.key[...])
                line.set(item.payload, .plain)
                return line
            }
        case .increment(_, let step): amount = Int64(step)
        case .rename(_, let new): other = KeyText.hex(new[...])
        case .loadMany(let many, let missing, let first):
            keys = many.map { KeyText.hex($0[...]) }
            lacking = missing.map { KeyText.hex($0[...]) }
            sequence = first
        case .failWritesOf(let many): keys = many.map { KeyText.hex($0[...]) }
        case .listen(let listener):
            word = listener.word
            if case .slow(let time) = listener { amount = Int64(time) }
            if case .reenters(let inner) = listener { items = [OperationLine(inner)] }
        case .limitGroup(let name, let number): (tag, amount) = (name, Int64(number))
        case .failLower(let fails): amount = fails ? 1 : 0
        default: break
        }
    }

    private func copy(_ line: OperationLine) {
        (operation, key, keys, value, sequence) = (line.operation, line.key, line.keys, line.value, line.sequence)
        (bytes, expiresAtNanoseconds, terms, expected) = (
            line.bytes, line.expiresAtNanoseconds, line.terms, line.expected
        )
        (amount, tag, origin, meanwhile) = (line.amount, line.tag, line.origin, line.meanwhile)
        (other, lacking, items, word) = (line.other, line.lacking, line.items, line.word)
    }

    private func set(_ payload: Payload, _ terms: PutTerms) {
        if terms != .plain { self.terms = terms }
        switch payload {
        case .bytes(let literal): value = KeyText.hex(literal[...])
        case .described(let number, let byteCount): (sequence, bytes) = (number, byteCount)
        }
    }

    private func set(_ from: Origin) {
        switch from.answer {
        case .value(let payload, let terms):
            origin = "value"
            set(payload, terms)
        case .nothing: origin = "nothing"
        case .failure: origin = "failure"
        }
        if !from.meanwhile.isEmpty { meanwhile = from.meanwhile.map(OperationLine.init) }
    }

    private var payload: Payload? {
        if let sequence, let bytes { return .described(sequence: sequence, byteCount: bytes) }
        return value.flatMap(Self.bytes).map { .bytes($0) }
    }

    /// The operation, nil if the line does not say one.
    func read() -> CacheOperation? {
        guard let group else { return readPlain() }
        return readPlain().map { .within(group: group, $0) }
    }

    private func readPlain() -> CacheOperation? {
        if let key = key.flatMap(Self.bytes) { return read(key) }
        switch (operation, amount) {
        case ("advance", let time?): return .advance(nanoseconds: time)
        case ("moveWallClock", let time?): return .moveWallClock(nanoseconds: time)
        case ("sleep", let time?): return .sleep(nanoseconds: time)
        case ("resize", let number?): return .resize(Int(clamping: number))
        case ("firstKeys", let number?): return .firstKeys(Int(clamping: number))
        case ("pause", let time?): return .pause(milliseconds: Int(clamping: time))
        case ("failWrites", let number?): return .failWrites(number == 1)
        case ("removeTagged", _): return tag.map { .removeTagged($0) }
        case ("getMany", _): return keys.flatMap(Self.list).map { .getMany($0) }
        case ("removeMany", _): return keys.flatMap(Self.list).map { .removeMany($0) }
        default: return readMore() ?? CacheOperation.plain.first { $0.name == operation }
        }
    }

    /// The operations that name no key and were added last.
    private func readMore() -> CacheOperation? {
        switch (operation, amount) {
        case ("putMany", _):
            let pairs = items?.compactMap { line -> KeyedPayload? in
                guard let key = line.key.flatMap(Self.bytes), let payload = line.payload else { return nil }
                return KeyedPayload(key, payload)
            }
            return pairs.flatMap { $0.count == items?.count ? .putMany($0) : nil }
        case ("loadMany", _):
            guard let keys = keys.flatMap(Self.list), let lacking = Self.list(lacking ?? []), let sequence else {
                return nil
            }
            return .loadMany(keys, lacking: lacking, sequence: sequence)
        case ("failWritesOf", _): return keys.flatMap(Self.list).map { .failWritesOf($0) }
        case ("limitGroup", let number?): return tag.map { .limitGroup($0, Int(clamping: number)) }
        case ("failLower", let number?): return .failLower(number == 1)
        case ("listen", let time):
            switch word {
            case "slow": return time.map { .listen(.slow(milliseconds: Int(clamping: $0))) }
            case "reenters": return items?.first?.read().map { .listen(.reenters($0)) }
            default: return [Listener.plain, .none, .fails].first { $0.word == word }.map { .listen($0) }
            }
        default: return nil
        }
    }

    private func read(_ key: [UInt8]) -> CacheOperation? {
        let terms = terms ?? .plain
        switch (operation, payload) {
        case ("put", let value?): return .put(key, value, expiresAtNanoseconds: expiresAtNanoseconds, terms: terms)
        case ("putIfAbsent", let value?): return .putIfAbsent(key, value, terms: terms)
        case ("replace", let value?): return .replace(key, value, terms: terms)
        case ("exchange", let value?): return .exchange(key, value)
        case ("compareAndSet", let value?):
            return expected?.payload.map { .compareAndSet(key, expected: $0, value) }
        case ("get", _): return .get(key)
        case ("contains", _): return .contains(key)
        case ("remove", _): return .remove(key)
        case ("take", _): return .take(key)
        case ("touch", _): return amount.map { .touch(key, timeToLiveNanoseconds: $0) }
        case ("remainingTime", _): return .remainingTime(key)
        case ("load", let value): return readOrigin(value, terms).map { .load(key, $0) }
        case ("mark", _): return .mark(key)
        case ("setIfMarked", let value?): return .setIfMarked(key, value)
        case ("removeIfMarked", _): return .removeIfMarked(key)
        case ("update", let value?): return .update(key, .set(value))
        case ("update", nil): return .update(key, word == Change.countUp.word ? .countUp : .remove)
        case ("increment", _): return amount.map { .increment(key, by: Int(clamping: $0)) }
        case ("rename", _): return other.flatMap(Self.bytes).map { .rename(key, to: $0) }
        case ("pin", _): return .pin(key)
        case ("unpin", _): return .unpin(key)
        case ("giveUp", _): return .giveUp(key)
        default: return nil
        }
    }

    private func readOrigin(_ value: Payload?, _ terms: PutTerms) -> Origin? {
        let steps = meanwhile ?? []
        let meanwhile = steps.compactMap { $0.read() }
        guard meanwhile.count == steps.count else { return nil }
        switch (origin, value) {
        case ("value", let value?): return Origin(.value(value, terms), meanwhile: meanwhile)
        case ("nothing", _): return Origin(.nothing, meanwhile: meanwhile)
        case ("failure", _): return Origin(.failure, meanwhile: meanwhile)
        default: return nil
        }
    }

    /// Keys of which none is malformed.
    private static func list(_ keys: [String]) -> [[UInt8]]? {
        let list = keys.compactMap(bytes)
        return list.count == keys.count ? list : nil
    }

    static func bytes(_ hex: String) -> [UInt8]? {
        let digits = Array(hex.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var index = 0
        while index < digits.count {
            guard let high = digit(digits[index]), let low = digit(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
            index += 2
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}

extension CacheOperation {
    /// The operations that have nothing to say besides their name.
    static let plain: [CacheOperation] = [
        .removeAll, .count, .keys, .flush, .close, .reopen, .relocate, .abandon, .cost, .maintain, .statistics, .events,
        .writes, .diskUsage, .dropMemory, .upgrade,
    ]
}
