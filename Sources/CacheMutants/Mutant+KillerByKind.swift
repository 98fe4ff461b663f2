extension Mutant {
    /// The check for a defect of many, of conversations, of the disk, of failures, or of what holds of one and not of its like.
    var killerByKind: String? {
        switch self {
        case .exactResizeEvicts, .resizeOf31Bits, .shrinkStopsEarly: "CAP-15"
        case .shrinkTakesGroupsFirst: "POL-14"
        case .fewVictimsAtOnce: "CAP-3"
        case .readsMoveFew, .compactionSorts: "POL-2"
        case .segmentsFillEarly: "CAP-10"
        case .bigRoomTrimsLate, .countingEvictsUntold: "CAP-1"
        case .growthChangesVersions, .growthForgetsIdleEnds: "BAS-8"
        case .groupCountOf12Bits: "GRP-9"
        case .pinsOf8Bits, .groupRemovalUnpins, .pinsOnlyObjects: "POL-12"
        case .pinKeepsCost: "CAP-6"
        case .walksShort, .manyEntriesMixed: "ITR-9"
        case .groupLimitOf8Bits, .groupLimitOfLast, .limitsEndWithClear, .groupLoadsIgnoreLimit: "GRP-6"
        case .reuseLosesPut: "CAP-14"
        case .deepLoadsFail: "LDR-12"
        case .renameWaits, .groupClearWaits, .touchWaits: "LIF-5"
        case .countingWaits, .termsWait: "FLT-2"
        case .tagRemovalWaits: "FLT-3"
        case .valuesKeepOldTerms: "PER-17"
        case .renameLosesEndOnDisk, .renameLosesMomentOnDisk, .groupsFoldOnDisk, .groupsCutOnDisk,
            .compactionLosesGroups, .groupsOfThisSession:
            "PER-4"
        case .openEvictionForgotten, .resizedComesBack: "PER-18"
        case .clearLeavesHole, .maintainDetaches: "PER-1"
        case .bulkReadOrderForgotten, .groupReadOrderForgotten, .overwriteOrderForgotten: "PER-7"
        case .refusalUnlocks, .maintainUnlocks: "LIF-4"
        case .refusedWriteRestartsStale, .refusedWriteDropsStale, .refusedWriteEndsRefresh,
            .refusedRemovalEndsRefresh, .refusedWriteRestartsAge, .refusedWriteForgetsAbsence, .refusedWriteIsAbsence,
            .refusedWriteRestartsTime, .refusedWriteLeavesTags, .refusedWriteTells, .refusedWriteKeepsCost,
            .refusedWriteCountsMiss:
            "WRT-3"
        case .failureStopsTagRemoval, .failureStopsGroupClear, .failureLosesShrinking, .failureLosesBulkPut,
            .failureUncounted, .deafAfterFailures, .failureOutlivesListener, .failureLosesEnds:
            "EVT-6"
        case .bulkOverflowTellsNothing, .bulkOverflowIsReplacement: "EVT-2"
        case .bulkOverflowCountsOnce: "STA-4"
        case .tornTailStays: "FLT-6"
        case .tagRemovalAfterClose: "LIF-1"
        case .termsLag, .clearMissesWriters, .groupMadeTwice: "LIN-18"
        case .bulkLoadOverwrites: "LDR-24"
        case .expiredToldTwice: "EVT-10"
        case .damagedRemovalSkipped, .checksumSkipsGroup: "FLT-7"
        case .compactsInPlace: "FLT-8"
        case .upgradeFileLosesTags: "MIG-1"
        case .closeLosesRemoval: "PER-16"
        case .bulkLoadsHundred: "CON-10"
        case .clearTellsHundred: "EVT-9"
        case .sweepCountsHundred: "STA-9"
        case .oneRefresh: "LDR-16"
        case .oneAbsence, .absenceOfAllGroups: "LDR-9"
        case .staleOfAllGroups, .lifelessPutLeavesStale, .bulkReadSeesStale: "TTL-26"
        case .putEndsRefreshElsewhere: "LDR-20"
        case .groupTagTakesNamesake: "GRP-5"
        case .bulkLoadDoesNotExtend, .renameForgetsIdleEnd: "TTL-5"
        case .loadKeepsVersion: "CON-19"
        case .tellsEvictionsUnderLock: "EVT-7"
        case .behindDropsExpired, .behindIsForPuts: "WRT-5"
        case .overtakenLoadUncounted: "LDR-19"
        case .absenceIsReplaced: "EVT-5"
        case .behindFailureDropsOthers: "WRT-9"
        case .bulkPutKeepsOld: "VAL-9"
        default: nil
        }
    }
}
