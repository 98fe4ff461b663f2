/// What the operations of a workload do, as shares of all operations; what is left reads.
public struct OperationMix: Codable, Hashable, Sendable {
    /// The share that stores an object of those that exist, from 0 to 1.
    public var writes: Double
    /// The share that takes an object away, from 0 to 1.
    public var deletes: Double
    /// The share that stores a new object, from 0 to 1.
    public var inserts: Double
    /// The share that reads an object and stores it at once, from 0 to 1: two requests each.
    public var readModifyWrites: Double
    /// The share that reads objects in a row, from 0 to 1: a request for each of them.
    public var scans: Double
    /// The most objects that a scan reads, from 1 to 100,000; each number up to it is equally likely.
    public var scanLengthMax: Int

    /// A mix; what is left out has no share.
    public init(
        writes: Double = 0, deletes: Double = 0, inserts: Double = 0, readModifyWrites: Double = 0, scans: Double = 0,
        scanLengthMax: Int = 100
    ) {
        self.writes = writes
        self.deletes = deletes
        self.inserts = inserts
        self.readModifyWrites = readModifyWrites
        self.scans = scans
        self.scanLengthMax = scanLengthMax
    }

    private var shares: [Double] { [writes, deletes, inserts, readModifyWrites, scans] }

    /// What is wrong with the numbers, nil if nothing is.
    func fault(with pattern: AccessPattern) -> String? {
        // Sums of decimal fractions, such as 0.95 and 0.05, may be a little off.
        guard shares.allSatisfy({ $0 >= 0 && $0 <= 1 }), shares.reduce(0, +) <= 1 + 1e-9 else {
            return "each share of the operations must be from 0 to 1, and all together at most 1"
        }
        guard (1...100_000).contains(scanLengthMax) else { return "scan-length-max must be from 1 to 100000" }
        guard inserts > 0 || scans > 0 else { return nil }
        switch pattern {
        // Of tenants, each is looked at by itself.
        case .uniform, .zipf, .latest, .tenants: return nil
        default: return "inserts and scans need the generator uniform, zipf or latest"
        }
    }

    /// The whole mix in words, which every number that matters is part of.
    var canonicalText: String {
        "operations(writes \(writes), deletes \(deletes), inserts \(inserts), read-modify-writes \(readModifyWrites), "
            + "scans \(scans) of \(scanLengthMax))"
    }

    /// How many requests an operation makes on average, scans unlimited by the last object.
    var requestsPerOperation: Double { 1 + readModifyWrites + scans * (Double(scanLengthMax) - 1) / 2 }
}
