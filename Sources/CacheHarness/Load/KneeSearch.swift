internal import CacheCore

/// Finds the highest rate at which a promise about response times holds.
struct KneeSearch {
    /// The promise.
    let target: BenchLoad.KneeTarget
    /// The rate to begin with, in requests a second.
    let firstRate: Double
    /// The lowest rate whose step carries the percentile, in requests a second: none below it is tried.
    var leastRate = 1.0

    /// How close the answer is to a rate that broke the promise, as a factor.
    private static var precision: Double { 1.05 }
    /// The most steps, for a subject whose limit cannot be found.
    private static var mostSteps: Int { 40 }

    /// Whether a step kept the promise; nil for one too short to carry the percentile.
    func holds(_ step: RateStep) -> Bool? {
        if step.isSaturated { return false }
        guard LatencySummary.carries(target.percentile, samples: step.response.summary.samples) else { return nil }
        return step.response.value(atPercentile: target.percentile) <= target.nanoseconds
    }

    /// Doubles the rate until the promise breaks, halves it until it holds, and then closes in on the limit by halves. A step that
    /// does not carry the percentile says nothing, and the next one is faster.
    ///
    /// Returns the highest rate that held, 0 if none did, and every step that was made.
    func run(
        _ step: (Double) throws(AssayError) -> RateStep
    ) throws(AssayError) -> (requestsPerSecond: Double, steps: [RateStep]) {
        var steps: [RateStep] = []
        var (good, bad) = (0.0, Double.infinity)
        var least = max(1, leastRate)
        var rate = max(firstRate, least)
        while steps.count < Self.mostSteps, rate < bad, good == 0 || bad > good * Self.precision {
            let made = try step(rate)
            steps.append(made)
            switch holds(made) {
            case true?: good = max(good, rate)
            case false?: bad = min(bad, rate)
            case nil where good > 0: return (good, steps)
            case nil: least = 2 * rate
            }
            rate = bad == .infinity ? 2 * rate : good == 0 ? max(least, bad / 2) : (good * bad).squareRoot()
        }
        return (good, steps)
    }
}
