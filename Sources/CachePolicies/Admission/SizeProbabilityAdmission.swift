public import CacheCore

/// Lets an object in with a probability that falls exponentially with its size.
///
/// `e^(-exponent · size)`: the family of Berger, Sitaraman and Harchol-Balter, "AdaptSize: orchestrating the hot object
/// memory cache in a content delivery network", NSDI 2017, with a fixed parameter (``AdaptSizeAdmission`` tunes it);
/// libCacheSim's `sizeProbabilistic`. O(1) a miss, no memory. Draws from the seed alone.
public struct SizeProbabilityAdmission: AdmissionPolicy {
    private var generator: SeededGenerator
    private let exponent: Double

    /// It looks at what comes alone.
    public static var needsVictim: Bool { false }

    /// The exponent.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "size-probability", aliases: ["size-probabilistic"], family: "admission",
            summary: "Lets an object in with a probability that falls exponentially with its size.",
            citation: "Berger et al., NSDI 2017",
            parameters: [
                ParameterSpecification(
                    "exponent", .number(default: 1e-6, 0...1), "What a byte takes off the probability's logarithm.")
            ], isDeterministic: false)
    }

    /// Sizes.
    public static func columns(_ parameters: ParameterValues) -> Set<AdmissionColumn> { [.sizes] }

    /// Sizes, where the capacity counts objects.
    public static func unknownToCaches(_ parameters: ParameterValues, in unit: Capacity.Unit) -> String? {
        unit == .objects ? "sizes, unless its capacity is in bytes" : nil
    }

    /// A coin for each size.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        generator = SeededGenerator(seed: configuration.seed)
        exponent = configuration.parameters.number("exponent")
    }

    /// Tosses the coin of the object's size.
    public mutating func admits(_ request: Request, over victim: ObjectID?) -> Bool {
        generator.nextUnit() < PortableMath.exp(-exponent * Double(request.size))
    }
}
