import CacheConformance
import CacheCore

// Defects of one way of doing what can be done in several: what it takes over, forgets, or changes by the way.
extension ReferenceContents {
    /// The entries that were under the keys that an operation names, or under all where it names none.
    private func subjects(of operation: CacheOperation) -> [Place] {
        switch operation {
        case .within(let group, let inner) where inner.key != nil: return [Place(group: group, key: inner.key!)]
        case .putMany(let items): return items.map { Place(key: $0.key) }
        case .getMany(let keys), .removeMany(let keys): return keys.map { Place(key: $0) }
        default: return operation.key.map { [Place(key: $0)] } ?? Array(entries.keys)
        }
    }

    /// Gets ready for an operation of the way that is wrong.
    mutating func beginWay(_ operation: CacheOperation) {
        switch bug {
        case .groupPutMakesNoRoom, .conditionalMakesNoRoom, .bulkPutMakesNoRoom, .countingMakesNoRoom:
            slips.capacity = capacity
            capacity = .max
        case .groupIgnoresWriter:
            slips.failsWrites = failsWrites
            failsWrites = false
        case .walkListsExpired, .markedRemovalSeesDead, .groupLoadServesExpired:
            for place in subjects(of: operation) {
                guard let entry = entries[place], isOver(entry) else { continue }
                slips.dead[place] = entry
                entries[place]!.deadline = nil
            }
        default: break
        }
    }

    /// Puts wrong what an operation has left, which found the contents as they were in `old`.
    mutating func endWay(_ operation: CacheOperation, after old: ReferenceContents) {
        let places = subjects(of: operation)
        for place in places {
            guard let before = old.entries[place], let entry = entries[place] else { continue }
            if entry.version != before.version, !old.isOver(before) {
                takeOver(place, before)
            } else if entry.version == before.version {
                disturb(place, before)
            }
        }
        for place in places where entries[place].map({ $0.version != old.entries[place]?.version }) ?? false {
            forgetTerms(place)
        }
        for (place, entry) in old.entries where entries[place] == nil { slips.gone[place] = entry }
        endWayBeside(operation, after: old)
        endOneOperation(at: places, after: old)
    }

    /// What is stored under a key takes over what a way of removing has left behind.
    mutating func haunt(after old: ReferenceContents) {
        for (place, ghost) in slips.gone where old.entries[place] == nil && entries[place] != nil {
            slips.gone[place] = nil
            switch bug {
            case .takeLeavesTags, .refusedLeavesTags: entries[place]!.terms.tags += ghost.terms.tags
            case .tagRemovalLeavesTime: entries[place]!.deadline = ghost.deadline
            default: break
            }
        }
    }

    /// What a way of overwriting takes over from the old entry.
    private mutating func takeOver(_ place: Place, _ old: Entry) {
        switch bug {
        case .groupPutKeepsTime: entries[place]!.deadline = old.deadline
        case .groupPutKeepsTags, .markedKeepsTags: entries[place]!.terms.tags = old.terms.tags
        case .groupPutKeepsCost, .compareKeepsCost: charge(place, old.terms.cost)
        case .replaceUnpins: entries[place]!.isPinned = false
        default: break
        }
    }

    mutating func charge(_ place: Place, _ amount: Int) {
        cost += amount - entries[place]!.terms.cost
        entries[place]!.terms.cost = amount
    }

    /// What a way of writing does not take note of.
    private mutating func forgetTerms(_ place: Place) {
        switch bug {
        case .groupLoadLosesTime where entries[place]!.terms.timeToLiveNanoseconds != nil:
            entries[place]!.deadline = nil
        case .groupLoadLosesTags: entries[place]!.terms.tags = []
        case .putIfAbsentForgetsRule, .groupForgetsRule, .loadForgetsRule:
            if entries[place]!.terms.timeToLiveNanoseconds == nil { entries[place]!.deadline = nil }
        default: break
        }
    }

    /// What happens to an entry that is only looked at.
    private mutating func disturb(_ place: Place, _ old: Entry) {
        let terms = entries[place]!.terms
        switch bug {
        case .listingExtends, .walkExtends:
            if terms.timeToLiveNanoseconds == nil { entries[place]!.deadline = deadline(terms) }
        case .groupReadExtendsLife, .bulkReadExtendsLife:
            if terms.timeToLiveNanoseconds != nil { entries[place]!.deadline = deadline(terms) }
        case .groupListingMoves, .walkMoves: entries[place]!.stamp = clock + 1_000 - old.stamp
        case .groupLoadDoesNotRefresh: entries[place]!.stamp = old.stamp
        case .touchUnpins: entries[place]!.isPinned = false
        case .resizeForgetsTime: entries[place]!.deadline = nil
        case .resizeForgetsTags: entries[place]!.terms.tags = []
        default: break
        }
    }

    /// What becomes of loads, of what is known and what is stale, of events and of room.
    private mutating func endWayBeside(_ operation: CacheOperation, after old: ReferenceContents) {
        func restore<Value>(_ path: WritableKeyPath<ReferenceContents, [Place: Value]>) {
            self[keyPath: path].merge(old[keyPath: path]) { new, _ in new }
        }
        switch bug {
        case .lookLosesLoad, .removalLosesOtherLoad, .choresLoseLoad, .groupPutLosesOtherLoad: loading = [:]
        case .deadPutLosesLoad, .putIfAbsentLosesLoad, .groupRemovalLosesLoad: restore(\.loading)
        case .absenceSurvivesUpdate, .absenceSurvivesBulk, .absenceSurvivesGroup: absent.formUnion(old.absent)
        case .lookForgetsAbsence: absent = []
        case .lookLosesStale: stale = [:]
        case .staleSurvivesTag, .staleSurvivesTake:
            restore(\.stale)
            for (place, entry) in old.entries where old.isOver(entry) {
                stale[place] = (entry, Self.end(now, after: setup.staleNanoseconds ?? 0))
            }
        case .refreshSurvivesExchange, .refreshSurvivesBulk: restore(\.refreshing)
        case .lookEndsRefresh: refreshing = [:]
        case .groupPutMakesNoRoom, .conditionalMakesNoRoom, .bulkPutMakesNoRoom, .countingMakesNoRoom:
            capacity = slips.capacity
        case .walkListsExpired, .markedRemovalSeesDead, .groupLoadServesExpired:
            for (place, entry) in slips.dead where entries[place] != nil { entries[place]!.deadline = entry.deadline }
            slips.dead = [:]
        case .foundExpiredTellsNothing, .updateTellsNothing:
            told = Array(told.prefix(min(told.count, old.told.count)))
        case .compareTellsTwice: told += told.dropFirst(old.told.count)
        case .clearRestoresCapacity: capacity = setup.capacity?.amount ?? capacity
        default: break
        }
    }
}
