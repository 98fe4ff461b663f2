import CacheConformance
import Synchronization

extension Mutant {
    /// Whether the defect is one of a single way of doing something, and an operation is of that way.
    func concerns(_ operation: CacheOperation, valueBytesMax: Int = 1 << 20 + 1) -> Bool {
        switch (self, operation) {
        case (.groupPutKeepsTime, .within(_, .put)), (.groupPutKeepsTags, .within(_, .put)),
            (.groupPutKeepsCost, .within(_, .put)), (.groupPutMakesNoRoom, .within(_, .put)),
            (.groupForgetsRule, .within(_, .put)), (.groupPutLosesOtherLoad, .within(_, .put)),
            (.groupLoadLosesTime, .within(_, .load)),
            (.groupLoadLosesTags, .within(_, .load)), (.groupLoadServesExpired, .within(_, .load)),
            (.groupLoadDoesNotRefresh, .within(_, .load)), (.groupListingMoves, .within(_, .keys)),
            (.groupReadExtendsLife, .within(_, .get)), (.groupRemovalLosesLoad, .within(_, .remove)),
            (.absenceSurvivesGroup, .within(_, .removeAll)), (.markedKeepsTags, .setIfMarked),
            (.compareKeepsCost, .compareAndSet), (.compareTellsTwice, .compareAndSet), (.takeLeavesTags, .take),
            (.tagRemovalLeavesTime, .removeTagged), (.staleSurvivesTag, .removeTagged), (.staleSurvivesTake, .take),
            (.putIfAbsentForgetsRule, .putIfAbsent), (.putIfAbsentLosesLoad, .putIfAbsent), (.loadForgetsRule, .load),
            (.listingExtends, .keys), (.walkExtends, .firstKeys), (.walkMoves, .firstKeys),
            (.walkListsExpired, .firstKeys), (.replaceUnpins, .replace), (.touchUnpins, .touch),
            (.lookLosesLoad, .contains), (.lookForgetsAbsence, .contains), (.lookLosesStale, .contains),
            (.lookEndsRefresh, .contains), (.removalLosesOtherLoad, .remove), (.choresLoseLoad, .maintain),
            (.absenceSurvivesUpdate, .update), (.absenceSurvivesBulk, .removeMany),
            (.refreshSurvivesExchange, .exchange), (.refreshSurvivesBulk, .putMany),
            (.markedRemovalSeesDead, .removeIfMarked), (.foundExpiredTellsNothing, .contains),
            (.updateTellsNothing, .update), (.bulkReadExtendsLife, .getMany), (.resizeForgetsTime, .resize),
            (.resizeForgetsTags, .resize), (.clearRestoresCapacity, .removeAll):
            true
        case (.deadPutLosesLoad, .put(_, _, _, let terms)): terms.timeToLiveNanoseconds ?? 1 <= 0
        case (.refusedLeavesTags, .put(_, let payload, _, _)): payload.byteCount > valueBytesMax
        default: Self.ofOneOperation[self]?(operation) ?? false
        }
    }

    /// Whether there are ways that the defect is about.
    var isOfAWay: Bool { Self.ofAWay.contains(self) || Self.ofOneOperation[self] != nil }

    private static let ofAWay: Set<Mutant> = [
        .groupPutKeepsTime, .groupPutKeepsTags, .groupPutKeepsCost, .groupPutMakesNoRoom, .groupForgetsRule,
        .groupLoadLosesTime, .groupLoadLosesTags, .groupLoadServesExpired, .groupLoadDoesNotRefresh,
        .groupListingMoves, .groupReadExtendsLife, .groupRemovalLosesLoad, .absenceSurvivesGroup, .markedKeepsTags,
        .compareKeepsCost, .compareTellsTwice, .takeLeavesTags, .tagRemovalLeavesTime, .staleSurvivesTag,
        .staleSurvivesTake, .putIfAbsentForgetsRule, .putIfAbsentLosesLoad, .loadForgetsRule, .listingExtends,
        .walkExtends, .walkMoves, .walkListsExpired, .replaceUnpins, .touchUnpins, .lookLosesLoad,
        .lookForgetsAbsence, .lookLosesStale, .lookEndsRefresh, .removalLosesOtherLoad, .choresLoseLoad,
        .absenceSurvivesUpdate, .absenceSurvivesBulk, .refreshSurvivesExchange, .refreshSurvivesBulk,
        .markedRemovalSeesDead, .foundExpiredTellsNothing, .updateTellsNothing, .bulkReadExtendsLife,
        .resizeForgetsTime, .resizeForgetsTags, .clearRestoresCapacity, .deadPutLosesLoad, .refusedLeavesTags,
        .groupPutLosesOtherLoad,
    ]
}

extension Mutant {
    /// Whether an operation is the one that a defect is about.
    fileprivate static let ofOneOperation: [Mutant: @Sendable (CacheOperation) -> Bool] = [
        .conditionalMakesNoRoom: { $0.word == .putIfAbsent }, .bulkPutMakesNoRoom: { $0.word == .putMany },
        .countingMakesNoRoom: { $0.word == .increment }, .exchangeEvictionKeepsCost: { $0.word == .exchange },
        .overwriteKeepsAge: { $0.word == .put }, .countingLosesLoad: { $0.word == .increment },
        .refreshSurvivesCounting: { $0.word == .increment }, .refreshSurvivesRename: { $0.word == .rename },
        .countingUnpins: { $0.word == .increment }, .staleSurvivesNewer: { $0.word == .put },
        .evictedIsStale: { $0.word == .put }, .walkCounts: { $0.word == .firstKeys },
        .unpinCounts: { $0.word == .unpin }, .groupListingCounts: { $0.word == .groupKeys },
        .incrementCounts: { $0.word == .increment }, .groupLoadUncounted: { $0.word == .groupLoad },
        .groupWritesNothing: { $0.word == .groupPut }, .groupIgnoresWriter: { $0.word == .groupPut },
        .flushTellsNothing: { $0 == .flush }, .countingTellsNothing: { $0.word == .increment },
        .shrinkForgetsGroup: { $0.word == .resize }, .clearBringsListener: { $0 == .removeAll },
        .costsOf48Bits: { $0.word == .put }, .touchLosesTags: { $0.word == .touch },
        .countingLosesTags: { $0.word == .increment }, .countingForgetsOwnLife: { $0.word == .increment },
        .markExtends: { $0.word == .mark }, .failedCompareExtends: { $0.word == .compareAndSet },
        .pinExtendsLife: { $0.word == .pin }, .markMoves: { $0.word == .mark },
        .compareKeepsMoment: { $0.word == .compareAndSet }, .refusedCountChangesVersion: { $0.word == .increment },
    ]
}

extension CacheOperation {
    fileprivate enum Word {
        case put, putIfAbsent, putMany, exchange, compareAndSet, increment, rename, touch, mark, resize, pin, unpin
        case firstKeys
        case groupPut, groupLoad, groupKeys, other
    }

    fileprivate var word: Word {
        switch self {
        case .put: .put
        case .putIfAbsent: .putIfAbsent
        case .putMany: .putMany
        case .exchange: .exchange
        case .compareAndSet: .compareAndSet
        case .touch: .touch
        case .mark: .mark
        case .pin: .pin
        case .increment: .increment
        case .rename: .rename
        case .resize: .resize
        case .unpin: .unpin
        case .firstKeys: .firstKeys
        case .within(_, .put): .groupPut
        case .within(_, .load): .groupLoad
        case .within(_, .keys): .groupKeys
        default: .other
        }
    }
}

extension ReferenceCache {
    /// Does an operation in the way that the defect is about, if it is of that way or comes after one that was.
    func performInAWay(_ operation: CacheOperation, _ body: () -> OperationResult) -> OperationResult {
        guard let bug, bug.isOfAWay else { return body() }
        let isMeant = bug.concerns(operation)
        let old = contents.withLock { contents -> ReferenceContents? in
            let old = isMeant || !contents.slips.gone.isEmpty ? contents : nil
            if isMeant { contents.beginWay(operation) }
            return old
        }
        let result = body()
        guard let old else { return result }
        contents.withLock { contents in
            if isMeant { contents.endWay(operation, after: old) }
            contents.haunt(after: old)
        }
        return result
    }
}
