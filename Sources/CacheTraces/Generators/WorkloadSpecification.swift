public import CacheCore

/// A trace that is generated: equal specifications give equal requests, on every platform and in every version.
public struct WorkloadSpecification: Codable, Hashable, Sendable {
    /// The order of requests.
    public var pattern: AccessPattern
    /// The number of requests, from 1 to 2^32 - 2.
    public var requests: Int
    /// The number of objects to draw from, from 1 to 2^31; a trace may not reach all of them.
    public var objects: Int
    /// The seed of everything random.
    public var seed: UInt64
    /// The objects' sizes in bytes; nil for a trace without sizes.
    public var sizes: ValueDistribution?
    /// The objects' times to live in seconds; nil for none.
    public var timesToLive: ValueDistribution?
    /// How many requests are made in a second on average, from 0.001 to 10^9; only a trace with times to live or with ``arrivals`` has
    /// times. All requests together may take 2^62 nanoseconds, 146 years.
    public var requestsPerSecond: Double
    /// What the operations do; nil for a trace that states none. A tenant's own come first.
    public var operations: OperationMix?
    /// When requests are made; nil for at equal intervals, in a trace with times to live.
    public var arrivals: ArrivalProcess?

    /// A specification; ``validate()`` says whether it can be generated.
    public init(
        pattern: AccessPattern, requests: Int, objects: Int, seed: UInt64 = 1, sizes: ValueDistribution? = nil,
        timesToLive: ValueDistribution? = nil, requestsPerSecond: Double = 100, operations: OperationMix? = nil,
        arrivals: ArrivalProcess? = nil
    ) {
        self.pattern = pattern
        self.requests = requests
        self.objects = objects
        self.seed = seed
        self.sizes = sizes
        self.timesToLive = timesToLive
        self.requestsPerSecond = requestsPerSecond
        self.operations = operations
        self.arrivals = arrivals
    }

    /// Checks every number.
    ///
    /// - Throws: `AssayError` with code `badInput` that names the number and its range.
    public func validate() throws(AssayError) {
        var fault: String?
        if !(1..<Int(UInt32.max)).contains(requests) { fault = "requests must be from 1 to 4294967294" }
        if !(1...(1 << 31)).contains(objects) { fault = "objects must be from 1 to 2147483648" }
        fault = fault ?? pattern.fault(objects: objects) ?? sizes?.fault().map { "sizes: \($0)" }
        fault = fault ?? timesToLive?.fault(least: 0).map { "ttl: \($0)" } ?? operations?.fault(with: pattern)
        fault = fault ?? arrivals?.fault ?? populationFault
        if !(0.001...1e9).contains(requestsPerSecond) {
            fault = "requests-per-second must be from 0.001 to 1000000000"
        } else if hasTimes, Double(requests) / requestsPerSecond > Self.secondsMax {
            // A time and a time to live, below 2^32 seconds, together fit the 64 bits that count nanoseconds.
            fault =
                "requests divided by requests-per-second must be at most \(Int(Self.secondsMax)) seconds, which are 146 years"
        }
        if let fault { throw AssayError(.badInput, "The workload cannot be generated: \(fault).") }
    }

    /// Sizes belong to all requests or to none, and operations fit the pattern that they are made in.
    private var populationFault: String? {
        guard case .tenants(let tenants) = pattern else { return nil }
        guard sizes != nil || tenants.allSatisfy({ $0.sizes == nil }) || tenants.allSatisfy({ $0.sizes != nil }) else {
            return "some tenants have sizes and others have none; give the others 'sizes' too"
        }
        return tenants.lazy.compactMap { tenant in
            (tenant.operations ?? operations)?.fault(with: tenant.pattern).map { "tenant '\(tenant.name)': \($0)" }
        }.first
    }

    /// The size of the object with a key, in bytes; nil for a trace without sizes, and for one of tenants. O(1).
    public func sizeBytes(ofObject key: UInt64) -> Int? {
        sizes.map { Int($0.value(ofObject: key, seed: seed)) }
    }

    /// The time to live of the object with a key, in seconds; nil for none, and for one of tenants. O(1).
    public func timeToLiveSeconds(ofObject key: UInt64) -> Int? {
        timesToLive.map { Int($0.value(ofObject: key, seed: ~seed)) }
    }

    private static let secondsMax = (0x1p62 / 1e9).rounded(.down)

    private var nanosecondsPerRequest: Int64 { Int64((1e9 / requestsPerSecond).rounded()) }

    /// Whether the requests have times.
    public var hasTimes: Bool {
        if timesToLive != nil || arrivals != nil { return true }
        guard case .tenants(let tenants) = pattern else { return false }
        return tenants.contains { $0.timesToLive != nil }
    }

    /// The whole specification in one line: what its digest is taken of.
    public var canonicalDescription: String {
        var parts = [
            "generator 1", pattern.canonicalText, "requests \(requests)", "objects \(objects)", "seed \(seed)",
        ]
        if let sizes { parts.append("sizes " + sizes.canonicalText) }
        if let timesToLive { parts.append("ttl " + timesToLive.canonicalText) }
        if hasTimes { parts.append("a request each \(nanosecondsPerRequest) ns") }
        if let operations { parts.append(operations.canonicalText) }
        // The mean interval above is rounded; the others are drawn from the rate itself.
        if let arrivals { parts.append("arrivals \(arrivals.canonicalText) at \(requestsPerSecond) a second") }
        return parts.joined(separator: ", ")
    }
}

extension TraceStore {
    /// Opens a generated trace, generating it first unless that was done before.
    ///
    /// - Throws: `AssayError` with code `badInput` for a specification that cannot be generated, `inputOutput` if writing
    ///   failed.
    public func open(
        generated specification: WorkloadSpecification, onProgress: ((Int) -> Void)? = nil
    ) throws(AssayError) -> CompiledTrace {
        try specification.validate()
        let description = specification.canonicalDescription
        let source = SHA256.hexadecimal(of: description.utf8)
        return try open("generated\n\(source)\n", source, "generated: " + description, onProgress) {
            (compiler) throws(AssayError) in
            try specification.generate(into: &compiler)
        }
    }

    /// What is known of a generated workload without generating it.
    ///
    /// - Throws: `AssayError` with code `badInput` for a specification that cannot be generated.
    public func forecast(generated specification: WorkloadSpecification) throws(AssayError) -> TraceForecast {
        try specification.validate()
        return TraceForecast(
            digest: SHA256.hexadecimal(of: specification.canonicalDescription.utf8), sourceBytes: nil,
            requests: specification.requests, objects: specification.objects, isCompiled: false)
    }
}
