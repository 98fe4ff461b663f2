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
    /// `location + scale · ((1 - U)^-shape - 1) / shape` for a uniform U, cut to the bounds: the generalized Pareto distribution.
    case generalizedPareto(location: Double, scale: Double, shape: Double, minimum: Int, maximum: Int)
    /// Classes of values with their shares of the objects; evenly from the first to the last value of a class.
    case classes([ValueClass])

    /// The name of the distribution in workload files.
    public var name: String {
        switch self {
        case .fixed: "fixed"
        case .uniform: "uniform"
        case .logNormal: "log-normal"
        case .pareto: "pareto"
        case .generalizedPareto: "generalized-pareto"
        case .classes: "classes"
        }
    }

    /// The most classes of a distribution.
    public static var classesMax: Int { 1024 }

    /// What is wrong with the numbers, nil if nothing is. No value is below `least`.
    func fault(least: Int = 1) -> String? {
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
        case .generalizedPareto(let location, let scale, let shape, let minimum, let maximum):
            bounds = (minimum, maximum)
            guard (-1e18...1e18).contains(location) else { return "location must be from -1e18 to 1e18" }
            guard (1e-9...1e18).contains(scale) else { return "scale must be from 1e-9 to 1e18" }
            guard (-1e3...1e3).contains(shape) else { return "shape must be from -1000 to 1000" }
        case .classes(let classes):
            guard (1...Self.classesMax).contains(classes.count) else {
                return "there must be from 1 to \(Self.classesMax) classes"
            }
            guard classes.allSatisfy({ $0.first <= $0.last }) else {
                return "the last value of a class must not be below its first"
            }
            guard classes.allSatisfy({ (0...1 << 40).contains($0.share) }), classes.contains(where: { $0.share > 0 })
            else {
                return "shares of classes must be from 0 to \(1 << 40), and not all of them 0"
            }
            bounds = (classes.map(\.first).min() ?? 0, classes.map(\.last).max() ?? 0)
        }
        guard bounds.0 >= least else { return "the smallest value must be at least \(least)" }
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
        case .generalizedPareto(let location, let scale, let shape, let minimum, let maximum):
            let exponential = -PortableMath.log(1 - random.nextUnit())
            let excess = exponential * PortableMath.expRatio(shape * exponential)
            return Self.cut(location + scale * excess, minimum, maximum)
        case .classes(let classes):
            var draw = random.next(below: classes.reduce(0) { $0 + $1.share })
            let drawn = classes.first { one in
                draw -= one.share
                return draw < 0
            }
            guard let drawn else { return 0 }
            return UInt32(drawn.first + random.next(below: drawn.last - drawn.first + 1))
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
        case .generalizedPareto(let location, let scale, let shape, let minimum, let maximum):
            "generalized-pareto(location \(location), scale \(scale), shape \(shape), \(minimum)...\(maximum))"
        case .classes(let classes):
            "classes(" + classes.map { "\($0.first)...\($0.last): \($0.share)" }.joined(separator: ", ") + ")"
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

/// Values in a row with their share of the objects.
public struct ValueClass: Codable, Hashable, Sendable {
    /// The first value.
    public var first: Int
    /// The last value, not below the first.
    public var last: Int
    /// The share of the objects, in any unit, from 0 to 2^40.
    public var share: Int

    /// A class of values.
    public init(_ first: Int, _ last: Int, share: Int) {
        self.first = first
        self.last = last
        self.share = share
    }
}
