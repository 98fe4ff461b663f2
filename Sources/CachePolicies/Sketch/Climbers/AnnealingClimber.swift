internal import CacheCore

/// Tries random windows, keeps one that hits more, and one that hits less the more seldom the cooler it has become.
///
/// Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 220, 1983; for windows Einziger et
/// al., Middleware 2018. A trial that is not kept is undone with the next step. A fall of more than five percentage
/// points below the window that is held heats it up again.
struct AnnealingClimber: WindowClimber {
    private static let hottest = 0.05
    private static let cooling = 0.95
    private static let abrupt = 0.05

    private let width: Double
    private var temperature = hottest
    private var held = -1.0
    private var trial = 0.0
    private var generator: SeededGenerator
    /// The requests of each period.
    let period: Int

    /// Trials of about a sixteenth of the capacity while it is hot, at least 1; periods of ten capacities.
    init(_ settings: ClimberSettings) {
        width = max(1, settings.firstStep(usual: 0.0625))
        period = settings.requests(usual: 10)
        generator = SeededGenerator(seed: settings.seed)
    }

    mutating func step(after sample: ClimbSample) -> Double {
        let loss = held - sample.hitRatio
        if loss > Self.abrupt { temperature = Self.hottest }
        var back = 0.0
        if loss <= 0 || loss > Self.abrupt || generator.nextUnit() < Self.exponential(of: -loss / temperature) {
            held = sample.hitRatio
        } else {
            back = -trial
        }
        temperature *= Self.cooling
        trial = normal() * max(1, width * temperature / Self.hottest)
        return back + trial
    }

    /// About a normal deviate: the sum of twelve uniform ones. Additions alone, so that every platform agrees.
    private mutating func normal() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += generator.nextUnit() }
        return sum
    }

    /// e to the power of a negative number, by ten squarings: products alone, so that every platform agrees.
    private static func exponential(of power: Double) -> Double {
        var result = max(0, 1 + power / 1024)
        for _ in 0..<10 { result *= result }
        return result
    }
}
