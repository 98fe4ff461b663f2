internal import CacheCore
internal import PolicySupport

/// The learning rate of CACHEUS: looked at once a window of requests, and moved on in the direction that raised the hit
/// ratio or back from the one that lowered it.
struct LearningRate {
    /// The range of the rate.
    private static let least = 0.001
    private static let most = 1.0
    /// So many bad windows in which the rate stood still reset it.
    private static let patience = 10

    /// The rate.
    private(set) var value: Double
    /// The rate as it was a window ago.
    private var previousValue = 0.0
    private var previousRatio = 0.0
    private let window: Int
    private var requestsLeft: Int
    private var hits = 0
    private var badWindows = 0
    private var fallingWindows = 0

    /// A rate that is looked at every `window` requests.
    init(_ value: Double, window: Int) {
        self.value = value
        self.window = window
        requestsLeft = window
    }

    /// What Caffeine starts from: the rate that bounds the regret of the two experts over a window.
    static func initial(window: Int) -> Double { (2 * PortableMath.log(2) / Double(window)).squareRoot() }

    /// Any rate in the range: what the paper starts from and resets to.
    static func random(_ generator: inout SeededGenerator) -> Double {
        least + (most - least) * generator.nextUnit()
    }

    /// Counts a hit in this window.
    mutating func countHit() { hits += 1 }

    /// Counts a request, and returns whether it ends a window.
    mutating func countRequest() -> Bool {
        requestsLeft -= 1
        guard requestsLeft == 0 else { return false }
        requestsLeft = window
        return true
    }

    /// Ends a window by the paper's algorithm.
    mutating func adapt(_ generator: inout SeededGenerator) {
        let ratio = takeRatio()
        let gain = ratio - previousRatio
        let step = value - previousValue
        previousRatio = ratio
        previousValue = value
        if step != 0 {
            move(by: step, up: gain / step > 0)
            badWindows = 0
        } else if ratio == 0 || gain <= 0 {
            badWindows += 1
            if badWindows >= Self.patience {
                badWindows = 0
                value = Self.random(&generator)
            }
        }
    }

    /// Ends a window as Caffeine does: all in thousandths, with a random step where the paper has none.
    mutating func adaptAsCaffeine(_ random: inout JavaRandom) {
        let ratio = Self.thousandths(takeRatio())
        let gain = Self.thousandths(ratio - previousRatio)
        let step = Self.thousandths(value) - Self.thousandths(previousValue)
        previousRatio = ratio
        previousValue = value
        if step * gain != 0 {
            move(by: step, up: step * gain > 0)
            badWindows = 0
            fallingWindows = 0
            return
        }
        guard gain <= 0 else { return }
        if gain < 0 { fallingWindows += 1 }
        if gain < 0 || ratio <= 0 { badWindows += 1 }
        if badWindows >= Self.patience {
            reset()
            badWindows = 0
        } else if gain < 0, fallingWindows >= Self.patience {
            reset()
            fallingWindows = 0
        } else if gain < 0 {
            nudge(&random)
        }
    }

    private mutating func takeRatio() -> Double {
        defer { hits = 0 }
        return Double(hits) / Double(window)
    }

    private mutating func move(by step: Double, up: Bool) {
        let distance = abs(value * step)
        value = up ? min(value + distance, Self.most) : max(value - distance, Self.least)
    }

    private mutating func reset() { value = min(max(Self.initial(window: window), Self.least), Self.most) }

    private mutating func nudge(_ random: inout JavaRandom) {
        if value >= Self.most {
            value = 0.9
        } else if value <= Self.least {
            value = 0.005
        } else if random.next(bits: 1) != 0 {
            value = min(value * 1.25, Self.most)
        } else {
            value = max(value * 0.75, Self.least)
        }
    }

    /// The nearest thousandth, halves upwards, as Java rounds.
    private static func thousandths(_ number: Double) -> Double {
        let scaled = number * 1000
        let below = scaled.rounded(.down)
        return (scaled - below >= 0.5 ? below + 1 : below) / 1000
    }
}
