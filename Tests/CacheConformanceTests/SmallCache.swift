import CacheCore

@testable import CacheConformance

/// A queue for so many entries that counts and lists them.
final class SmallCache: CacheInstance, @unchecked Sendable {
    private var entries: [[UInt8]: [UInt8]] = [:]
    private var order: [[UInt8]] = []
    private let limit: Int
    private var isClosed = false

    init(_ limit: Int) { self.limit = limit }

    func perform(_ operation: CacheOperation) -> OperationResult {
        if operation == .close {
            isClosed = true
            return .done
        }
        guard !isClosed else { return .failure(.closed) }
        switch operation {
        case .put(let key, let payload, _, let terms) where terms == .plain:
            guard key.count <= 65_536 else { return .failure(StoreError(.keyRefused, "too long")) }
            if entries.updateValue(payload.bytes(for: key), forKey: key) == nil { order.append(key) }
            if order.count > limit { entries[order.removeFirst()] = nil }
        case .get(let key): return .entry(entries[key].map { StoredEntry($0) })
        case .contains(let key): return .flag(entries[key] != nil)
        case .remove(let key):
            order.removeAll { $0 == key }
            return .flag(entries.removeValue(forKey: key) != nil)
        case .removeAll: (entries, order) = ([:], [])
        case .count: return .number(entries.count)
        case .keys: return .keys(order)
        case .flush, .maintain: break
        default: return .failure(.unsupported(operation))
        }
        return .done
    }
}

/// A cache that a test writes down in place: each instance answers as `opened` has it.
struct ScriptedSubject: CacheSubject {
    typealias Answers = @Sendable (CacheOperation) -> OperationResult

    private final class Instance: CacheInstance {
        private let answers: Answers
        init(_ answers: @escaping Answers) { self.answers = answers }
        func perform(_ operation: CacheOperation) -> OperationResult { answers(operation) }
    }

    let name = "scripted"
    var made = Claims()
    let opened: @Sendable () -> Answers

    func claims() -> Claims { made }
    func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance { Instance(opened()) }
}
