/// What may be spent on making a failure smaller: so many tries, and so much time, whichever ends first.
struct ShrinkBudget {
    private let tries: Int
    private var used = 0
    private let seconds: Int
    private let end: ContinuousClock.Instant
    /// Why no more is tried although there is more to try; nil as long as there is a budget.
    private(set) var reason: String?

    /// A budget that begins now.
    init(tries: Int, seconds: Int) {
        (self.tries, self.seconds) = (tries, seconds)
        end = .now + .seconds(seconds)
    }

    /// Whether the time is over.
    var isOver: Bool { ContinuousClock.now >= end }

    /// Takes one try, or says that none is left of these, or of fewer.
    mutating func take(of limit: Int = .max) -> Bool {
        guard reason == nil else { return false }
        used += 1
        if used > min(tries, limit) {
            reason = "\(min(tries, limit)) tries"
        } else if isOver {
            reason = "\(seconds) s"
        }
        return reason == nil
    }

    /// Ends it: the subject did not answer, and each further try may cost the deadline once more.
    mutating func endByHanging() { reason = reason ?? "a try to which there was no answer" }

    /// What a failure says of it; nil where everything was tried.
    func words(_ what: String) -> String? {
        reason.map { "\(what) may be smaller: making it smaller ended after \($0)" }
    }
}
