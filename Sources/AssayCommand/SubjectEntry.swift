#if Conformance
    public import CacheConformance
    package import CacheCore

    #if Systems
        import CacheSystemChecks
    #endif

    /// A whole cache as ``Plugins`` hold it.
    public struct SubjectEntry: Sendable {
        /// The cache; its name is the one on the command line.
        public let subject: any CacheSubject
        /// Checks of its own, beside those of every cache.
        public let checks: [Check]
        /// Finds the cache that is meant by what stands after a colon behind the name; nil where nothing may stand there.
        let variant: (@Sendable (String) -> Result<any CacheSubject, AssayError>)?
        private let suiteName: String

        /// A cache with checks of its own.
        public init(_ subject: any CacheSubject, checks: [Check] = []) {
            self.subject = subject
            self.checks = checks
            suiteName = subject.name
            variant = nil
        }

        /// A cache with variants that are too many to list: `variant` finds one by what stands after a colon behind the
        /// cache's name.
        package init(
            _ subject: any CacheSubject, variant: @escaping @Sendable (String) -> Result<any CacheSubject, AssayError>
        ) {
            self.subject = subject
            checks = []
            suiteName = ConformanceSuite.cache.name
            self.variant = variant
        }

        #if Systems
            /// One of the versions of a system.
            init(_ subject: any CacheSubject, of system: SystemSuite) {
                self.subject = subject
                checks = system.checks
                suiteName = system.name
                variant = nil
            }
        #endif

        /// The checks of every cache, and its own.
        var suite: ConformanceSuite {
            ConformanceSuite(name: suiteName, checks: ConformanceSuite.cache.checks + checks)
        }
    }
#endif
