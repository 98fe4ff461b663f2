extension Mutant {
    /// The check that the catalogue names for it.
    public var killer: String {
        switch self {
        case .keepsFirst: "BAS-3"
        case .collides: "KEY-7"
        case .foldsCase: "KEY-4"
        case .shortDigest: "KEY-8"
        case .skipsPaths: "KEY-3"
        case .normalisesUnicode: "KEY-5"
        case .repairsUTF8: "KEY-6"
        case .listsTouchedTwice: "ITR-3"
        case .countsFromZero: "PER-5"
        case .defaultTrimsFirst: "PER-6"
        case .buffersWrites: "FLT-2"
        case .buffersRemovals: "FLT-3"
        case .tornDiscardsAll: "FLT-6"
        case .truncatedIsStuck: "FLT-7"
        case .losesValues: "PER-8"
        case .neverCompacts: "PER-9"
        case .dropsLongKeys: "KEY-2"
        case .emptyIsMiss: "VAL-1"
        case .cutsAtCRLF: "VAL-5"
        case .forgetsAbsence, .sentinelLeaks: "LDR-9"
        case .removesExpired: "TTL-12"
        case .ghostOfLarge: "BAS-6"
        case .replaceCreates: "CON-3"
        case .pairsWrongly: "CON-10"
        case .servesExpired: "TTL-2"
        case .deadlineLate: "TTL-3"
        case .readExtends: "TTL-5"
        case .keepsOldDeadline: "TTL-6"
        case .inheritsDeadline: "TTL-7"
        case .expiredPutKeepsOld: "TTL-9"
        case .zeroIsForever, .longLifeIsDate: "TTL-10"
        case .touchRevives: "TTL-14"
        case .followsWallClock: "TTL-18"
        case .ignoresLimit: "CAP-2"
        case .costNotEnforced: "CAP-3"
        case .costDrifts: "CAP-6"
        case .costWraps: "CAP-9"
        case .hiddenCost: "CAP-4"
        case .storesOversize: "CAP-8"
        case .fullRefuses: "CAP-11"
        case .orphanStalls: "CAP-14"
        case .neverFillsAgain: "CLR-2"
        case .shrinkKeeps: "CAP-15"
        case .evictsLiveFirst: "CAP-16"
        case .writeDoesNotRefresh: "POL-3"
        case .containsRefreshes: "POL-5"
        case .wrongFrequency: "POL-8"
        case .loadsTwice: "LDR-3"
        case .failureSticks: "LDR-6"
        case .failedWriteChanges: "WRT-3"
        case .silentEviction: "EVT-2"
        case .wrongCause: "EVT-3"
        case .countsTwice: "STA-3"
        case .containsCounts: "STA-2"
        case .listsExpired: "TTL-21"
        case .clearSkipsNewest: "CLR-3"
        case .groupClearsAll: "GRP-2"
        case .fallsThrough: "GRP-1"
        case .clearSkipsSome: "CLR-1"
        case .staleDigits: "CON-15"
        case .renameLosesTime: "TTL-15"
        case .clearSparesThisTick: "CLR-3"
        case .flightLivesForEver: "TTL-19"
        case .zeroIsNoLimit: "CAP-5"
        case .trimsForEver: "CAP-12"
        case .neverAges: "POL-10"
        case .lowerReadDoesNotRefresh: "POL-6"
        case .oldInMemory: "TIR-2"
        case .oneTierForgetsTime: "TIR-4"
        case .registersLate: "LDR-4"
        case .cancelsAll: "LDR-7"
        case .nestedLoadDeadlocks: "LDR-12"
        case .servesWhileStuck: "LDR-14"
        case .refreshStops: "LDR-15"
        case .replaceRevives: "LIN-7"
        case .expiryTakesFresh: "LIN-5"
        case .queueOvertakes: "LIN-3"
        case .joinsOldRead: "LIN-2"
        case .updateRevives: "LIN-5"
        case .timerFreedTwice: "LIN-11"
        case .keepsAddress: "VAL-3"
        case .sleepStopsClock: "TTL-18"
        case .expiresAtUpgrade: "MIG-2"
        case .fullEndsIt: "FLT-10"
        case .deletionEndsIt: "FLT-13"
        case .upgradeDropsField: "MIG-1"
        case .comparesLength: "CON-6"
        case .groupClearsOnce: "GRP-2"
        case .absenceSurvivesPut, .clearKeepsAbsence: "LDR-9"
        case .clearTellsEviction: "EVT-1"
        case .countsRefusedPut: "STA-2"
        case .loadHitUncounted: "STA-8"
        case .listsShortOfPower: "ITR-1"
        case .bulkServesExpired: "TTL-2"
        case .bulkDoesNotRefresh: "POL-2"
        case .renameKeepsCost: "CAP-6"
        case .resizeForgotten: "CAP-15"
        case .groupRemovesPlain: "GRP-1"
        case .stepKeepsDeadline: "TTL-7"
        case .counterOfDead, .counterLosesTime: "CON-15"
        case .takeServesExpired: "TTL-12"
        case .bulkPutTellsNothing, .tellsFirstReplacement, .resizeTellsNothing: "EVT-1"
        case .touchForgotten: "PER-4"
        case .removalInGroupForgotten: "PER-2"
        case .refusedLeavesOld: "VAL-9"
        case .renameLosesTags, .tagsOnlyFirst: "GRP-5"
        case .bytesEvictOneMore: "CAP-10"
        case .updateSeesDead: "CON-14"
        case .loadIgnoresLimit: "CAP-1"
        case .greatestLifeWraps: "TTL-10"
        case .bulkCountsOnce: "STA-5"
        case .forgetsWaiter: "LIN-15"
        case .expiredKeepsCost: "CAP-7"
        case .growingToldTwice, .tagRemovalTellsNothing: "EVT-1"
        case .loadLosesCost: "CAP-6"
        case .loadLosesTags: "GRP-5"
        case .remainingTimeCounts: "STA-2"
        case .exchangeSeesDead: "TTL-13"
        case .compareKeepsOrder: "POL-3"
        case .putManyLosesLoad, .updateLosesLoad, .renameLosesLoad, .exchangeLosesLoad, .takeLosesLoad: "LDR-11"
        case .absenceSurvivesRename: "LDR-9"
        case .staleSurvivesRemove: "TTL-26"
        case .unpinnedByOverwrite, .unpinsAll, .renameForgetsPin: "POL-12"
        case .versionsRestart: "CON-8"
        case .groupForgetsTime: "TTL-2"
        case .groupReadKeepsOrder: "POL-2"
        case .refreshLosesTime: "LDR-8"
        case .evictionsOf8Bits, .hitsOf16Bits, .missesOf16Bits, .expirationsOf8Bits, .loadsOf16Bits,
            .failuresOf8Bits:
            "STA-9"
        default: String(rawValue.dropFirst(2))
        }
    }

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
        case .behindReorders, .closeDrops: .behind
        case .lowerReadDoesNotRefresh, .newestNeverLower, .oldInMemory, .promotionRestartsTime, .oneTierForgetsTime,
            .dropsLowerToo, .writeWaitsForLower, .lowerFailureHidden, .lowerHitsUncounted:
            .tiered
        case .closesFileLate, .countsFromZero, .defaultTrimsFirst, .buffersWrites, .buffersRemovals, .tornDiscardsAll,
            .truncatedIsStuck,
            .neverCompacts, .losesValues, .tearsValues, .checksNothing, .badCompaction, .deadlineRestarts,
            .usageFromZero, .forgetsTerms,
            .forgetsOrder, .expiresAtUpgrade, .fullEndsIt, .deletionEndsIt, .upgradeDropsField, .opensUnknown,
            .undecodableStays, .upgradesInPlace, .oldProgramEmpties, .failedWriteForgotten, .touchForgotten,
            .removalInGroupForgotten:
            .persistent
        default: .plain
        }
    }
}
