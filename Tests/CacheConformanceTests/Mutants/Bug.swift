/// One defect of a store, each modelled on defects that real caches had, with the check that must notice it.
enum Bug: String, CaseIterable, Sendable {
    // reading, writing, removing
    case matchesByPrefix, consumesOnGet, keepsFirst, keepsTailOfOld, ignoresRemove, removeAlwaysTrue, ghostOfLarge
    case containsRemembers, losesBuckets, stacksVersions, missCreates, loosesPutAfterContains, resurrectsAtRemove
    // keys
    case ignoresEmptyKey, dropsLongKeys, cutsLongKeys, acceptsTooLongKeys, normalisesPaths, escapesDirectory, foldsCase
    case normalisesUnicode, cutsKeyAtNUL, repairsUTF8, hashesWithCRC32, hashesWithFNV32, hashesLikeJava
    case firstEightBytes, lastEightBytes
    // values
    case emptyIsMiss, lengthOfSixteenBits, keepsAddress, cutsAtNUL, cutsAtCRLF, sharesLargeBuffer, oversizeKeepsOld
    case oversizeIsStored, expiryInMilliseconds, inheritsExpiry
    // clearing
    case clearSkips, neverFillsAgain, clearOvertaken, clearLate, clearKeepsCount
    // listing
    case listsTwice, listsOnePage, listsDigests, listsVersions, listsFromCache, countsOverwrites, countsSentinel
    // persistence and life cycle
    case losesLastAtClose, removalsNotWritten, losesAtSecondOpen, expiryNotWritten, countsFromZero, indexDrifts
    case sharesDirectories, tornWhenReadOnly, remembersPath, deletesForeign, countsForeign
    case worksAfterClose, secondCloseThrows, secondStoreIsStale, writesAtClose, leaksDescriptors

    /// The check that must fail.
    var killer: String {
        switch self {
        case .matchesByPrefix: "BAS-1"
        case .consumesOnGet: "BAS-2"
        case .keepsFirst, .keepsTailOfOld: "BAS-3"
        case .ignoresRemove: "BAS-4"
        case .removeAlwaysTrue: "BAS-5"
        case .ghostOfLarge: "BAS-6"
        case .containsRemembers: "BAS-7"
        case .losesBuckets: "BAS-8"
        case .stacksVersions: "BAS-9"
        case .missCreates: "BAS-10"
        case .loosesPutAfterContains: "BAS-11"
        case .resurrectsAtRemove: "BAS-12"
        case .ignoresEmptyKey: "KEY-1"
        case .dropsLongKeys, .cutsLongKeys, .acceptsTooLongKeys: "KEY-2"
        case .normalisesPaths, .escapesDirectory: "KEY-3"
        case .foldsCase: "KEY-4"
        case .normalisesUnicode: "KEY-5"
        case .cutsKeyAtNUL, .repairsUTF8: "KEY-6"
        case .hashesWithCRC32, .hashesWithFNV32, .hashesLikeJava, .firstEightBytes: "KEY-7"
        case .lastEightBytes: "KEY-8"
        case .emptyIsMiss: "VAL-1"
        case .lengthOfSixteenBits: "VAL-2"
        case .keepsAddress: "VAL-3"
        case .cutsAtNUL, .cutsAtCRLF: "VAL-5"
        case .sharesLargeBuffer: "VAL-8"
        case .oversizeKeepsOld, .oversizeIsStored: "VAL-9"
        case .expiryInMilliseconds, .inheritsExpiry: "VAL-10"
        case .clearSkips: "CLR-1"
        case .neverFillsAgain: "CLR-2"
        case .clearOvertaken: "CLR-3"
        case .clearLate: "CLR-4"
        case .clearKeepsCount: "CLR-5"
        case .listsTwice, .listsOnePage: "ITR-1"
        case .listsDigests: "ITR-2"
        case .listsVersions: "ITR-3"
        case .listsFromCache: "ITR-5"
        case .countsOverwrites: "ITR-6"
        case .countsSentinel: "ITR-8"
        default: persistenceKiller
        }
    }

    private var persistenceKiller: String {
        switch self {
        case .losesLastAtClose: "PER-1"
        case .removalsNotWritten: "PER-2"
        case .losesAtSecondOpen: "PER-3"
        case .expiryNotWritten: "PER-4"
        case .countsFromZero: "PER-5"
        case .indexDrifts: "PER-8"
        case .sharesDirectories: "PER-10"
        case .tornWhenReadOnly: "PER-11"
        case .remembersPath: "PER-12"
        case .deletesForeign, .countsForeign: "PER-13"
        case .worksAfterClose: "LIF-1"
        case .secondCloseThrows: "LIF-2"
        case .secondStoreIsStale: "LIF-4"
        case .writesAtClose: "LIF-5"
        case .leaksDescriptors: "LIF-8"
        default: fatalError("\(rawValue) has no killer")
        }
    }
}
