import CacheCore

/// What a backend with given claims may answer: a dictionary in which some entries are certain and others may be gone.
///
/// An entry is certain while the backend claims to retain and nothing happened that its durability does not cover. An
/// entry that is not certain may be answered as absent, and stays absent from then on; an entry that was never put,
/// was removed or was replaced may never be answered.
struct StorageModel {
    private struct State {
        var entry: StoredEntry
        var isCertain: Bool
    }

    private let claims: StorageClaims
    private var entries: [[UInt8]: State] = [:]
    private var isOpen = true

    init(claims: StorageClaims) { self.claims = claims }

    /// Takes an operation and its answer in; returns what was permitted if the answer was not.
    ///
    /// `entry` is the entry that a put stores.
    mutating func judge(_ operation: Operation, entry: StoredEntry?, _ result: OperationResult) -> String? {
        if !isOpen, !operation.isLifeCycle { return judgeClosed(operation, result) }
        switch operation {
        case .put(let key, _, _): return judgePut(key, entry!, result)
        case .get(let key): return judgeGet(key, result)
        case .contains(let key): return judgeFlag(key, result, removes: false)
        case .remove(let key): return judgeFlag(key, result, removes: true)
        case .count: return judgeCount(result)
        case .keys: return judgeKeys(result)
        case .removeAll: entries = [:]
        case .flush: break
        case .close: isOpen = false
        case .reopen, .relocate: reopen(lasting: claims.durability >= .exit)
        case .abandon: reopen(lasting: claims.durability >= .kill)
        }
        return result == .done ? nil : "no error"
    }

    private func judgeClosed(_ operation: Operation, _ result: OperationResult) -> String? {
        // The protocol's default `flush` has nothing to look at and so cannot know that the store is closed.
        if operation == .flush, result == .done { return nil }
        if case .failure(let error) = result, error.code == .closed { return nil }
        return "the error 'closed', as the store is closed"
    }

    private mutating func reopen(lasting: Bool) {
        isOpen = true
        guard !lasting else { return }
        for key in entries.keys { entries[key]!.isCertain = false }
    }

    private func isRefused(_ key: [UInt8]) -> Bool {
        key.count > claims.keyBytesMax || (key.isEmpty && !claims.allowsEmptyKey)
    }

    private mutating func judgePut(_ key: [UInt8], _ entry: StoredEntry, _ result: OperationResult) -> String? {
        if isRefused(key) {
            if case .failure(let error) = result, error.code == .keyRefused { return nil }
            return "the error 'keyRefused', as the claims allow keys of "
                + "\(claims.allowsEmptyKey ? 0 : 1) to \(claims.keyBytesMax) bytes"
        }
        if entry.value.count > claims.valueBytesMax {
            entries[key] = nil
            if case .failure(let error) = result, error.code == .valueRefused { return nil }
            return "the error 'valueRefused', as the claims allow values of at most \(claims.valueBytesMax) bytes"
        }
        entries[key] = State(entry: entry, isCertain: claims.retains)
        return result == .done ? nil : "no error"
    }

    private mutating func judgeGet(_ key: [UInt8], _ result: OperationResult) -> String? {
        if isRefused(key), case .failure(let error) = result, error.code == .keyRefused { return nil }
        let state = entries[key]
        let permitted =
            state.map { ValueText.describe($0.entry, under: key) + ($0.isCertain ? "" : ", or nil") } ?? "nil"
        guard case .entry(let found) = result else { return permitted }
        guard let found else {
            if state?.isCertain == true { return permitted }
            entries[key] = nil
            return nil
        }
        return found == state?.entry ? nil : permitted
    }

    private mutating func judgeFlag(_ key: [UInt8], _ result: OperationResult, removes: Bool) -> String? {
        if isRefused(key), case .failure(let error) = result, error.code == .keyRefused { return nil }
        let state = entries[key]
        let permitted = state.map { $0.isCertain ? "true" : "true or false" } ?? "false"
        guard case .flag(let found) = result else { return permitted }
        if removes || !found { entries[key] = nil }
        return (found ? state != nil : state?.isCertain != true) ? nil : permitted
    }

    private var certainCount: Int { entries.values.reduce(0) { $0 + ($1.isCertain ? 1 : 0) } }

    /// Whether the store says that it cannot do what it does not claim.
    private func refusesToIterate(_ result: OperationResult) -> Bool {
        guard !claims.iterates, case .failure(let error) = result else { return false }
        return error.code == .unsupported
    }

    private func judgeCount(_ result: OperationResult) -> String? {
        let range = certainCount...entries.count
        let permitted = range.count == 1 ? "\(entries.count)" : "\(range.lowerBound) to \(range.upperBound)"
        if refusesToIterate(result) { return nil }
        guard case .number(let count) = result else { return permitted }
        return !claims.iterates || range.contains(count) ? nil : permitted
    }

    private func judgeKeys(_ result: OperationResult) -> String? {
        if refusesToIterate(result) { return nil }
        guard case .keys(let keys) = result else { return "no error" }
        guard claims.iterates else { return nil }
        let listed = Set(keys)
        if listed.count < keys.count { return "each key once" }
        if let extra = keys.first(where: { entries[$0] == nil }) { return "no key \(KeyText.describe(extra))" }
        let lost = entries.filter { $0.value.isCertain && !listed.contains($0.key) }.keys
        // The least, as the order of a dictionary differs from run to run and reports must not.
        if let least = lost.min(by: { $0.lexicographicallyPrecedes($1) }) {
            return "the key \(KeyText.describe(least)) too"
        }
        return nil
    }
}
