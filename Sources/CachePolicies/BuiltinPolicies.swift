public import CacheCore

/// The policies that come with Assay: one line each, sorted by family and name.
public enum BuiltinPolicies {
    private static let slru = PolicyEntry(unit: SLRUPolicy<UnitSizes>.self, bytes: SLRUPolicy<ByteSizes>.self)

    /// Every built-in policy.
    public static let all: [PolicyEntry] = [
        // recency
        PolicyEntry(unit: ClockPolicy<UnitSizes>.self, bytes: ClockPolicy<ByteSizes>.self),
        PolicyEntry(unit: FIFOPolicy<UnitSizes>.self, bytes: FIFOPolicy<ByteSizes>.self),
        PolicyEntry(unit: LIFOPolicy<UnitSizes>.self, bytes: LIFOPolicy<ByteSizes>.self),
        PolicyEntry(unit: LRUPolicy<UnitSizes>.self, bytes: LRUPolicy<ByteSizes>.self),
        PolicyEntry(unit: LRUProbPolicy<UnitSizes>.self, bytes: LRUProbPolicy<ByteSizes>.self),
        PolicyEntry(unit: MRUPolicy<UnitSizes>.self, bytes: MRUPolicy<ByteSizes>.self),
        PolicyEntry(unit: SIEVEPolicy<UnitSizes>.self, bytes: SIEVEPolicy<ByteSizes>.self),
        // frequency
        PolicyEntry(unit: LFUPolicy<UnitSizes>.self, bytes: LFUPolicy<ByteSizes>.self),
        PolicyEntry(unit: LFUDAPolicy<UnitSizes>.self, bytes: LFUDAPolicy<ByteSizes>.self),
        PolicyEntry(unit: LRUKPolicy<UnitSizes>.self, bytes: LRUKPolicy<ByteSizes>.self),
        PolicyEntry(unit: MFUPolicy<UnitSizes>.self, bytes: MFUPolicy<ByteSizes>.self),
        // segmented
        PolicyEntry(unit: TwoQPolicy<UnitSizes>.self, bytes: TwoQPolicy<ByteSizes>.self),
        PolicyEntry(unit: Clock2QPlusPolicy<UnitSizes>.self, bytes: Clock2QPlusPolicy<ByteSizes>.self),
        PolicyEntry(unit: FIFOMergePolicy<UnitSizes>.self, bytes: FIFOMergePolicy<ByteSizes>.self),
        PolicyEntry(unit: MQPolicy<UnitSizes>.self, bytes: MQPolicy<ByteSizes>.self),
        PolicyEntry(unit: QDLPPolicy<UnitSizes>.self, bytes: QDLPPolicy<ByteSizes>.self),
        PolicyEntry(unit: S3FIFOPolicy<UnitSizes>.self, bytes: S3FIFOPolicy<ByteSizes>.self),
        PolicyEntry(unit: S3FIFODPolicy<UnitSizes>.self, bytes: S3FIFODPolicy<ByteSizes>.self),
        PolicyEntry(
            preset: "s4lru", of: slru, defaults: ["segments": "4"],
            summary: "SLRU with four equal segments.", citation: "Huang et al., SOSP 2013"),
        slru,
        PolicyEntry(unit: TuQueuePolicy<UnitSizes>.self, bytes: TuQueuePolicy<ByteSizes>.self),
        // inter-reference
        PolicyEntry(unit: ClockProPolicy<UnitSizes>.self, bytes: ClockProPolicy<ByteSizes>.self),
        PolicyEntry(unit: ClockProPlusPolicy<UnitSizes>.self, bytes: ClockProPlusPolicy<ByteSizes>.self),
        PolicyEntry(unit: ClockProSimplePolicy<UnitSizes>.self, bytes: ClockProSimplePolicy<ByteSizes>.self),
        PolicyEntry(unit: DClockPolicy<UnitSizes>.self, bytes: DClockPolicy<ByteSizes>.self),
        PolicyEntry(unit: FRDPolicy<UnitSizes>.self, bytes: FRDPolicy<ByteSizes>.self),
        PolicyEntry(unit: LIRSPolicy<UnitSizes>.self, bytes: LIRSPolicy<ByteSizes>.self),
        PolicyEntry(unit: LIRS2Policy.self),
        // adaptive
        PolicyEntry(unit: ARCPolicy<UnitSizes>.self, bytes: ARCPolicy<ByteSizes>.self),
        PolicyEntry(unit: CacheusPolicy.self),
        PolicyEntry(unit: CARPolicy<UnitSizes>.self, bytes: CARPolicy<ByteSizes>.self),
        PolicyEntry(unit: CARTPolicy<UnitSizes>.self, bytes: CARTPolicy<ByteSizes>.self),
        PolicyEntry(unit: LeCaRPolicy<UnitSizes>.self, bytes: LeCaRPolicy<ByteSizes>.self),
        // sketch
        PolicyEntry(unit: FeedbackTinyLFUPolicy.self),
        PolicyEntry(unit: FeedbackWTinyLFUPolicy.self),
        PolicyEntry(unit: FullySegmentedWTinyLFUPolicy.self),
        PolicyEntry(unit: HillClimberWTinyLFUPolicy.self),
        PolicyEntry(unit: RandomWTinyLFUPolicy.self),
        PolicyEntry(unit: S4WTinyLFUPolicy.self),
        PolicyEntry(unit: WTinyLFUPolicy<UnitSizes>.self, bytes: WTinyLFUPolicy<ByteSizes>.self),
        // size-aware
        PolicyEntry(unit: CAMPPolicy<UnitSizes>.self, bytes: CAMPPolicy<ByteSizes>.self),
        PolicyEntry(unit: CheapestFirstPolicy<UnitSizes>.self, bytes: CheapestFirstPolicy<ByteSizes>.self),
        PolicyEntry(unit: GDSFPolicy<UnitSizes>.self, bytes: GDSFPolicy<ByteSizes>.self),
        PolicyEntry(unit: GDWheelPolicy<UnitSizes>.self, bytes: GDWheelPolicy<ByteSizes>.self),
        PolicyEntry(unit: LHDPolicy<UnitSizes>.self, bytes: LHDPolicy<ByteSizes>.self),
        PolicyEntry(unit: SizePolicy<UnitSizes>.self, bytes: SizePolicy<ByteSizes>.self),
        // random
        PolicyEntry(unit: HyperbolicPolicy<UnitSizes>.self, bytes: HyperbolicPolicy<ByteSizes>.self),
        PolicyEntry(unit: RandomPolicy<UnitSizes>.self, bytes: RandomPolicy<ByteSizes>.self),
        PolicyEntry(unit: RandomTwoPolicy<UnitSizes>.self, bytes: RandomTwoPolicy<ByteSizes>.self),
        PolicyEntry(unit: SampledFIFOPolicy<UnitSizes>.self, bytes: SampledFIFOPolicy<ByteSizes>.self),
        PolicyEntry(unit: SampledLFUPolicy<UnitSizes>.self, bytes: SampledLFUPolicy<ByteSizes>.self),
        PolicyEntry(unit: SampledLRUPolicy<UnitSizes>.self, bytes: SampledLRUPolicy<ByteSizes>.self),
        PolicyEntry(unit: SampledMFUPolicy<UnitSizes>.self, bytes: SampledMFUPolicy<ByteSizes>.self),
        PolicyEntry(unit: SampledMRUPolicy<UnitSizes>.self, bytes: SampledMRUPolicy<ByteSizes>.self),
        // bound
        PolicyEntry(
            unit: BeladyPolicy<UnitSizes>.self, bytes: BeladyPolicy<ByteSizes>.self, wholeTrace: BeladyReplay.self),
        PolicyEntry(unit: BeladySizePolicy<UnitSizes>.self, bytes: BeladySizePolicy<ByteSizes>.self),
        PolicyEntry(unit: InfinitePolicy<UnitSizes>.self, bytes: InfinitePolicy<ByteSizes>.self),
        PolicyEntry(bound: PFOOLowerBound.self),
        PolicyEntry(bound: PFOOUpperBound.self),
    ]
}
