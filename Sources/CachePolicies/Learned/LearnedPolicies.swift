#if LightGBM
    package import CacheCore
    package import PolicySupport

    extension BuiltinPolicies {
        /// The policies that learn, a line each. They are not among `all`, whose policies every test and the words `all` drive: a
        /// replay takes many times as long, and they need a library that is opened at run time.
        package static let learned: [PolicyEntry] = [
            learner(PolicyEntry(unit: ThreeLCachePolicy<UnitSizes>.self, bytes: ThreeLCachePolicy<ByteSizes>.self)),
            learner(PolicyEntry(unit: GLCachePolicy<UnitSizes>.self, bytes: GLCachePolicy<ByteSizes>.self)),
            learner(PolicyEntry(unit: LRBPolicy<UnitSizes>.self, bytes: LRBPolicy<ByteSizes>.self)),
        ]

        /// An entry whose caches each have a learner, of which a failure is told instead of counts.
        private static func learner(_ entry: PolicyEntry) -> PolicyEntry {
            PolicyEntry(entry, as: entry.descriptor) { TreeLearner() }
        }
    }
#endif
