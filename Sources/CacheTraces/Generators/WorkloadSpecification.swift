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
    /// How many requests are made in a second, evenly, from 0.001 to 10^9; only a trace with times to live has times. All requests
    /// together may take 2^62 nanoseconds, 146 years.
    public var requestsPerSecond: Double

    /// A specification; ``validate()`` says whether it can be generated.
    public init(
        pattern: AccessPattern, requests: Int, objects: Int, seed: UInt64 = 1, sizes: ValueDistribution? = nil,
        timesToLive: ValueDistribution? = nil, requestsPerSecond: Double = 100
    ) {
        self.pattern = pattern
        self.requests = requests
        self.objects = objects
        self.seed = seed
        self.sizes = sizes
        self.timesToLive = timesToLive
        self.requestsPerSecond = requestsPerSecond
    }

    /// Checks every number.
    ///
    /// - Throws: `AssayError` with code `badInput` that names the number and its range.
    public func validate() throws(AssayError) {
        var fault: String?
        if !(1..<Int(UInt32.max)).contains(requests) { fault = "requests must be from 1 to 4294967294" }
        if !(1...(1 << 31)).contains(objects) { fault = "objects must be from 1 to 2147483648" }
        fault = fault ?? pattern.fault(objects: objects) ?? sizes?.fault.map { "sizes: \($0)" }
        fault = fault ?? timesToLive?.fault.map { "ttl: \($0)" }
        if !(0.001...1e9).contains(requestsPerSecond) {
            fault = "requests-per-second must be from 0.001 to 1000000000"
        } else if timesToLive != nil, Double(requests) / requestsPerSecond > Self.secondsMax {
            // A time and a time to live, below 2^32 seconds, together fit the 64 bits that count nanoseconds.
            fault =
                "requests divided by requests-per-second must be at most \(Int(Self.secondsMax)) seconds, which are 146 years"
        }
        if let fault { throw AssayError(.badInput, "The workload cannot be generated: \(fault).") }
    }

    /// The size of the object with a key, in bytes; nil for a trace without sizes. O(1).
    public func sizeBytes(ofObject key: UInt64) -> Int? {
        sizes.map { Int($0.value(ofObject: key, seed: seed)) }
    }

    /// The time to live of the object with a key, in seconds; nil for none. O(1).
    public func timeToLiveSeconds(ofObject key: UInt64) -> Int? {
        timesToLive.map { Int($0.value(ofObject: key, seed: ~seed)) }
    }

    private static let secondsMax = (0x1p62 / 1e9).rounded(.down)

    private var nanosecondsPerRequest: Int64 { Int64((1e9 / requestsPerSecond).rounded()) }

    /// The whole specification in one line: what its digest is taken of.
    public var canonicalDescription: String {
        var parts = [
            "generator 1", pattern.canonicalText, "requests \(requests)", "objects \(objects)", "seed \(seed)",
        ]
        if let sizes { parts.append("sizes " + sizes.canonicalText) }
        if let timesToLive {
            parts += ["ttl " + timesToLive.canonicalText, "a request each \(nanosecondsPerRequest) ns"]
        }
        return parts.joined(separator: ", ")
    }

    /// Sends every request to a sink.
    ///
    /// - Throws: `AssayError` with code `badInput` for a specification that cannot be generated, or what the sink throws.
    public func generate<Sink: TraceSink & ~Copyable>(into sink: inout Sink) throws(AssayError) {
        try validate()
        switch pattern {
        case .uniform: try send(UniformGenerator(objects: objects, seed: seed), to: &sink)
        case .zipf(let exponent):
            try send(ZipfGenerator(objects: objects, exponent: exponent, seed: seed), to: &sink)
        case .loop: try send(LoopGenerator(objects: objects), to: &sink)
        case .scan(let hotObjects, let exponent, let hotRequests, let scanLength):
            let generator = ScanGenerator(
                objects: objects, hotObjects: hotObjects, exponent: exponent, hotRequests: hotRequests,
                scanLength: scanLength, seed: seed)
            try send(generator, to: &sink)
        case .hotspot(let hotObjects, let hotShare):
            let generator = HotspotGenerator(objects: objects, hotObjects: hotObjects, hotShare: hotShare, seed: seed)
            try send(generator, to: &sink)
        case .shifting(let exponent, let period, let shift):
            let generator = ShiftingGenerator(
                objects: objects, exponent: exponent, period: period, shift: shift, seed: seed)
            try send(generator, to: &sink)
        }
    }

    @inline(__always)
    private func send<Generator: KeyGenerator, Sink: TraceSink & ~Copyable>(
        _ generator: Generator, to sink: inout Sink
    ) throws(AssayError) {
        var generator = generator
        let step = nanosecondsPerRequest
        // A table pays, and is no larger than the trace, where each object is asked for.
        let isTabulated = objects <= requests
        func values(_ distribution: ValueDistribution?, _ seed: UInt64) -> ((UInt64) -> UInt32)? {
            guard let distribution else { return nil }
            guard isTabulated else { return { distribution.value(ofObject: $0, seed: seed) } }
            let table = (0..<UInt64(objects)).map { distribution.value(ofObject: $0, seed: seed) }
            return { table[Int($0)] }
        }
        let sizes = values(sizes, seed)
        let seconds = values(timesToLive, ~seed)
        for request in 0..<Int64(requests) {
            let key = generator.next()
            var attributes = RequestAttributes()
            if let sizes { attributes.sizeBytes = UInt64(sizes(key)) }
            if let seconds {
                attributes.timeNanoseconds = request * step
                attributes.timeToLiveNanoseconds = Int64(seconds(key)) * 1_000_000_000
            }
            try sink.append(integer: key, attributes)
        }
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
}
