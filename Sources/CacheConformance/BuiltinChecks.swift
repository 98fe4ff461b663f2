/// The checks that come with Assay: one line a section, in the order of the catalogue.
enum BuiltinChecks {
    /// Every check of storage backends.
    static let storage: [Check] = [
        BasicChecks.all,
        KeyChecks.all,
        ValueChecks.all,
        ClearChecks.all,
        IterationChecks.all,
        PersistenceChecks.all,
        LifeCycleChecks.all,
    ].flatMap(\.self)
}
