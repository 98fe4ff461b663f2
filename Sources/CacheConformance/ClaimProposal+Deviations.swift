extension Deviation {
    /// Those that can be seen in a cache that claims nothing.
    static let ofEveryCache: [Deviation] = [
        .limitsAreNotEnforced, .keysArePrintable, .dropsOversized, .refusedPutKeepsOld, .removeTellsNothing,
        .containsIsGet, .cannotList,
        .writesTakeEffectLater,
    ]

    /// Those that can explain why a claim is denied.
    static func explaining(_ claim: Claim) -> [Deviation] {
        switch claim {
        case .retains: [.dropsOversized, .refusedPutKeepsOld, .writesTakeEffectLater]
        case .iterates: [.cannotList, .refusesWhenFull]
        case .capacity, .strict: [.zeroCapacityIsUnlimited, .refusesWhenFull, .dropsOversized, .refusedPutKeepsOld]
        case .feature(.cost): [.refusesZeroCost, .refusesWhenFull, .dropsOversized, .refusedPutKeepsOld]
        case .feature(let feature):
            // What takes in others comes after them.
            (allCases.filter { $0 != .removalsAreNotTold } + [.removalsAreNotTold])
                .filter { $0.concerns.contains(feature) }
                + ([.statistics, .timeToIdle, .frequencyAware].contains(feature) ? [.containsIsGet] : [])
        case .anyFeature, .durability, .order, .orderOf, .concurrent, .migrates: []
        }
    }
}

extension Claims {
    /// Whether a deviation is not stated, and concerns something that is claimed.
    func canState(_ deviation: Deviation) -> Bool {
        !deviates(deviation) && (deviation.concerns.isEmpty || !deviation.concerns.isDisjoint(with: features))
    }

    /// Takes out the deviations of what is not claimed, which a reader of claims refuses; what was taken out.
    mutating func removePointlessDeviations() -> [Deviation] {
        let pointless = Deviation.allCases.filter {
            deviates($0) && !$0.concerns.isEmpty && $0.concerns.isDisjoint(with: features)
        }
        deviations.subtract(pointless)
        return pointless
    }
}
