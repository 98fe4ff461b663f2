public import CacheCore

/// Lets each missed object in with the same probability.
///
/// The coin of flash caches: Berg et al., "The CacheLib caching engine", OSDI 2020, spare writes so; libCacheSim's
/// `prob`. An object that is asked for often enters sooner or later. O(1) a miss, no memory. Draws from the seed alone.
public struct ProbabilityAdmission: AdmissionPolicy {
    private var generator: SeededGenerator
    private let probability: Double

    /// It looks at what comes alone.
    public static var needsVictim: Bool { false }

    /// The probability.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "probability", aliases: ["prob"], family: "admission",
            summary: "Lets each missed object in with the same probability.", citation: "Berg et al., OSDI 2020",
            parameters: [ParameterSpecification("p", .number(default: 0.5, 0...1), "The probability.")],
            isDeterministic: false)
    }

    /// A coin.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        generator = SeededGenerator(seed: configuration.seed)
        probability = configuration.parameters.number("p")
    }

    /// Tosses the coin.
    public mutating func admits(_ request: Request, over victim: ObjectID?) -> Bool {
        generator.nextUnit() < probability
    }
}
