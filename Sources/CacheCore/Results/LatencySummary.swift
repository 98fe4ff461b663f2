/// Percentiles of one operation, in nanoseconds, from an HdrHistogram with 3 significant digits.
///
/// A percentile is nil where too few calls were timed to carry it: ``samplesBeyond`` of them must lie beyond it. The rule holds for
/// what is read from older files too.
public struct LatencySummary: Codable, Sendable, Hashable {
    /// How many timed calls must lie beyond a percentile.
    public static var samplesBeyond: Int { 10 }

    /// How many calls were timed.
    public var samples: Int
    /// How many calls there were.
    public var operations: Int
    /// The median; nil for fewer than 20 samples.
    public var p50Nanoseconds: Int?
    /// The 90th percentile; nil for fewer than 100 samples.
    public var p90Nanoseconds: Int?
    /// The 99th percentile; nil for fewer than 1,000 samples.
    public var p99Nanoseconds: Int?
    /// The 99.9th percentile; nil for fewer than 10,000 samples.
    public var p999Nanoseconds: Int?
    /// The slowest timed call; nil where none was timed.
    public var maxNanoseconds: Int?

    /// Percentiles in nanoseconds over `samples` timed of `operations` calls; those that the samples do not carry are dropped.
    public init(samples: Int, operations: Int, p50: Int?, p90: Int?, p99: Int?, p999: Int?, max: Int?) {
        self.samples = samples
        self.operations = operations
        func carried(_ value: Int?, _ percentile: Double) -> Int? {
            Self.carries(percentile, samples: samples) ? value : nil
        }
        p50Nanoseconds = carried(p50, 50)
        p90Nanoseconds = carried(p90, 90)
        p99Nanoseconds = carried(p99, 99)
        p999Nanoseconds = carried(p999, 99.9)
        maxNanoseconds = carried(max, 100)
    }

    /// Reads a summary; a percentile that the samples do not carry is dropped.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func time(_ key: CodingKeys) throws -> Int? { try values.decodeIfPresent(Int.self, forKey: key) }
        self.init(
            samples: try values.decode(Int.self, forKey: .samples),
            operations: try values.decode(Int.self, forKey: .operations), p50: try time(.p50Nanoseconds),
            p90: try time(.p90Nanoseconds), p99: try time(.p99Nanoseconds), p999: try time(.p999Nanoseconds),
            max: try time(.maxNanoseconds))
    }

    /// The fewest samples that carry a percentile from 0 to 100; one carries the slowest call, the percentile 100.
    public static func fewestSamples(percentile: Double) -> Int {
        guard percentile < 100 else { return 1 }
        // 99.9 is a little less as a binary number.
        let exact = Double(samplesBeyond) * 100 / (100 - percentile)
        return Int((exact * (1 - 1e-9)).rounded(.up))
    }

    /// Whether so many samples carry a percentile from 0 to 100.
    public static func carries(_ percentile: Double, samples: Int) -> Bool {
        samples >= fewestSamples(percentile: percentile)
    }
}
