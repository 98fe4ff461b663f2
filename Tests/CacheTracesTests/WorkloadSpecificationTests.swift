import CacheCore
import Testing

@testable import CacheTraces

@Suite struct WorkloadSpecificationTests {
    private static func zipf(_ change: (inout WorkloadSpecification) -> Void) -> WorkloadSpecification {
        var specification = WorkloadSpecification(pattern: .zipf(exponent: 1), requests: 10, objects: 10)
        change(&specification)
        return specification
    }

    static let faults: [(WorkloadSpecification, String)] = [
        (zipf { $0.requests = 0 }, "requests"), (zipf { $0.requests = 1 << 32 }, "requests"),
        (zipf { $0.objects = 0 }, "objects"), (zipf { $0.objects = 1 << 32 }, "objects"),
        (zipf { $0.pattern = .zipf(exponent: -0.1) }, "exponent"),
        (zipf { $0.pattern = .zipf(exponent: .nan) }, "exponent"),
        (zipf { $0.pattern = .hotspot(hotObjects: 10, hotShare: 0.5) }, "hot-objects"),
        (zipf { $0.pattern = .hotspot(hotObjects: 5, hotShare: 1.5) }, "hot-share"),
        (zipf { $0.pattern = .scan(hotObjects: 0, exponent: 1, hotRequests: 1, scanLength: 1) }, "hot-objects"),
        (zipf { $0.pattern = .scan(hotObjects: 1, exponent: 1, hotRequests: 0, scanLength: 1) }, "hot-requests"),
        (zipf { $0.pattern = .shifting(exponent: 1, period: 0, shift: 1) }, "period"),
        (zipf { $0.pattern = .shifting(exponent: 1, period: 1, shift: 11) }, "shift"),
        (zipf { $0.sizes = .fixed(0) }, "sizes: the smallest"),
        (zipf { $0.sizes = .uniform(minimum: 5, maximum: 4) }, "sizes: the maximum"),
        (zipf { $0.sizes = .fixed(1 << 32) }, "sizes: the largest"),
        (zipf { $0.sizes = .logNormal(median: 0, sigma: 1, minimum: 1, maximum: 2) }, "sizes: median"),
        (zipf { $0.sizes = .logNormal(median: 1, sigma: -1, minimum: 1, maximum: 2) }, "sizes: sigma"),
        (zipf { $0.timesToLive = .pareto(shape: 0, minimum: 1, maximum: 2) }, "ttl: shape"),
        (
            zipf { $0.sizes = .generalizedPareto(location: 0, scale: 0, shape: 1, minimum: 1, maximum: 2) },
            "sizes: scale"
        ),
        (zipf { $0.sizes = .classes([]) }, "sizes: there must be"),
        (zipf { $0.sizes = .classes([ValueClass(2, 1, share: 1)]) }, "sizes: the last value"),
        (zipf { $0.sizes = .classes([ValueClass(1, 2, share: 0)]) }, "sizes: shares"),
        (zipf { $0.sizes = .classes([ValueClass(0, 2, share: 1)]) }, "sizes: the smallest"),
        (zipf { $0.operations = OperationMix(writes: 2) }, "share of the operations"),
        (zipf { $0.arrivals = .diurnal(periodSeconds: 1, amplitude: 2) }, "amplitude"),
        (zipf { $0.pattern = .latest(exponent: -1) }, "exponent"),
    ]

    @Test(arguments: faults)
    func faultsAreNamed(specification: WorkloadSpecification, message: String) {
        let error = assayError { () throws(AssayError) in try specification.validate() }
        #expect(error?.code == .badInput)
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test func `numbers at the ends of their ranges go together or are refused`() throws {
        let distributions: [ValueDistribution?] = [
            nil, .fixed(Int(UInt32.max) - 1),
            .logNormal(median: 1e18, sigma: 1000, minimum: 1, maximum: Int(UInt32.max) - 1),
            .logNormal(median: 1e-9, sigma: 1000, minimum: 1, maximum: 5), .pareto(shape: 1e-6, minimum: 1, maximum: 9),
            .pareto(shape: 1e6, minimum: 1, maximum: Int(UInt32.max) - 1),
            .uniform(minimum: 1, maximum: Int(UInt32.max) - 1),
            .generalizedPareto(location: -1e18, scale: 1e18, shape: 1e3, minimum: 1, maximum: Int(UInt32.max) - 1),
            .generalizedPareto(location: 1e18, scale: 1e-9, shape: -1e3, minimum: 1, maximum: 9),
            .classes([ValueClass(1, Int(UInt32.max) - 1, share: 1 << 40)]),
        ]
        let objects = 1 << 31
        let patterns: [AccessPattern] = [
            .uniform, .loop, .zipf(exponent: 0), .zipf(exponent: 1), .zipf(exponent: 100), .zipf(exponent: 1e-300),
            .scan(hotObjects: objects - 1, exponent: 100, hotRequests: 1 << 39, scanLength: 1 << 39),
            .scan(hotObjects: 1, exponent: 0, hotRequests: 1, scanLength: 1),
            .hotspot(hotObjects: objects - 1, hotShare: 1), .hotspot(hotObjects: 1, hotShare: 0),
            .shifting(exponent: 1, period: 1, shift: objects), .shifting(exponent: 1, period: .max, shift: 1),
            .latest(exponent: 100), .latest(exponent: 0),
        ]
        for (pattern, distribution) in patterns.flatMap({ pattern in distributions.map { (pattern, $0) } }) {
            for rate in [0.001, 1e9] {
                let specification = WorkloadSpecification(
                    pattern: pattern, requests: 20, objects: objects, seed: .max, sizes: distribution,
                    timesToLive: distribution, requestsPerSecond: rate)
                var list = RecordList()
                try specification.generate(into: &list)
                #expect(list.records.count == 20)
            }
        }
    }

    /// 2^32 requests at one in a thousand seconds end 136,000 years after they began.
    @Test func `a trace that outlasts the clock is refused`() {
        let specification = Self.zipf {
            ($0.requests, $0.requestsPerSecond, $0.timesToLive) = (4_294_967_294, 0.001, .fixed(1))
        }
        #expect(
            assayError { () throws(AssayError) in try specification.validate() }?.message.contains("146 years") == true)
        // Without times to live there are no times.
        let timeless = Self.zipf { ($0.requests, $0.requestsPerSecond) = (4_294_967_294, 0.001) }
        #expect(assayError { () throws(AssayError) in try timeless.validate() } == nil)
    }

    @Test func distributionsKeepTheirShape() {
        func values(_ distribution: ValueDistribution) -> [Double] {
            (0..<20_000).map { Double(distribution.value(ofObject: $0, seed: 9)) }.sorted()
        }
        #expect(Set(values(.fixed(7))) == [7])
        let uniform = values(.uniform(minimum: 10, maximum: 19))
        #expect(Set(uniform).count == 10)
        #expect((14.4...14.6).contains(uniform.reduce(0, +) / 20_000))
        let logNormal = values(.logNormal(median: 4096, sigma: 1, minimum: 1, maximum: 1 << 30))
        #expect(abs(logNormal[10_000] / 4096 - 1) < 0.05)
        // One standard deviation up is a factor of e.
        #expect(abs(logNormal[16_827] / 4096 / 2.71828 - 1) < 0.06)
        let pareto = values(.pareto(shape: 2, minimum: 1000, maximum: 1 << 30))
        #expect(abs(pareto[10_000] / 1414.2 - 1) < 0.03)
        #expect(pareto[0] >= 1000)
        #expect(values(.pareto(shape: 0.1, minimum: 1, maximum: 50)).last == 50)
        // The quantiles of the published distribution of Facebook's ETC: scale · (2^shape - 1) / shape in the middle.
        let general = values(
            .generalizedPareto(location: 0, scale: 214.476, shape: 0.348238, minimum: 1, maximum: 1 << 30))
        #expect(abs(general[10_000] / 168.1 - 1) < 0.04)
        #expect(abs(general[18_000] / 757.3 - 1) < 0.06)
        let exponential = values(.generalizedPareto(location: 100, scale: 1000, shape: 0, minimum: 1, maximum: 1 << 30))
        #expect(abs(exponential[10_000] / 793.1 - 1) < 0.04)
        let classes = values(.classes([ValueClass(5, 5, share: 3), ValueClass(10, 19, share: 1)]))
        #expect(abs(classes.count { $0 == 5 } - 15_000) < 300)
        #expect(Set(classes).count == 11)
    }

    @Test func valueBelongsToTheObject() {
        let distribution = ValueDistribution.uniform(minimum: 1, maximum: 1_000_000)
        let values = (0..<1000).map { distribution.value(ofObject: $0, seed: 1) }
        #expect(values == (0..<1000).map { distribution.value(ofObject: $0, seed: 1) })
        #expect(values != (0..<1000).map { distribution.value(ofObject: $0, seed: 2) })
        #expect(Set(values).count > 990)
    }

    @Test func everyNumberIsInTheCanonicalText() {
        let texts = Set(Self.faults.map(\.0.canonicalDescription))
        #expect(texts.count == Self.faults.count)
    }
}
