internal import CacheCore
internal import CacheHarness
internal import CacheTraces

/// What workloads draw, by their seed alone.
extension SystemRunSetup {
    /// The most virtual time that a run may take, in years: its clock counts nanoseconds in 64 bits.
    private static var yearsMax: Double { 100 }
    private static var nanosecondsAYear: Double { 31_557_600e9 }

    /// The profile of the origin that the settings describe, of which at most so many requests ask for at most so many bytes each.
    ///
    /// - Throws: `AssayError` with code `badInput` if all answers together may take more than a century.
    func originProfile(
        requests: Int, bytesMax: Int, mayBeAway: Bool = false
    ) throws(AssayError) -> SimulatedOrigin.OriginProfile {
        let profile = SimulatedOrigin.OriginProfile(
            nanoseconds: values.integer("origin-milliseconds") * 1_000_000,
            bytesPerSecond: values.integer("origin-bytes-per-second"))
        let waiting = mayBeAway ? SimulatedOrigin.giveUpNanoseconds : 0
        let slowest = max(waiting, SimulatedOrigin(profile).cost(bytes: bytesMax).nanoseconds)
        let years = Double(slowest) * Double(requests) / Self.nanosecondsAYear
        guard years <= Self.yearsMax else {
            throw AssayError(
                .badInput,
                "\(requests) answers of the origin may take \(years.rounded()) years of virtual time; at most \(Self.yearsMax). "
                    + "Lower origin-milliseconds or the number of requests, or raise origin-bytes-per-second.")
        }
        return profile
    }

    /// The same with outages.
    ///
    /// - Throws: as the other, and for outages that are longer than the time between them.
    func originProfileWithOutages(requests: Int) throws(AssayError) -> SimulatedOrigin.OriginProfile {
        var profile = try originProfile(requests: requests, bytesMax: values.integer("size-max"), mayBeAway: true)
        profile.outageEverySeconds = values.integer("outage-every-seconds")
        profile.outageSeconds = values.integer("outage-seconds")
        guard profile.outageEverySeconds == 0 || profile.outageSeconds <= profile.outageEverySeconds else {
            throw AssayError(
                .badInput, "outage-seconds is larger than outage-every-seconds, the time from one outage to the next.")
        }
        return profile
    }

    /// The virtual time between two requests, in nanoseconds.
    ///
    /// - Throws: `AssayError` with code `badInput` if all requests together take more than a century.
    func stepNanoseconds() throws(AssayError) -> Int64 {
        let step = values.number("seconds-between-requests") * 1e9
        let years = step * Double(scaled("requests")) / Self.nanosecondsAYear
        guard years <= Self.yearsMax else {
            throw AssayError(
                .badInput,
                "requests times seconds-between-requests is \(years.rounded()) years of virtual time; at most \(Self.yearsMax)."
            )
        }
        return Int64(step)
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
