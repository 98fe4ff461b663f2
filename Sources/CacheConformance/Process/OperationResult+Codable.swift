import CacheCore

extension OperationResult: Codable {
    private enum Key: String, CodingKey {
        case done, entry, entries, flag, flags, number, keys, time, statistics, events, loaded, calls, outcomes, asked
        case writes, error
    }

    private struct Entry: Codable {
        var value: HexBytes
        var expiresAtNanoseconds: Int64?

        init(_ entry: StoredEntry) {
            (value, expiresAtNanoseconds) = (HexBytes(entry.value), entry.expiresAtNanoseconds)
        }

        var entry: StoredEntry { StoredEntry(value.bytes, expiresAtNanoseconds: expiresAtNanoseconds) }
    }

    private struct Event: Codable {
        var group: String?
        var key: HexBytes
        var value: HexBytes?
        var cause: String?
    }

    private struct Fault: Codable {
        var code: String
        var message: String
    }

    private enum Loaded: String, Codable { case value, nothing, failed }

    /// What a load brought: `loaded` says which, `entry` has the value if there is one.
    private struct Outcome: Codable {
        var loaded: Loaded
        var entry: Entry?

        init(_ outcome: LoadOutcome) {
            switch outcome {
            case .value(let value): (loaded, entry) = (.value, Entry(value))
            case .nothing: loaded = .nothing
            case .failed: loaded = .failed
            }
        }

        func outcome() throws -> LoadOutcome {
            switch loaded {
            case .nothing: return .nothing
            case .failed: return .failed
            case .value:
                guard let entry else { throw OperationResult.corrupt("a load that brought a value has no entry") }
                return .value(entry.entry)
            }
        }
    }

    private static func corrupt(_ words: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: words))
    }

    /// Reads the answer, which the one key among `done`, `entry`, `flag` … names.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func read<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
            try container.decode(type, forKey: key)
        }
        guard
            let key = container.allKeys.first(where: {
                $0 != .calls && $0 != .asked && !($0 == .entry && container.contains(.loaded))
            })
        else {
            throw Self.corrupt("no answer: none of done, entry, flag, error and so on")
        }
        switch key {
        case .done: self = .done
        case .entry: self = .entry(try container.decodeIfPresent(Entry.self, forKey: key)?.entry)
        case .entries: self = .entries(try read([Entry?].self, key).map { $0?.entry })
        case .flag: self = .flag(try read(Bool.self, key))
        case .flags: self = .flags(try read([Bool].self, key))
        case .number: self = .number(try read(Int.self, key))
        case .keys: self = .keys(try read([HexBytes].self, key).map(\.bytes))
        case .time: self = .time(try container.decodeIfPresent(Int64.self, forKey: key))
        case .statistics:
            let counters = try read(CacheCounters.self, key)
            // Beyond this nothing can be counted; what is calculated from counters must not overflow.
            let counts = [
                counters.hits, counters.misses, counters.evictions, counters.expirations, counters.loads,
                counters.loadFailures, counters.lowerHits,
            ]
            if counts.contains(where: { $0.map { !(-1 << 53...1 << 53).contains($0) } ?? false }) {
                throw Self.corrupt("a counter is beyond 2^53")
            }
            self = .statistics(counters)
        case .events: self = .events(try read([Event].self, key).map(Self.event))
        case .writes:
            self = .writes(
                try read([Event].self, key).map { WrittenEntry(key: $0.key.bytes, value: $0.value?.bytes) })
        case .error:
            let fault = try read(Fault.self, key)
            self = .failure(StoreError(StoreError.Code(rawValue: fault.code) ?? .inputOutput, fault.message))
        case .loaded, .calls:
            let calls = try read(Int.self, .calls)
            guard (0...1 << 31).contains(calls) else { throw Self.corrupt("the origin was called 0 to 2^31 times") }
            self = .loaded(try Outcome(from: decoder).outcome(), calls: calls)
        case .outcomes, .asked:
            self = .loadedMany(
                try read([Outcome].self, .outcomes).map { try $0.outcome() },
                asked: try read([HexBytes].self, .asked).map(\.bytes))
        }
    }

    private static func event(_ event: Event) throws -> CacheEvent {
        guard let cause = event.cause.flatMap(CacheEvent.Cause.init) else {
            let causes = CacheEvent.Cause.allCases.map(\.rawValue).joined(separator: ", ")
            throw corrupt("an event's cause is one of \(causes)")
        }
        return CacheEvent(group: event.group, key: event.key.bytes, value: event.value?.bytes ?? [], cause: cause)
    }

    /// Writes the answer as a subject in a child process writes it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .done: try container.encode(true, forKey: .done)
        case .entry(nil): try container.encodeNil(forKey: .entry)
        case .entry(let entry?): try container.encode(Entry(entry), forKey: .entry)
        case .entries(let entries): try container.encode(entries.map { $0.map(Entry.init) }, forKey: .entries)
        case .flag(let flag): try container.encode(flag, forKey: .flag)
        case .flags(let flags): try container.encode(flags, forKey: .flags)
        case .number(let number): try container.encode(number, forKey: .number)
        case .keys(let keys): try container.encode(keys.map(HexBytes.init), forKey: .keys)
        case .time(nil): try container.encodeNil(forKey: .time)
        case .time(let time?): try container.encode(time, forKey: .time)
        case .statistics(let counters): try container.encode(counters, forKey: .statistics)
        case .events(let events):
            try container.encode(
                events.map {
                    Event(group: $0.group, key: .init($0.key), value: .init($0.value), cause: $0.cause.rawValue)
                }, forKey: .events)
        case .writes(let writes):
            try container.encode(
                writes.map { Event(key: .init($0.key), value: $0.value.map(HexBytes.init)) }, forKey: .writes)
        case .loaded(let outcome, let calls):
            try container.encode(calls, forKey: .calls)
            try Outcome(outcome).encode(to: encoder)
        case .loadedMany(let outcomes, let asked):
            try container.encode(outcomes.map(Outcome.init), forKey: .outcomes)
            try container.encode(asked.map(HexBytes.init), forKey: .asked)
        case .failure(let error):
            try container.encode(Fault(code: error.code.rawValue, message: error.message), forKey: .error)
        }
    }
}
