/// How much a check may still do: moments and configurations, whichever ends first.
struct SearchBudget {
    private let deadline: ContinuousClock.Instant
    private(set) var configurations: Int
    private var untilLook = 0
    private(set) var isExhausted = false
    /// Whether it was time that ran out.
    private(set) var isLate = false

    init(seconds: Double, configurations: Int) {
        // A limit beyond some years is none, and must not overflow.
        deadline = .now + .seconds(min(seconds, 1e9))
        self.configurations = configurations
    }

    /// Takes one configuration; false if there is nothing left. Looks at the clock now and then.
    mutating func take() -> Bool {
        guard !isExhausted else { return false }
        configurations -= 1
        untilLook -= 1
        if configurations < 0 { isExhausted = true }
        if untilLook <= 0 {
            untilLook = 1_024
            if ContinuousClock.now >= deadline {
                isLate = true
                isExhausted = true
            }
        }
        return !isExhausted
    }
}
