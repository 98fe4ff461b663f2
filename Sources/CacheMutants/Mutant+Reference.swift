// Which reference has the defect.
extension Mutant {
    /// The order of eviction of the reference that has the defect.
    public var order: String {
        switch self {
        case .wrongFrequency, .evictsMostRead: "lfu"
        case .neverAges: "aged-lfu"
        case .fifoMoves: "fifo"
        default: "lru"
        }
    }

    /// What the reference is besides, that has the defect.
    public var flavour: ReferenceSubject.Flavour {
        switch self {
        case .behindReorders, .closeDrops, .behindDropsEvicted, .behindDropsFailed, .behindSwapsWhenBusy,
            .behindDropsExpired, .behindIsForPuts, .behindFailureDropsOthers:
            .behind
        case .lowerReadDoesNotRefresh, .newestNeverLower, .oldInMemory, .promotionRestartsTime, .oneTierForgetsTime,
            .dropsLowerToo, .writeWaitsForLower, .lowerFailureHidden, .lowerHitsUncounted, .dropMemoryTells,
            .dropMemoryCounts, .promotionLosesTags,
            .promotionUnpins, .promotionChangesVersion, .lowerRemovalLost, .promotesOldRead, .lowerExpiryTakesFresh:
            .tiered
        case .closesFileLate, .countsFromZero, .defaultTrimsFirst, .buffersWrites, .buffersRemovals, .tornDiscardsAll,
            .truncatedIsStuck,
            .neverCompacts, .losesValues, .tearsValues, .checksNothing, .badCompaction, .deadlineRestarts,
            .usageFromZero, .forgetsTerms,
            .forgetsOrder, .expiresAtUpgrade, .fullEndsIt, .deletionEndsIt, .upgradeDropsField, .opensUnknown,
            .undecodableStays, .upgradesInPlace, .oldProgramEmpties, .failedWriteForgotten, .touchForgotten,
            .removalInGroupForgotten, .renameForgotten, .refusedComesBack, .restoredShareVersion,
            .journalLagsWhenBusy, .closeLosesLast, .compactionKeepsFirst, .compactionRevives, .compactionLosesMoment,
            .leavesUnfinished, .tagsASCIIOnDisk, .firstTagOnDisk, .groupsASCIIOnDisk, .groupLoadForgotten,
            .evictionForgotten, .compactionForgetsOrder, .openEvictsNewest, .compactionRestartsAge,
            .groupRemovalReplaysPlain, .compactionLosesNewest, .costsOf32BitsOnDisk, .emptyTagLostOnDisk,
            .idleEndLostOnDisk, .renameWaits, .countingWaits, .tagRemovalWaits, .groupClearWaits, .touchWaits,
            .valuesKeepOldTerms, .renameLosesEndOnDisk, .renameLosesMomentOnDisk, .openEvictionForgotten,
            .groupsFoldOnDisk, .groupsCutOnDisk, .compactionLosesGroups, .groupsOfThisSession, .clearLeavesHole,
            .bulkReadOrderForgotten, .groupReadOrderForgotten, .refusalUnlocks, .maintainUnlocks, .maintainDetaches,
            .checksumSkipsTerms, .checksumSkipsEnds, .tornTailStays, .damagedRemovalSkipped, .checksumSkipsGroup,
            .termsWait, .compactsInPlace, .upgradeFileLosesTags, .closeLosesRemoval, .overwriteOrderForgotten,
            .resizedComesBack, .momentOnlyAtFirst, .failedReadEmpties:
            .persistent
        case .syncsNothing, .failedSyncForgotten: .durable
        default: .plain
        }
    }

    /// Whether its check needs a process that was made ready for it: one whose calls can be made to fail, or that may mount a
    /// device. `assay conform` starts such processes.
    public var needsReadyProcess: Bool { ["FLT-4", "FLT-5", "FLT-11", "FLT-12"].contains(killer) }
}
