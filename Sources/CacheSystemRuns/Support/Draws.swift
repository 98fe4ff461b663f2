internal import CacheCore
internal import CacheHarness
internal import CacheTraces

/// What workloads draw, by their seed alone.
extension SystemRunSetup {
    /// The manner of the origin that the settings describe.
    var originManner: SimulatedOrigin.Manner {
        SimulatedOrigin.Manner(
            nanoseconds: values.integer("origin-milliseconds") * 1_000_000,
            bytesPerSecond: values.integer("origin-bytes-per-second"))
    }

    /// The same with outages.
    var originMannerWithOutages: SimulatedOrigin.Manner {
        var manner = originManner
        manner.outageEverySeconds = values.integer("outage-every-seconds")
        manner.outageSeconds = values.integer("outage-seconds")
        return manner
    }

    /// Objects in the order in which they are asked for.
    func drawnObjects(_ count: Int, of objects: Int, exponent: Double) -> [UInt32] {
        var generator = ZipfGenerator(objects: objects, exponent: exponent, seed: seed)
        return (0..<count).map { _ in UInt32(truncatingIfNeeded: generator.next()) }
    }

    /// The size of an object, in bytes.
    func drawnSize(_ object: Int) -> Int {
        let sizes = ValueDistribution.logNormal(
            median: Double(values.integer("size-median")), sigma: values.number("size-sigma"), minimum: 16,
            maximum: max(16, values.integer("size-max")))
        return Int(sizes.value(ofObject: UInt64(object), seed: seed))
    }

    /// A number in `0..<1` that belongs to some numbers, such as a request or an object.
    func drawn(_ purpose: UInt64, _ number: Int) -> Double {
        var generator = SeededGenerator(seed: mix64(seed ^ mix64(purpose)) ^ mix64(UInt64(number) &+ purpose))
        return generator.nextUnit()
    }
}

/// Throws for an answer that is not the one it should be.
func require(_ isRight: Bool, _ what: @autoclosure () -> String) throws(AssayError) {
    guard isRight else { throw AssayError(.verdict, "a wrong answer: \(what())") }
}
