internal import CacheCore
internal import CacheSystems

/// Experiments with HTTPCache. Those with packages are there where packages are: under the trait of that name.
enum HTTPCacheProbes {
    // What memory grows by is told best before others have let it grow.
    static let all = [SystemProbe("a long body", LongBodyProbe.figures)] + HTTPQueueProbes.all + packages

    #if Packages
        private static let packages = HTTPPackageProbes.all
    #else
        private static let packages: [SystemProbe] = []
    #endif
}

extension SystemRunSetup {
    /// Opens a cache of web resources over a store in the directory, for whoever the workload says.
    func openWebCache(
        origin: some HTTPOrigin, _ change: (inout HTTPCacheOptions) -> Void = { _ in }
    ) throws -> HTTPCache {
        var options = HTTPCacheOptions("probe")
        options.profile = HTTPProfile(rawValue: values.text("profile")) ?? .private
        options.bodyDirectory = directory + "/bodies"
        change(&options)
        return try HTTPCache(options, policy: policy, storage: openStore(), origin: origin)
    }
}
