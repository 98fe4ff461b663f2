/// What a climber learns when a sample period ends.
struct ClimbSample {
    /// Hits over requests of the period that ended.
    var hitRatio: Double
    /// The same of the period before; 0 in the first.
    var previousHitRatio: Double
    /// The window's size now, in objects and fractions of one.
    var window: Double
    /// The window's size at the end of the period before, before the step that followed it.
    var previousWindow: Double
    /// Whether no period ended before.
    var isFirst: Bool

    /// The change of the hit ratio.
    var gain: Double { hitRatio - previousHitRatio }
    /// The change of the window.
    var move: Double { window - previousWindow }
}

/// A rule that walks a window's size towards more hits: at the end of each sample period it says how far to go next.
///
/// Einziger, Eytan, Friedman and Manes, "Adaptive software cache management", Middleware 2018. It runs once a period,
/// so that it may be held as an existential.
protocol WindowClimber: Sendable {
    /// The requests of the period that begins, at least 1.
    var period: Int { get }
    /// How many objects the window should grow by; shrink, if negative.
    mutating func step(after sample: ClimbSample) -> Double
}

/// What a climber starts from.
struct ClimberSettings {
    /// The capacity in objects.
    var capacity: Int
    /// The size of the first step as a share of the capacity; 0 for the climber's own.
    var pivot: Double
    /// The requests of a period as a multiple of the capacity; 0 for the climber's own.
    var sample: Double
    /// The seed of everything random.
    var seed: UInt64

    /// The first step in objects, for a climber whose own share is `usual`.
    func firstStep(usual: Double) -> Double { (pivot > 0 ? pivot : usual) * Double(capacity) }

    /// The requests of a period, for a climber whose own multiple is `usual`.
    func requests(usual: Double) -> Int { max(1, Int((sample > 0 ? sample : usual) * Double(capacity))) }
}

/// The climbers by the names that the parameter `climber` gives them.
enum ClimberKind: String, CaseIterable {
    case simple, correlation
    case trustRegion = "trust-region-ewma"
    case annealing = "simulated-annealing"
    case gradient = "gradient-descent"
    case momentum, nesterov, adam, nadam, amsgrad

    /// A climber at its start.
    func makeClimber(_ settings: ClimberSettings) -> any WindowClimber {
        switch self {
        case .simple: SimpleClimber(settings)
        case .correlation: CorrelationClimber(settings)
        case .trustRegion: TrustRegionClimber(settings)
        case .annealing: AnnealingClimber(settings)
        case .gradient: GradientClimber(settings, .plain)
        case .momentum: GradientClimber(settings, .momentum)
        case .nesterov: GradientClimber(settings, .nesterov)
        case .adam: AdamClimber(settings, .adam)
        case .nadam: AdamClimber(settings, .nadam)
        case .amsgrad: AdamClimber(settings, .amsgrad)
        }
    }
}
