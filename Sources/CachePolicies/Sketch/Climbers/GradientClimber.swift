/// Gradient descent on the miss ratio over the window's size, plain or with momentum.
///
/// The gradient is the change of the miss ratio over the last move of the window (Einziger et al., Middleware 2018).
/// Momentum after Polyak, "Some methods of speeding up the convergence of iteration methods", 1964; the look-ahead
/// after Nesterov, 1983. Without a last move it takes the first step again, so that it never stands still for good;
/// Caffeine's would.
struct GradientClimber: WindowClimber {
    /// What the gradients of the past add.
    enum Acceleration { case plain, momentum, nesterov }
    private static let beta = 0.9

    private let acceleration: Acceleration
    private let rate: Double
    private var velocity = 0.0
    /// The requests of each period.
    let period: Int

    /// A rate and first step of a two-hundredth of the capacity, at least 1; periods of a twentieth of the capacity.
    init(_ settings: ClimberSettings, _ acceleration: Acceleration) {
        self.acceleration = acceleration
        rate = max(1, settings.firstStep(usual: 0.005).rounded(.down))
        period = settings.requests(usual: 0.05)
    }

    mutating func step(after sample: ClimbSample) -> Double {
        guard let gradient = sample.missRatioGradient else { return rate }
        switch acceleration {
        case .plain: return -rate * gradient
        case .momentum:
            velocity = Self.beta * velocity + (1 - Self.beta) * gradient
            return -rate * velocity
        case .nesterov:
            let last = velocity
            velocity = Self.beta * velocity - rate * gradient
            return (1 + Self.beta) * velocity - Self.beta * last
        }
    }
}

extension ClimbSample {
    /// By how much the miss ratio rises with each object that the window grows by; nil if the window did not move.
    var missRatioGradient: Double? { isFirst || move == 0 ? nil : -gain / move }
}
