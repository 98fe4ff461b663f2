/// Takes longer steps while the hit ratio keeps changing as much as before and shorter ones when it settles.
///
/// A trust region whose measure is the smoothed change of the hit ratio over the last one, as in Caffeine's simulator.
/// It grows the window first. A fall of more than half a percentage point turns it round at half the step.
struct TrustRegionClimber: WindowClimber {
    private static let smoothing = 0.3
    private static let overshoot = 0.005

    private let shortest: Double
    private let longest: Double
    private var size: Double
    private var lastChange = 0.0
    private var smoothedChange = 0.0
    private var isGrowing = true
    /// The requests of each period.
    let period: Int

    /// A first step of a sixteenth of the capacity, kept between a thousandth and a tenth; periods of ten capacities.
    init(_ settings: ClimberSettings) {
        shortest = max(1, 0.001 * Double(settings.capacity))
        longest = max(shortest + 1, 0.10 * Double(settings.capacity))
        size = settings.firstStep(usual: 0.0625)
        period = settings.requests(usual: 10)
    }

    mutating func step(after sample: ClimbSample) -> Double {
        if sample.isFirst { return size }
        let change = abs(sample.gain)
        smoothedChange = (1 - Self.smoothing) * smoothedChange + Self.smoothing * change
        if lastChange > 1e-12 {
            let ratio = smoothedChange / lastChange
            if ratio < 0.25 {
                size *= 0.5
            } else if ratio > 0.75 {
                size *= 1.5
            }
        }
        size = min(max(size, shortest), longest)
        lastChange = change
        if sample.gain < -Self.overshoot {
            isGrowing.toggle()
            return isGrowing ? size * 0.5 : -(size * 0.5)
        }
        isGrowing = (sample.gain >= 0) == isGrowing
        return isGrowing ? size : -size
    }
}
