public import CacheCore
internal import PolicySupport

/// Lets an object in if it was asked for more often lately than the victim.
///
/// Einziger, Friedman and Manes, "TinyLFU: a highly efficient cache admission policy", ACM Transactions on Storage
/// 13(4), 2017. Frequencies come from a sketch of every request that halves its counters, and its count of requests, when it has
/// counted `sample` times the capacity; in bytes, `sample` times as many as could be resident of the smallest objects. O(1) a request,
/// amortised; 8 to 16 bytes an object that can be resident.
///
/// Dialect `caffeine`: the `TinyLfu` of Caffeine's simulator with its own sketch over the original keys. A candidate of
/// frequency 6 or more that loses is let in with probability 1/128, by the numbers of `java.util.Random` and the
/// simulator's seed. In bytes the sketch is as large as the capacity in bytes asks for, and the candidate is compared with
/// each victim in turn: those that lose leave even if it is refused in the end.
public struct TinyLFUAdmission: ~Copyable, AdmissionPolicy {
    private var filter: TinyLFU
    /// Whether the candidate must win against each of several victims.
    public let comparesEachVictim: Bool

    /// The sketch's sample, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "tinylfu", family: "admission",
            summary: "Lets an object in if it was asked for more often lately than the victim.",
            citation: "Einziger et al., ACM Transactions on Storage 13(4), 2017",
            parameters: [
                ParameterSpecification(
                    "sample", .integer(default: 10, 1...1000),
                    "Requests counted when the counters are halved, in capacities."),
                TinyLFU.Rules.parameter,
            ])
    }

    /// True: it counts every request.
    public static var needsRecord: Bool { true }

    /// A filter that has seen no request.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let rules = TinyLFU.Rules(configuration)
        let objects = rules == .caffeine ? configuration.capacity.amount : configuration.expectedResidents
        filter = TinyLFU(configuration, rules, objects: objects, sample: configuration.parameters.integer("sample"))
        comparesEachVictim = rules == .caffeine
    }

    /// Counts the request.
    public mutating func record(_ request: Request) { filter.record(request.id) }

    /// Compares the frequencies.
    public mutating func admits(_ request: Request, over victim: ObjectID?) -> Bool {
        guard let victim else { return true }
        return filter.admits(request.id, over: victim)
    }

    /// Compares with the frequency of what was evicted last.
    public mutating func admits(_ request: Request, overIdentity identity: UInt64) -> Bool {
        filter.admits(request.id, overIdentity: identity)
    }
}
