import CacheConformance
import CacheCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

// More defects that appear only when several threads use the cache at once.
extension ReferenceCache {
    func performRacingFurther(_ operation: CacheOperation) -> OperationResult? {
        switch (bug, operation) {
        case (.bulkReadDeadlocks, _): return lockingEach(operation)
        case (.touchTears, .touch(let key, _)):
            let place = ReferenceContents.Place(key: key)
            guard let seen = contents.withLock({ $0.find(place) }) else { return .flag(false) }
            usleep(20)
            return contents.withLock { contents in
                contents.entries[place] = seen
                return contents.perform(operation)
            }
        case (.markedSetTears, .setIfMarked(let key, let payload)):
            return ifMarked(key, .put(key, payload))
        case (.markedRemovalTears, .removeIfMarked(let key)): return ifMarked(key, .remove(key))
        case (.writerHearsLate, .put), (.writerHearsLate, .remove): return noting(operation, in: \.written)
        case (.behindSwapsWhenBusy, .put): return noting(operation, in: \.behind)
        case (.renameShowsGap, .rename(let key, let other)) where key != other:
            let place = ReferenceContents.Place(key: key)
            let taken = contents.withLock { contents in
                let found = contents.find(place)
                contents.entries[place] = nil
                return found
            }
            guard let taken else { return .flag(false) }
            usleep(20)
            return contents.withLock { contents in
                contents.entries[place] = taken
                return contents.perform(operation)
            }
        case (.eventsLostWhileAsked, .events):
            let told = contents.withLock { $0.told }
            usleep(20)
            contents.withLock { $0.told = [] }
            return .events(told)
        case (.termsLag, .put(let key, _, _, let terms))
        where terms.timeToLiveNanoseconds != nil || !terms.tags.isEmpty:
            return puttingTermsLate(operation, key)
        case (.clearMissesWriters, .exchange(let key, _)):
            let place = ReferenceContents.Place(key: key)
            let (seen, clears) = contents.withLock { ($0.find(place), $0.slips.clears) }
            usleep(20)
            return contents.withLock { contents in
                if let seen, contents.slips.clears != clears { contents.entries[place] = seen }
                return contents.perform(operation)
            }
        case (.groupMadeTwice, .within(let group, .put)):
            let isNew = contents.withLock { $0.entries.keys.allSatisfy { $0.group != group } }
            guard isNew else { return nil }
            usleep(20)
            return contents.withLock { contents in
                contents.entries = contents.entries.filter { $0.key.group != group }
                return contents.perform(operation)
            }
        case (.expiredToldTwice, .get(let key)):
            guard
                let dead = contents.withLock({ contents in
                    contents.entries[.init(key: key)].flatMap { contents.isOver($0) ? $0 : nil }
                })
            else { return nil }
            usleep(20)
            return contents.withLock { contents in
                let place = ReferenceContents.Place(key: key)
                if contents.entries[place] == nil { contents.tell(place, dead.name, dead.stored.value, .expired) }
                return contents.perform(operation)
            }
        default: return nil
        }
    }

    /// Stores a value, and then what was said of it, of whatever is there by then.
    private func puttingTermsLate(_ operation: CacheOperation, _ key: [UInt8]) -> OperationResult {
        let place = ReferenceContents.Place(key: key)
        let (result, whole) = contents.withLock { contents in
            let result = contents.perform(operation)
            let whole = contents.entries[place]
            contents.entries[place]?.terms.tags = []
            contents.entries[place]?.deadline = nil
            return (result, whole)
        }
        guard let whole else { return result }
        usleep(20)
        contents.withLock { contents in
            contents.entries[place]?.terms.tags = whole.terms.tags
            contents.entries[place]?.deadline = whole.deadline
        }
        return result
    }

    /// Looks whether the version is the marked one, and writes whatever has become of it.
    private func ifMarked(_ key: [UInt8], _ write: CacheOperation) -> OperationResult {
        let place = ReferenceContents.Place(key: key)
        let isSame = contents.withLock { contents in
            contents.find(place).map { contents.marks[place] == $0.version } ?? false
        }
        guard isSame else { return .flag(false) }
        usleep(20)
        _ = atOnce(write)
        return .flag(true)
    }

    /// Tells the writer of a put when others may have told it of later ones.
    private func noting(
        _ operation: CacheOperation, in path: WritableKeyPath<ReferenceContents, [WrittenEntry]>
    ) -> OperationResult {
        let (result, late) = contents.withLock { contents in
            let before = contents[keyPath: path].count
            let result = contents.perform(operation)
            let isNoted = contents[keyPath: path].count > before
            return (result, isNoted ? contents[keyPath: path].removeLast() : nil)
        }
        guard let late else { return result }
        usleep(20)
        contents.withLock { $0[keyPath: path].append(late) }
        return result
    }

    /// Reads of several keys hold one key after the other, in the order in which they were asked for. Two that wait for each
    /// other would wait for ever: they answer what is told of a process that was ended for that.
    private func lockingEach(_ operation: CacheOperation) -> OperationResult? {
        let stuck = OperationResult.failure(StoreError(.hung, "no answer"))
        if races.withLock({ $0.isStuck }) { return stuck }
        guard case .getMany(let keys) = operation else { return nil }
        var mine: Set<[UInt8]> = []
        defer { races.withLock { $0.held.subtract(mine) } }
        for key in keys where !mine.contains(key) {
            var looks = 0
            while !races.withLock({ $0.held.insert(key).inserted }) {
                looks += 1
                if looks > 500 { races.withLock { $0.isStuck = true } }
                if races.withLock({ $0.isStuck }) { return stuck }
                usleep(20)
            }
            mine.insert(key)
            usleep(5)
        }
        return atOnce(operation)
    }
}
