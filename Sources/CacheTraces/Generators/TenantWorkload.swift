/// One of several tenants whose requests make a generated trace.
public struct TenantWorkload: Codable, Hashable, Sendable {
    /// The name, from 1 to 255 bytes without control characters, different from the others'.
    public var name: String
    /// The share of the operations, in any unit, above 0 and at most 10^9.
    public var share: Double
    /// The number of objects that are this tenant's alone.
    public var objects: Int
    /// The order of this tenant's requests; no tenants again.
    public var pattern: AccessPattern
    /// The objects' sizes in bytes; nil for those of the specification.
    public var sizes: ValueDistribution?
    /// The objects' times to live in seconds; nil for those of the specification.
    public var timesToLive: ValueDistribution?
    /// What the operations do; nil for those of the specification.
    public var operations: OperationMix?

    /// The most tenants.
    public static var countMax: Int { 1000 }

    /// A tenant; ``WorkloadSpecification/validate()`` says whether it can be generated.
    public init(
        name: String, share: Double, objects: Int, pattern: AccessPattern, sizes: ValueDistribution? = nil,
        timesToLive: ValueDistribution? = nil, operations: OperationMix? = nil
    ) {
        self.name = name
        self.share = share
        self.objects = objects
        self.pattern = pattern
        self.sizes = sizes
        self.timesToLive = timesToLive
        self.operations = operations
    }

    /// What is wrong with the tenants, nil if nothing is.
    static func fault(_ tenants: [TenantWorkload], objects: Int) -> String? {
        guard (1...countMax).contains(tenants.count) else { return "there must be from 1 to \(countMax) tenants" }
        guard Set(tenants.map(\.name)).count == tenants.count else { return "two tenants have the same name" }
        for tenant in tenants {
            if let fault = tenant.fault { return "tenant '\(tenant.name)': \(fault)" }
        }
        // Each is at most 2^31, so that the sum cannot overflow.
        let sum = tenants.reduce(0) { $0 + $1.objects }
        return sum == objects
            ? nil : "the tenants have \(sum) objects together, so objects must be that too, or be left out"
    }

    private var fault: String? {
        guard (1...255).contains(name.utf8.count),
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return "a name has from 1 to 255 bytes, and no control characters" }
        guard share > 0, share <= 1e9 else { return "share must be above 0 and at most 1000000000" }
        guard (1...(1 << 31)).contains(objects) else { return "objects must be from 1 to 2147483648" }
        if case .tenants = pattern { return "a tenant has no tenants" }
        return pattern.fault(objects: objects) ?? sizes?.fault().map { "sizes: \($0)" }
            ?? timesToLive?.fault(least: 0).map { "ttl: \($0)" } ?? operations?.fault(with: pattern)
    }

    /// The whole tenant in words, which every number that matters is part of.
    var canonicalText: String {
        var parts = ["\(name.debugDescription) share \(share)", "objects \(objects)", pattern.canonicalText]
        if let sizes { parts.append("sizes " + sizes.canonicalText) }
        if let timesToLive { parts.append("ttl " + timesToLive.canonicalText) }
        if let operations { parts.append(operations.canonicalText) }
        return parts.joined(separator: ", ")
    }
}
