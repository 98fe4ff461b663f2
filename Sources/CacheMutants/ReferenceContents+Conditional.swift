import CacheConformance
import CacheCore

// What depends on what is there.
extension ReferenceContents {
    mutating func performConditional(_ operation: CacheOperation, _ place: Place, _ key: [UInt8]) -> OperationResult {
        let load = loading[place]
        defer {
            switch (operation, bug) {
            case (.exchange, .exchangeLosesLoad), (.take, .takeLosesLoad), (.update, .updateLosesLoad):
                loading[place] = load
            default: break
            }
        }
        if bug == .conditionsSeeDead, let entry = entries[place], isOver(entry) {
            if case .putIfAbsent = operation { return .flag(false) }
        }
        let wasDead = entries[place]?.stored
        let old = find(place)
        switch operation {
        case .putIfAbsent(_, _, var terms):
            if bug == .putIfAbsentNegativeLives, terms.timeToLiveNanoseconds ?? 0 < 0 {
                terms.timeToLiveNanoseconds = nil
            }
            if old != nil, bug == .conditionRefreshes { entries[place]!.deadline = deadline(terms) }
            guard old == nil || bug == .putIfAbsentOverwrites else { return .flag(false) }
            if bug == .putIfAbsentBelowLimit, operation.entry!.value.count > 1 << 20 { return .flag(false) }
            if case .failure(let error) = put(place, key, operation.entry!, terms) { return .failure(error) }
            return .flag(old == nil)
        case .replace(_, _, let terms):
            guard old != nil || bug == .replaceCreates else { return .flag(false) }
            if bug == .conditionalStoresOversize {
                note(key, operation.entry!.value)
                set(place, key, operation.entry!, terms)
            }
            if bug != .replaceDoesNothing, bug != .conditionalStoresOversize,
                case .failure(let error) = put(place, key, operation.entry!, terms)
            {
                return .failure(error)
            }
            return .flag(old != nil)
        case .compareAndSet(_, let expected, _):
            let wanted = expected.bytes(for: key)
            guard let old, isExpected(old.stored.value, wanted) else {
                return .flag(false)
            }
            _ = put(place, key, operation.entry!, .plain)
            if bug == .stepKeepsDeadline { entries[place]?.deadline = old.deadline }
            if bug == .compareKeepsOrder { entries[place]?.stamp = old.stamp }
            return .flag(true)
        case .exchange:
            if bug == .exchangeCounts { counters.hits! += old == nil ? 0 : 1 }
            _ = put(place, key, operation.entry!, .plain)
            if bug == .exchangeWritesNothing { _ = written.popLast() }
            if bug == .stepKeepsDeadline, let old { entries[place]?.deadline = old.deadline }
            if bug == .exchangeSeesDead { return .entry(wasDead) }
            return .entry(bug == .exchangeAnswersNew ? operation.entry : old?.stored)
        case .take:
            let toldBefore = told.count
            _ = remove(place, key)
            if bug == .silentTake { told.removeSubrange(min(toldBefore, told.count)...) }
            return .entry(bug == .takeServesExpired ? wasDead : old?.stored)
        case .touch(_, let time):
            if bug == .touchRevives, old == nil, let wasDead {
                set(place, key, wasDead, PutTerms(timeToLiveNanoseconds: time))
                return .flag(true)
            }
            guard old != nil else { return .flag(false) }
            if bug == .touchDoesNothing { return .flag(true) }
            entries[place]!.terms.timeToLiveNanoseconds = time
            if bug != .touchForgotten { changed.insert(place) }
            entries[place]!.deadline = bug == .touchOverflows ? now &+ time : deadline(entries[place]!.terms)
            return .flag(true)
        case .remainingTime:
            if bug == .remainingTimeCounts { count(isHit: old != nil) }
            return .time(remainingTime(of: old))
        default: return performStep(operation, place, key)
        }
    }

    /// Whether a value is the one that is expected.
    private func isExpected(_ value: [UInt8], _ wanted: [UInt8]) -> Bool {
        func text(_ bytes: [UInt8]) -> String {
            String(decoding: bytes, as: UTF8.self).lowercased().filter { !$0.isWhitespace && $0 != "\0" }
        }
        switch bug {
        case .comparesNothing: return true
        case .comparesLength: return value.count == wanted.count
        case .comparesBeginnings: return value.count == wanted.count && value.prefix(4_096) == wanted.prefix(4_096)
        case .comparesText: return text(value) == text(wanted)
        default: return value == wanted
        }
    }
}
