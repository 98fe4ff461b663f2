internal import CacheConformance
internal import CacheCore
internal import CacheEngine
internal import CacheSystems
internal import Dispatch
internal import Foundation
internal import Synchronization

/// An open CallCache of texts.
final class FixedCallTexts: CallCacheInstance {
    private let cache: CallCache
    private let clock: VirtualClock
    private let directory: String
    private let store: SharedStore

    init(_ cache: CallCache, _ clock: VirtualClock, _ directory: String, _ store: SharedStore) {
        self.cache = cache
        self.clock = clock
        self.directory = directory
        self.store = store
    }

    private func function(
        _ name: String, _ origin: @escaping @Sendable () throws -> String? = { nil }
    ) -> CachedFunction<CallValue?, CheckedText> {
        cache.function(name) { (_: CallValue?) async throws -> CheckedText in
            // Checked origins block, which tasks' threads must not.
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result { CheckedText(text: try origin()) }) }
            }
        }
    }

    func call(_ call: CheckedCall, origin: @escaping @Sendable () throws -> String?) throws -> CallTrail {
        guard let policy = FetchPolicy(rawValue: call.policy) else {
            throw AssayError(.usage, "There is no policy '\(call.policy)'. Take one of FetchPolicy.")
        }
        var rules = CallRules()
        if let named = call.fallsBackOn {
            rules.fallsBack = { ($0 as? CallTrouble).map { named.contains($0.text) } ?? false }
        }
        if let age = call.maxAgeNanoseconds { rules.maxAge = .less(.nanoseconds(age)) }
        let answers = function(call.function, origin).answers(to: call.parameters, policy, rules: rules)
        let listener = CallListener()
        let ended = DispatchSemaphore(value: 0)
        Task {
            do {
                for try await answer in answers { listener.hear(Self.reply(answer)) }
            } catch { listener.hear(error) }
            ended.signal()
        }
        ended.wait()
        return try listener.end()
    }

    private static func reply(_ answer: CallAnswer<CheckedText>) -> CallReply {
        let error = answer.originError.map { ($0 as? CallTrouble)?.text ?? "\($0)" }
        return answer.isCached ? .cached(answer.value.text, originError: error) : .fresh(answer.value.text)
    }

    func isCached(_ call: CheckedCall) throws -> Bool { try function(call.function).isCached(call.parameters) }
    func remove(_ call: CheckedCall) throws { try function(call.function).remove(call.parameters) }
    func removeAll() throws { try cache.removeAll() }
    func setMaxAge(nanoseconds: Int64) throws { try cache.setMaxAge(.nanoseconds(nanoseconds)) }
    func advance(nanoseconds: Int64) { clock.advance(nanoseconds: nanoseconds) }
    /// It has no timer.
    var sweeps: Int { 0 }

    /// The values alone; the limit counts keys too.
    func storedBytes() throws -> Int {
        try store.storage.keys().reduce(0) { try $0 + (store.storage.get($1)?.value.count ?? 0) }
    }

    func damage() throws {
        cache.dropMemory()
        try DiskFiles.damage(under: directory)
    }

    func close() throws {
        try cache.close()
        try store.leave()
    }
}

/// What one who calls is told, and on which thread.
private final class CallListener: Sendable {
    private let caller = ObjectIdentifier(Thread.current)
    private let state = Mutex<(trail: CallTrail, trouble: (any Error)?)>((CallTrail(), nil))

    func hear(_ reply: CallReply) {
        let isReentrant = ObjectIdentifier(Thread.current) == caller
        state.withLock { state in
            state.trail.replies.append(reply)
            if isReentrant { state.trail.isReentrant = true }
        }
    }

    func hear(_ error: any Error) {
        switch error {
        case let error as CallTrouble: hear(.failed(error.text))
        case is CallError: hear(.missing)
        default: state.withLock { $0.trouble = error }
        }
    }

    func end() throws -> CallTrail {
        let (trail, trouble) = state.withLock { $0 }
        if let trouble { throw trouble }
        return trail
    }
}

/// A text or nil, of which one cannot be encoded.
struct CheckedText: Codable, Sendable {
    var text: String?

    init(text: String?) { self.text = text }
    init(from decoder: any Decoder) throws { text = try String?(from: decoder) }

    func encode(to encoder: any Encoder) throws {
        if text == "unencodable" { throw StoreError(.valueRefused, "it cannot be encoded, as it was asked to") }
        try text.encode(to: encoder)
    }
}

extension CallValue: Encodable {
    /// As the value itself, a record as a dictionary.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .nothing: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .integer(let number): try container.encode(number)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let values): try container.encode(values)
        case .record(let members):
            try container.encode(Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
        }
    }
}
