internal import CacheCore

/// Finds the highest rate at which a promise about response times holds.
struct KneeSearch {
    /// The promise.
    let target: BenchLoad.KneeTarget
    /// The rate to begin with, in requests a second.
    let firstRate: Double

    /// How close the answer is to a rate that broke the promise, as a factor.
    private static var precision: Double { 1.05 }
    /// The most steps, for a subject whose limit cannot be found.
    private static var mostSteps: Int { 40 }

    /// Whether a step kept the promise; a step too short to carry the percentile did not.
    func holds(_ step: RateStep) -> Bool {
        !step.isSaturated && LatencySummary.carries(target.percentile, samples: step.response.summary.samples)
            && step.response.value(atPercentile: target.percentile) <= target.nanoseconds
    }

    /// Doubles the rate until the promise breaks, halves it until it holds, and then closes in on the limit by halves.
    ///
    /// Returns the highest rate that held, 0 if none did, and every step that was made.
    func run(
        _ step: (Double) throws(AssayError) -> RateStep
    ) throws(AssayError) -> (requestsPerSecond: Double, steps: [RateStep]) {
        var steps: [RateStep] = []
        var (good, bad) = (0.0, Double.infinity)
        var rate = firstRate
        while steps.count < Self.mostSteps, rate >= 1, good == 0 || bad > good * Self.precision {
            let made = try step(rate)
            steps.append(made)
            if holds(made) { good = max(good, rate) } else { bad = min(bad, rate) }
            rate = bad == .infinity ? 2 * rate : good == 0 ? bad / 2 : (good * bad).squareRoot()
        }
        return (good, steps)
    }
}
