import CacheConformance
import CacheCore

// Defects of what looks, holds, touches or counts, and of conditions that do not hold: what these move, extend or lose.
extension ReferenceContents {
    /// Puts wrong what such an operation has left of a live entry.
    mutating func endLook(at place: Place, _ before: Entry) {
        guard let entry = entries[place] else { return }
        let isSame = entry.version == before.version
        let hasOwnTime = entry.terms.timeToLiveNanoseconds != nil
        switch bug {
        case .touchLosesTags, .countingLosesTags: entries[place]!.terms.tags = []
        case .countingForgetsOwnLife where timeToIdle != nil:
            entries[place]!.terms.timeToLiveNanoseconds = nil
            entries[place]!.deadline = deadline(.plain)
        case .markExtends where !hasOwnTime, .failedCompareExtends where isSame && !hasOwnTime,
            .pinExtendsLife where hasOwnTime:
            entries[place]!.deadline = deadline(entry.terms)
        case .markMoves:
            clock += 1
            entries[place]!.stamp = clock
        case .compareKeepsMoment where !isSame:
            entries[place]!.stored.expiresAtNanoseconds = before.stored.expiresAtNanoseconds
        case .refusedCountChangesVersion where isSame:
            writes += 1
            entries[place]!.version = writes
        default: break
        }
    }

    /// Keeps back, with a defect, what an end is to be told or counted as.
    mutating func hush(_ entry: Entry, _ toldBefore: Int, _ expirations: Int) {
        switch bug {
        case .idleEndUntold where entry.terms.timeToLiveNanoseconds == nil:
            told.removeSubrange(min(toldBefore, told.count)...)
        case .staleEndUncounted where setup.staleNanoseconds != nil, .pinnedExpiryUncounted where entry.isPinned:
            counters.expirations = expirations
        default: break
        }
    }
}
