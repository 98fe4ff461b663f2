/// The checks that come with Assay: one line a section, in the order of the catalogue.
enum BuiltinChecks {
    /// Every check of storage backends.
    static let storage: [Check] = [
        BasicChecks.all,
        KeyChecks.all,
        ValueChecks.all,
        ClearChecks.all,
        IterationChecks.all,
        PersistenceChecks.all + PersistenceChecks.ofClients + PersistenceChecks.ofOperations,
        LifeCycleChecks.all,
    ].flatMap(\.self)

    /// Every check of caches that do more than keep bytes.
    static let features: [Check] = [
        LifeCycleChecks.ofCaches,
        ConditionalChecks.all,
        ExpiryChecks.all,
        CapacityChecks.all,
        OrderChecks.all,
        LoaderChecks.all + LoaderChecks.ofClients + LoaderChecks.ofAges,
        WriterChecks.all,
        EventChecks.all,
        StatisticsChecks.all,
        GroupChecks.all,
        MigrationChecks.all,
        TierChecks.all,
        FaultChecks.all,
        LinearizabilityChecks.all,
    ].flatMap(\.self)

    /// Every check of eviction policies.
    static let policies: [Check] = PolicyChecks.all

    /// Every check of stores and caches.
    static let all = storage + features
}
