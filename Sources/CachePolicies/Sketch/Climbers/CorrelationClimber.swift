/// Goes on while the window and the hit ratio move alike and turns round when they do not, with steps in proportion to
/// the last move.
///
/// After the learning rate's climber of CACHEUS (Rodriguez et al., FAST 2021, algorithm 3), as Caffeine's simulator
/// applies it to the window. Without a last move it takes the first step; a hit ratio that did not change holds it; five
/// falls in a row start it again.
struct CorrelationClimber: WindowClimber {
    private static let patience = 5
    private static let scale = 0.95

    private let firstStep: Double
    private var falls = 0
    /// The requests of each period.
    let period: Int

    /// A first step of a sixteenth of the capacity, at least 1; periods of ten capacities.
    init(_ settings: ClimberSettings) {
        firstStep = max(1, settings.firstStep(usual: 0.0625).rounded(.down))
        period = settings.requests(usual: 10)
    }

    mutating func step(after sample: ClimbSample) -> Double {
        if sample.isFirst || sample.move == 0 { return firstStep }
        falls = sample.gain < 0 ? falls + 1 : 0
        if falls >= Self.patience {
            falls = 0
            return firstStep
        }
        let agreement = sample.move * sample.gain
        if agreement == 0 { return 0 }
        let size = max(1, Self.scale * abs(sample.move))
        return agreement > 0 ? size : -size
    }
}
