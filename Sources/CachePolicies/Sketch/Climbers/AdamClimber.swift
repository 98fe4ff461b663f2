/// Gradient descent whose steps are scaled by the size of the recent gradients.
///
/// Adam: Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015. Nadam, with Nesterov's look-ahead:
/// Dozat, "Incorporating Nesterov momentum into Adam", ICLR workshop 2016. AMSGrad, whose scale never falls: Reddi, Kale
/// and Kumar, "On the convergence of Adam and beyond", ICLR 2018. For windows: Einziger et al., Middleware 2018.
struct AdamClimber: WindowClimber {
    /// Which of the three.
    enum Variant { case adam, nadam, amsgrad }
    private static let beta1 = 0.9
    private static let beta2 = 0.999
    private static let epsilon = 1e-8

    private let variant: Variant
    private let rate: Double
    private var moment = 0.0
    private var velocity = 0.0
    private var largestVelocity = 0.0
    /// The two decay rates to the power of the periods so far.
    private var decay1 = 1.0
    private var decay2 = 1.0
    /// The requests of each period.
    let period: Int

    /// A rate and first step of a two-hundredth of the capacity, at least 1; periods of a twentieth of the capacity.
    init(_ settings: ClimberSettings, _ variant: Variant) {
        self.variant = variant
        rate = max(1, settings.firstStep(usual: 0.005).rounded(.down))
        period = settings.requests(usual: 0.05)
    }

    mutating func step(after sample: ClimbSample) -> Double {
        decay1 *= Self.beta1
        decay2 *= Self.beta2
        guard let gradient = sample.missRatioGradient else { return rate }
        moment = Self.beta1 * moment + (1 - Self.beta1) * gradient
        velocity = Self.beta2 * velocity + (1 - Self.beta2) * gradient * gradient
        largestVelocity = max(largestVelocity, velocity)
        let unbiased = moment / (1 - decay1)
        switch variant {
        case .adam: return -rate * unbiased / scale(velocity / (1 - decay2))
        case .nadam:
            let ahead = Self.beta1 * unbiased + (1 - Self.beta1) / (1 - decay1) * gradient
            return -rate * ahead / scale(velocity / (1 - decay2))
        case .amsgrad: return -rate * moment / scale(largestVelocity)
        }
    }

    private func scale(_ velocity: Double) -> Double { velocity.squareRoot() + Self.epsilon }
}
