public import CacheCore

extension WorkloadSpecification {
    /// Sends every request to a sink.
    ///
    /// - Throws: `AssayError` with code `badInput` for a specification that cannot be generated, or what the sink throws.
    public func generate<Sink: TraceSink & ~Copyable>(into sink: inout Sink) throws(AssayError) {
        try validate()
        if case .tenants(let tenants) = pattern { return try send(tenants, to: &sink) }
        let spread = operations.flatMap { KeySpread($0, pattern, requests: requests, objects: objects) }
        let keys = spread.map { Int($0.keys) } ?? objects
        guard let generator = pattern.generator(requests: requests, objects: keys, seed: seed) else { return }
        var source = source(generator, spread)
        try withUnsafeTemporaryAllocation(of: GeneratedRequest.self, capacity: Self.blockRequests) { block in
            Result { () throws(AssayError) in
                block.initialize(repeating: (0, RequestAttributes()))
                for first in stride(from: 0, to: requests, by: Self.blockRequests) {
                    let block = UnsafeMutableBufferPointer(
                        rebasing: block[..<min(Self.blockRequests, requests - first)])
                    source.fill(block)
                    for request in block { try sink.append(integer: request.key, request.attributes) }
                }
            }
        }.get()
    }

    /// How many requests are generated at a time, so that no generator is compiled for each sink.
    private static let blockRequests = 1024

    private func source(_ generator: some KeyGenerator, _ spread: KeySpread?) -> any RequestSource {
        let values = ObjectValues(sizes, timesToLive, objects: objects, requests: requests, seed: seed)
        let clock = hasTimes ? ArrivalClock(arrivals ?? .constant, rate: requestsPerSecond, seed: seed) : nil
        guard let operations else { return ReadSource(generator: generator, values: values, clock: clock) }
        let stream = OperationStream(generator, operations, objects: objects, spread: spread, seed: seed)
        return MixedSource(stream: stream, values: values, clock: clock)
    }

    /// Each tenant's requests in its own order; the operations of all in turn by their shares.
    private func send<Sink: TraceSink & ~Copyable>(
        _ tenants: [TenantWorkload], to sink: inout Sink
    ) throws(AssayError) {
        var populations: [TenantPopulation] = []
        var firstKey: UInt64 = 0
        let ends = tenants.reduce(into: [Double]()) { $0.append(($0.last ?? 0) + $1.share) }
        for (index, tenant) in tenants.enumerated() {
            var name = tenant.name
            let number = try name.withUTF8 { bytes in
                Result { () throws(AssayError) in try sink.tenant(named: UnsafeRawBufferPointer(bytes)) }
            }.get()
            populations.append(
                TenantPopulation(
                    tenant, of: self, number, firstKey: firstKey, share: tenant.share / ends[ends.count - 1],
                    seed: mix64(seed &+ UInt64(index) << 32)))
            firstKey += populations[index].keys
        }
        let hasOperations = operations != nil || tenants.contains { $0.operations != nil }
        var random = SeededGenerator(seed: mix64(seed ^ 0x7465_6e61_6e74_7300))
        var clock = hasTimes ? ArrivalClock(arrivals ?? .constant, rate: requestsPerSecond, seed: seed) : nil
        for _ in 0..<requests {
            let draw = random.nextUnit() * ends[ends.count - 1]
            // The last one also where rounding reached the sum.
            let chosen = min(Self.firstIndex(above: draw, in: ends), ends.count - 1)
            var request = populations[chosen].next(at: clock?.next())
            if !hasOperations { request.attributes.operation = nil }
            try sink.append(integer: request.key, request.attributes)
        }
    }

    private static func firstIndex(above value: Double, in ends: [Double]) -> Int {
        var range = 0..<ends.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = ends[middle] > value ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}

typealias GeneratedRequest = (key: UInt64, attributes: RequestAttributes)

/// Requests of a workload, many at a time.
private protocol RequestSource {
    mutating func fill(_ block: UnsafeMutableBufferPointer<GeneratedRequest>)
}

/// Requests that state no operation.
private struct ReadSource<Generator: KeyGenerator>: RequestSource {
    var generator: Generator
    let values: ObjectValues
    var clock: ArrivalClock?

    mutating func fill(_ block: UnsafeMutableBufferPointer<GeneratedRequest>) {
        for index in block.indices {
            let key = generator.next()
            block[index] = (key, values.attributes(of: key, at: clock?.next()))
        }
    }
}

/// Requests of a mix of operations.
private struct MixedSource<Generator: KeyGenerator>: RequestSource {
    var stream: OperationStream<Generator>
    let values: ObjectValues
    var clock: ArrivalClock?

    mutating func fill(_ block: UnsafeMutableBufferPointer<GeneratedRequest>) {
        for index in block.indices {
            let (key, operation) = stream.next()
            var attributes = values.attributes(of: key, at: clock?.next())
            attributes.operation = operation
            block[index] = (key, attributes)
        }
    }
}

/// The objects of one tenant and the requests for them.
private struct TenantPopulation {
    private var stream: any RequestStream
    private let values: ObjectValues
    private let tenant: UInt16
    private let firstKey: UInt64
    /// How many keys are this tenant's: those of its objects, and of all that it may insert.
    let keys: UInt64

    init(
        _ tenant: TenantWorkload, of specification: WorkloadSpecification, _ number: UInt16, firstKey: UInt64,
        share: Double, seed: UInt64
    ) {
        let mix = tenant.operations ?? specification.operations ?? OperationMix()
        let requests = Int((Double(specification.requests) * share).rounded(.up))
        let spread = KeySpread(mix, tenant.pattern, requests: requests, objects: tenant.objects)
        // Tenants of tenants, which have no generator, are refused before.
        let generator: any KeyGenerator =
            tenant.pattern.generator(
                requests: requests, objects: spread.map { Int($0.keys) } ?? tenant.objects, seed: seed)
            ?? UniformGenerator(objects: tenant.objects, seed: seed)
        stream = Self.stream(generator, mix, objects: tenant.objects, spread, seed)
        values = ObjectValues(
            tenant.sizes ?? specification.sizes, tenant.timesToLive ?? specification.timesToLive,
            objects: tenant.objects, requests: requests, seed: seed)
        self.tenant = number
        self.firstKey = firstKey
        keys = UInt64(tenant.objects) + (mix.inserts > 0 ? UInt64(specification.requests) : 0)
    }

    private static func stream(
        _ generator: some KeyGenerator, _ mix: OperationMix, objects: Int, _ spread: KeySpread?, _ seed: UInt64
    ) -> any RequestStream {
        OperationStream(generator, mix, objects: objects, spread: spread, seed: seed)
    }

    mutating func next(at time: Int64?) -> GeneratedRequest {
        let (key, operation) = stream.next()
        var attributes = values.attributes(of: key, at: time)
        attributes.operation = operation
        attributes.tenant = tenant
        return (firstKey + key, attributes)
    }
}

/// Requests of one population, one after another.
protocol RequestStream {
    /// The key and the operation of the next request.
    mutating func next() -> (key: UInt64, operation: TraceOperation)
}

/// What belongs to each object of a population, at every request the same.
struct ObjectValues {
    private let sizes: ValueColumn?
    private let seconds: ValueColumn?

    init(
        _ sizes: ValueDistribution?, _ timesToLive: ValueDistribution?, objects: Int, requests: Int, seed: UInt64
    ) {
        // A table pays where each object is asked for, and is no larger than the trace.
        let count = objects <= min(requests, 1 << 24) ? objects : 0
        self.sizes = sizes.map { ValueColumn($0, seed: seed, tabulated: count) }
        seconds = timesToLive.map { ValueColumn($0, seed: ~seed, tabulated: count) }
    }

    @inline(__always)
    func attributes(of key: UInt64, at time: Int64?) -> RequestAttributes {
        var attributes = RequestAttributes()
        if let sizes { attributes.sizeBytes = UInt64(sizes[key]) }
        attributes.timeNanoseconds = time
        if let seconds {
            let value = seconds[key]
            // 0 is for objects that stay valid without end.
            if value > 0 { attributes.timeToLiveNanoseconds = Int64(value) * 1_000_000_000 }
        }
        return attributes
    }
}

/// Values of objects, of the first ones from a table.
private struct ValueColumn {
    private let distribution: ValueDistribution
    private let seed: UInt64
    private let table: [UInt32]

    init(_ distribution: ValueDistribution, seed: UInt64, tabulated count: Int) {
        self.distribution = distribution
        self.seed = seed
        table = (0..<UInt64(count)).map { distribution.value(ofObject: $0, seed: seed) }
    }

    @inline(__always)
    subscript(key: UInt64) -> UInt32 {
        key < UInt64(table.count) ? table[Int(key)] : distribution.value(ofObject: key, seed: seed)
    }
}
