/// Goes on in the direction that brought hits, turns round when they fall, and takes ever smaller steps until the hit
/// ratio changes abruptly.
///
/// Einziger et al., "Adaptive software cache management", Middleware 2018, as Caffeine's simulator does it. Caches of up
/// to 512 objects grow their window first, tire more slowly, and sample up to four times longer as the steps get
/// smaller, because few requests say little.
struct SimpleClimber: WindowClimber {
    private static let abrupt = 0.05
    private static let longest = 4.0

    private let firstStep: Double
    private let firstPeriod: Int
    private let isSmall: Bool
    private var isGrowing: Bool
    private var size: Double
    /// The requests of the period that begins.
    private(set) var period: Int

    /// Steps of a sixteenth of the capacity, at least 2; periods of ten capacities.
    init(_ settings: ClimberSettings) {
        firstStep = max(settings.firstStep(usual: 0.0625), 2)
        firstPeriod = settings.requests(usual: 10)
        isSmall = settings.capacity <= 512
        isGrowing = isSmall
        size = firstStep
        period = firstPeriod
    }

    mutating func step(after sample: ClimbSample) -> Double {
        if sample.gain < 0 { isGrowing.toggle() }
        if abs(sample.gain) >= Self.abrupt {
            period = firstPeriod
            size = firstStep
        }
        let step = isGrowing ? size : -size
        size *= isSmall ? 0.995 : 0.98
        if isSmall {
            let least = max(firstStep / Self.longest, size)
            period = Int(Double(firstPeriod) * min(max(firstStep / least, 1), Self.longest))
        }
        return step
    }
}
