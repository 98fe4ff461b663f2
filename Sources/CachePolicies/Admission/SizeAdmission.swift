public import CacheCore

/// Lets objects up to a size in.
///
/// The threshold of LRU-Threshold: Abrams et al., "Caching proxies: limitations and potentials", WWW 1995; libCacheSim's
/// `size`, which however refuses an object of just the limit. O(1) a miss, no memory.
public struct SizeAdmission: AdmissionPolicy {
    private let limit: Int

    /// It looks at what comes alone.
    public static var needsVictim: Bool { false }

    /// The limit.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "size", aliases: ["size-threshold"], family: "admission",
            summary: "Lets objects up to a size in.", citation: "Abrams et al., WWW 1995",
            parameters: [
                ParameterSpecification("limit", .integer(default: 65536, 0...Int.max), "The largest size, in bytes.")
            ])
    }

    /// Sizes.
    public static func columns(_ parameters: ParameterValues) -> Set<AdmissionColumn> { [.sizes] }

    /// Sizes, where the capacity counts objects.
    public static func unknownToCaches(_ parameters: ParameterValues, in unit: Capacity.Unit) -> String? {
        unit == .objects ? "sizes, unless its capacity is in bytes" : nil
    }

    /// A threshold.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        limit = configuration.parameters.integer("limit")
    }

    /// Compares the size with the limit.
    public mutating func admits(_ request: Request, over victim: ObjectID?) -> Bool { request.size <= limit }
}
