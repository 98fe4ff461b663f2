import CacheCore

/// What Assay asks of a subject in a child process: one frame's body. `docs/subject-protocol.md` has the words.
struct SubjectRequest: Codable {
    /// The versions of the protocol that this Assay speaks.
    static let versions = [1]

    /// The first request.
    struct Hello: Codable {
        var `protocol` = "assay-subject"
        var versions = SubjectRequest.versions
    }

    /// What an instance is opened with.
    struct Open: Codable {
        var directory: String?
        var capacity: Capacity?
        var timeToLiveNanoseconds: Int64?
        var timeToIdleNanoseconds: Int64?
        var staleNanoseconds: Int64?
        var refreshNanoseconds: Int64?
        var nowNanoseconds: Int64?
        var format: Int?

        init(_ setup: CacheSetup, in directory: String?) {
            self.directory = directory
            capacity = setup.capacity
            timeToLiveNanoseconds = setup.timeToLiveNanoseconds
            timeToIdleNanoseconds = setup.timeToIdleNanoseconds
            staleNanoseconds = setup.staleNanoseconds
            refreshNanoseconds = setup.refreshNanoseconds
            nowNanoseconds = setup.nowNanoseconds == 0 ? nil : setup.nowNanoseconds
            format = setup.format
        }

        /// What a subject of this process is opened with.
        var setup: CacheSetup {
            var setup = CacheSetup(
                capacity: capacity, timeToIdleNanoseconds: timeToIdleNanoseconds, staleNanoseconds: staleNanoseconds,
                refreshNanoseconds: refreshNanoseconds, format: format)
            (setup.timeToLiveNanoseconds, setup.nowNanoseconds) = (timeToLiveNanoseconds, nowNanoseconds)
            return setup
        }
    }

    /// The number by which the answer is told.
    var id: Int
    /// The instance that is meant.
    var instance: Int?
    var hello: Hello?
    var open: Open?
    var step: OperationLine?
    /// Whether the instance is let go without being closed.
    var release: Bool?

    init(id: Int, instance: Int? = nil) {
        self.id = id
        self.instance = instance
    }
}

/// What a subject answers: one frame's body.
struct SubjectAnswer: Codable {
    /// The answer to the first request.
    struct Hello: Codable {
        var version: Int
        var name: String
        var claims: Claims?
        var needsDirectory: Bool?
    }

    var id: Int
    var hello: Hello?
    /// The answer to everything else.
    var result: OperationResult?

    private enum Key: String, CodingKey { case id, hello }

    init(id: Int, hello: Hello? = nil, result: OperationResult? = nil) {
        (self.id, self.hello, self.result) = (id, hello, result)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decode(Int.self, forKey: .id)
        hello = try container.decodeIfPresent(Hello.self, forKey: .hello)
        result = hello == nil ? try OperationResult(from: decoder) : nil
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encodeIfPresent(hello, forKey: .hello)
        try result?.encode(to: encoder)
    }
}

extension CacheOperation {
    /// The same operation with every value as literal bytes, so that who does it need not know how values are made.
    var spelled: CacheOperation {
        func spell(_ payload: Payload, _ key: [UInt8]) -> Payload { .bytes(payload.bytes(for: key)) }
        switch self {
        case .put(let key, let value, let expiry, let terms):
            return .put(key, spell(value, key), expiresAtNanoseconds: expiry, terms: terms)
        case .putIfAbsent(let key, let value, let terms): return .putIfAbsent(key, spell(value, key), terms: terms)
        case .replace(let key, let value, let terms): return .replace(key, spell(value, key), terms: terms)
        case .compareAndSet(let key, let expected, let value):
            return .compareAndSet(key, expected: spell(expected, key), spell(value, key))
        case .exchange(let key, let value): return .exchange(key, spell(value, key))
        case .load(let key, let origin):
            var answer = origin.answer
            if case .value(let value, let terms) = answer { answer = .value(spell(value, key), terms) }
            return .load(key, Origin(answer, meanwhile: origin.meanwhile.map(\.spelled)))
        case .setIfMarked(let key, let value): return .setIfMarked(key, spell(value, key))
        case .update(let key, .set(let value)): return .update(key, .set(spell(value, key)))
        case .putMany(let items):
            return .putMany(items.map { KeyedPayload($0.key, spell($0.payload, $0.key)) })
        case .listen(.reenters(let inner)): return .listen(.reenters(inner.spelled))
        case .within(let group, let inner): return .within(group: group, inner.spelled)
        default: return self
        }
    }
}
