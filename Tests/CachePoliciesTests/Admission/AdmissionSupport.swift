import CacheCore
import CachePolicies
import Testing

/// Every admission policy: at its defaults, then with some parameters.
enum AdmissionCalls {
    static let all =
        BuiltinAdmissions.all.map(\.descriptor.name) + [
            "tinylfu:dialect=caffeine", "tinylfu:sample=1", "second-hit:exact", "second-hit:window=3",
            "probability:p=0", "probability:p=1", "size:limit=5", "size-probability:exponent=0.2",
            "predicate:where=size<6&id>2", "adaptsize:interval=100",
        ]

    /// Policies of every shape: with and without ghosts, victims told or not, drawn, refusing, reporting late.
    static let policies = [
        "fifo", "lru", "clock", "clock:dialect=caffeine", "sieve", "arc", "2q", "lirs", "s3fifo", "slru", "lfu",
        "sampled-lru", "random:dialect=caffeine", "gdsf", "belady", "w-tinylfu",
    ]
}

/// An admission policy by itself, as the command line writes it.
func openGate(
    _ text: String, _ capacity: Capacity = .objects(10), objects: Int = 100, seed: UInt64 = 1
) throws -> AnyAdmissionPolicy {
    let call = try PolicyCall("fifo+" + text)
    var configuration = PolicyConfiguration(
        capacity: capacity, objects: ObjectSpace(count: objects, smallestSize: 1), parameters: call.parameters)
    configuration.seed = seed
    return try #require(call.admission).open(configuration)
}

/// The share of `trials` misses of a size that a new gate lets in.
func admittedShare(_ text: String, size: Int = 1, trials: Int = 20_000, seed: UInt64 = 1) throws -> Double {
    let gate = try openGate(text, seed: seed)
    let admitted = (0..<trials).count { gate.admits(Request(id: 0, size: size, index: $0), over: nil) }
    return Double(admitted) / Double(trials)
}

/// Whether a share of so many trials is within five standard deviations of a probability.
func isPlausible(_ share: Double, for probability: Double, trials: Int = 20_000) -> Bool {
    let deviation = (probability * (1 - probability) / Double(trials)).squareRoot()
    return abs(share - probability) <= 5 * deviation
}
