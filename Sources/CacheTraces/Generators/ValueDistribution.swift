internal import CacheCore

/// How a whole number that belongs to an object, such as its size or its time to live, is drawn.
///
/// The number depends on the seed and the object alone, so that it is the same at every request.
public enum ValueDistribution: Codable, Hashable, Sendable {
    /// Always the same.
    case fixed(Int)
    /// Evenly between two bounds, both included.
    case uniform(minimum: Int, maximum: Int)
    /// `median · exp(sigma · N)` for a standard normal N, cut to the bounds.
    case logNormal(median: Double, sigma: Double, minimum: Int, maximum: Int)
    /// `minimum · U^(-1/shape)` for a uniform U, cut to the maximum.
    case pareto(shape: Double, minimum: Int, maximum: Int)

    /// What is wrong with the numbers, nil if nothing is.
    var fault: String? {
        let bounds: (Int, Int)
        switch self {
        case .fixed(let value): bounds = (value, value)
        case .uniform(let minimum, let maximum): bounds = (minimum, maximum)
        case .logNormal(let median, let sigma, let minimum, let maximum):
            bounds = (minimum, maximum)
            guard (1e-9...1e18).contains(median) else { return "median must be from 1e-9 to 1e18" }
            guard (0...1000).contains(sigma) else { return "sigma must be from 0 to 1000" }
        case .pareto(let shape, let minimum, let maximum):
            bounds = (minimum, maximum)
            guard (1e-6...1e6).contains(shape) else { return "shape must be from 0.000001 to 1000000" }
        }
        guard bounds.0 >= 1 else { return "the smallest value must be at least 1" }
        guard bounds.1 >= bounds.0 else { return "the maximum must not be below the minimum" }
        guard bounds.1 < Int(UInt32.max) else { return "the largest value must be below 4294967295" }
        return nil
    }

    /// The number of an object.
    package func value(ofObject key: UInt64, seed: UInt64) -> UInt32 {
        // Seeds of neighbouring objects lie far apart in the generator's cycle.
        var random = SeededGenerator(seed: mix64(seed ^ mix64(key &+ 0x9E37_79B9_7F4A_7C15)))
        switch self {
        case .fixed(let value): return UInt32(value)
        case .uniform(let minimum, let maximum):
            return UInt32(minimum) + UInt32(random.next(below: UInt64(maximum - minimum) + 1))
        case .logNormal(let median, let sigma, let minimum, let maximum):
            return Self.cut(median * PortableMath.exp(sigma * Self.normal(&random)), minimum, maximum)
        case .pareto(let shape, let minimum, let maximum):
            let exponent = -PortableMath.log(1 - random.nextUnit()) / shape
            return Self.cut(Double(minimum) * PortableMath.exp(exponent), minimum, maximum)
        }
    }

    /// The whole distribution in words, which every number that matters is part of.
    var canonicalText: String {
        switch self {
        case .fixed(let value): "fixed(\(value))"
        case .uniform(let minimum, let maximum): "uniform(\(minimum)...\(maximum))"
        case .logNormal(let median, let sigma, let minimum, let maximum):
            "log-normal(median \(median), sigma \(sigma), \(minimum)...\(maximum))"
        case .pareto(let shape, let minimum, let maximum): "pareto(shape \(shape), \(minimum)...\(maximum))"
        }
    }

    private static func cut(_ value: Double, _ minimum: Int, _ maximum: Int) -> UInt32 {
        UInt32(min(max(value.rounded(), Double(minimum)), Double(maximum)))
    }

    /// A standard normal number, by Marsaglia's polar method.
    private static func normal(_ random: inout SeededGenerator) -> Double {
        while true {
            let (x, y) = (2 * random.nextUnit() - 1, 2 * random.nextUnit() - 1)
            let square = x * x + y * y
            if square > 0x1p-100, square < 1 { return x * (-2 * PortableMath.log(square) / square).squareRoot() }
        }
    }
}
