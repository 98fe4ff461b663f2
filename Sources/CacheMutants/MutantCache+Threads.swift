import CacheConformance
import CacheCore
import CacheReference
import Dispatch
import Foundation
import Synchronization

// Defects that only several threads can see: what should be one step is several, and between them another thread is waited for.
extension MutantCache {
    private static var thread: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    /// Looks, waits for another thread, and writes whatever has become of what was seen. Nil where there is nothing to tear.
    func torn(_ operation: CacheOperation) -> OperationResult? {
        let (inner, group) = operation.inner
        let key = inner.key ?? []
        let id = EntryID(group: group, key: key)
        let seen = contents.withLock { contents in (all: contents, entry: contents.live(id)) }
        guard facts(operation, seen.all, nil, nil) else { return nil }
        /// Writes when the other thread has been met, and answers.
        func answer(_ result: OperationResult, after write: CacheOperation) -> OperationResult {
            rendezvous.wait()
            if case .failure(let error) = atOnce(write) { return .failure(error) }
            return result
        }
        switch inner {
        case .putIfAbsent(_, let payload, let terms):
            return seen.entry == nil ? answer(.flag(true), after: .put(key, payload, terms: terms)) : .flag(false)
        case .replace(_, let payload, let terms):
            return seen.entry == nil ? .flag(false) : answer(.flag(true), after: .put(key, payload, terms: terms))
        case .compareAndSet(_, let expected, let payload):
            let isSame = seen.entry?.stored.value == expected.bytes(for: key)
            return isSame ? answer(.flag(true), after: .put(key, payload)) : .flag(false)
        case .setIfMarked(_, let payload):
            let isSame = seen.entry.map { seen.all.marks[id] == $0.version } ?? false
            return isSame ? answer(.flag(true), after: .put(key, payload)) : .flag(false)
        case .remove: return seen.entry == nil ? .flag(false) : answer(.flag(true), after: operation)
        case .exchange(_, let payload): return answer(.entry(seen.entry?.stored), after: .put(key, payload))
        case .update(_, let change):
            guard let new = change.result(for: key, old: seen.entry?.stored.value) else { return nil }
            return answer(.entry(StoredEntry(new)), after: .put(key, .bytes(new)))
        case .removeMany(let keys):
            let count = Set(keys).count { seen.all.live(EntryID(key: $0)) != nil }
            rendezvous.wait()
            for key in keys { _ = atOnce(.remove(key)) }
            return .number(count)
        // What has expired is removed by who finds it, even if it is not that any more.
        case .get where mutation.conditions.contains(.dead), .contains where mutation.conditions.contains(.dead):
            _ = answer(.done, after: .remove(key))
            return if case .get = inner { .entry(nil) } else { .flag(false) }
        // What was read below is put above, even if it is old by then.
        case .get where mutation.conditions.contains(.lower):
            rendezvous.wait()
            let result = atOnce(operation)
            contents.withLock { $0.entries[id] = seen.entry }
            return result
        case .get: return joined(operation, key)
        case .getMany(let keys):
            return .entries(
                keys.map { key in
                    rendezvous.wait()
                    guard case .entry(let found) = atOnce(.get(key)) else { return nil }
                    return found
                })
        case .keys:
            guard case .keys(let first) = atOnce(.keys) else { return nil }
            rendezvous.wait()
            guard case .keys(let second) = atOnce(.keys) else { return nil }
            return .keys(Array(first.prefix(first.count / 2)) + Array(second.dropFirst(first.count / 2)))
        case .put(_, let payload, _, _) where payload.byteCount > 1_000:
            let bytes = payload.bytes(for: key)
            _ = atOnce(.put(key, .bytes(Array(bytes.prefix(bytes.count / 2)))))
            rendezvous.wait()
            return atOnce(operation)
        // An update of what was there comes back after that has left, and nothing knows of it.
        case .put where seen.entry != nil && mutation.argument == "revives":
            rendezvous.wait()
            return contents.withLock { contents in
                // Nothing counts what has come back, so that there is room for one more.
                if contents.entries[id] == nil, contents.capacity < 1 << 40 { contents.capacity += 1 }
                return contents.perform(operation)
            }
        default: return nil
        }
    }

    /// Answers with what another read of the key found that has not returned yet.
    private func joined(_ operation: CacheOperation, _ key: [UInt8]) -> OperationResult {
        if let other = memory.withLock({ $0.answers[operation] }) { return other }
        let found = atOnce(operation)
        memory.withLock { $0.answers[operation] = found }
        rendezvous.wait()
        memory.withLock { $0.answers[operation] = nil }
        return found
    }

    /// Loads beside a load of the same key, or after the load of any other one.
    func loaded(_ operation: CacheOperation) -> OperationResult {
        guard let key = operation.key, case .load(_, let origin) = operation.inner.operation else {
            return sound(operation)
        }
        if mutation.argument == "alone" {
            let isFree = oneAtATime.wait(timeout: .now() + 20) == .success
            defer { if isFree { oneAtATime.signal() } }
            return isFree ? sound(operation) : .failure(StoreError(.hung, "no answer"))
        }
        let id = EntryID(group: operation.inner.group, key: key)
        let state = contents.withLock { (live: $0.live(id), all: $0) }
        guard facts(operation, state.all, nil, nil), !state.all.absent.contains(id) else { return sound(operation) }
        if state.live != nil, mutation.argument != "always" { return sound(operation) }
        // Whoever is late finds the load that was registered before.
        if mutation.argument == "late" {
            let isKnown = memory.withLock { $0.seen.contains(id) }
            rendezvous.wait()
            if isKnown { return sound(operation) }
        }
        memory.withLock { _ = $0.seen.insert(id) }
        defer { memory.withLock { _ = $0.seen.remove(id) } }
        contents.withLock { $0.counters.misses! += 1 }
        let value: [UInt8]?
        do { value = try origin.fetch(key, for: self) } catch {
            contents.withLock { $0.counters.loadFailures! += 1 }
            return .loaded(.failed, calls: 1)
        }
        contents.withLock { contents in
            contents.counters.loads! += 1
            if let value { contents.set(id, StoredEntry(value), origin.terms, isLoaded: true) }
        }
        return .loaded(value.map { LoadOutcome.value(StoredEntry($0)) } ?? .nothing, calls: 1)
    }

    /// Does the puts of other threads again, late: when one of the operations comes that the defect names.
    func queued(_ operation: CacheOperation, _ isDue: Bool) -> OperationResult {
        let result = sound(operation)
        let me = Self.thread
        let late = memory.withLock { memory -> [CacheOperation] in
            if case .put = operation { memory.queue.append((me, operation)) }
            if memory.queue.count > 64 { memory.queue.removeFirst() }
            guard isDue else { return [] }
            defer { memory.queue.removeAll { $0.thread != me } }
            return memory.queue.filter { $0.thread != me }.map(\.operation)
        }
        if !late.isEmpty { rendezvous.wait() }
        for put in late { _ = sound(put) }
        return result
    }

    /// The limits of groups of all caches, for a defect that has them once for the process.
    private static let limits = Mutex<[String: Int]>([:])

    /// Knows something of one thread that it must know of all, or of all caches that it must know of one.
    func shared(_ operation: CacheOperation) -> OperationResult {
        switch (mutation.argument, operation) {
        case ("limits", .limitGroup(let name, let amount)): Self.limits.withLock { $0[name] = amount }
        case ("limits", _): contents.withLock { $0.groupLimits = Self.limits.withLock { $0 } }
        case ("close", .close):
            memory.withLock { $0.closer = Self.thread }
            return .done
        case ("close", _):
            if let closer = memory.withLock({ $0.closer }) {
                if closer == Self.thread { return .failure(.closed) }
                if case .put = operation { return .failure(.closed) }
            }
        // The memory of a value that the caller may have reused since.
        case ("bytes", .put(let key, let payload, _, _)) where payload.byteCount == 64:
            let address = operation.entry!.value.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            memory.withLock { $0.addresses[key] = address }
            defer {
                contents.withLock { contents in
                    contents.entries[EntryID(key: key)]?.stored = StoredEntry([])
                    // The writer's copy would keep the memory.
                    contents.written = []
                }
            }
            return sound(operation)
        case ("bytes", .get(let key)):
            guard let address = memory.withLock({ $0.addresses[key] }) else { return sound(operation) }
            _ = sound(operation)
            let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: 64)
            return .entry(StoredEntry([UInt8](bytes)))
        // The timer of an entry is freed by who removes it, and by who finds it removed.
        case ("timer", .remove(let key)), ("timer", .take(let key)):
            let isMortal = contents.withLock { $0.live(EntryID(key: key))?.deadline != nil }
            guard isMortal else { return sound(operation) }
            rendezvous.wait()
            if atOnce(.contains(key)) == .flag(false) {
                return .failure(StoreError(.corrupt, "the timer of the entry was freed twice"))
            }
        default: break
        }
        return sound(operation)
    }
}
