internal import CacheCore

/// How the parameter `window` divides the capacity between a window and the main cache.
struct WindowShares {
    /// The most weight in the window, at least 1.
    let window: Int
    /// The most weight outside the window, rounded down.
    let main: Int
    private let parameters: ParameterValues

    /// The shares of a configuration.
    init(_ configuration: PolicyConfiguration) {
        let capacity = configuration.capacity.amount
        parameters = configuration.parameters
        main = Int(Double(capacity) * (1 - parameters.number("window")))
        window = max(1, capacity - main)
    }

    /// The most weight in the main cache's protected segment, rounded down: the parameter `protected`.
    var protected: Int { Int(Double(main) * parameters.number("protected")) }
}
