/// The moments at which one process after the other is killed, until a kill came in the middle of what is tried.
///
/// A kill before it begins or after its end shows nothing, and how long it takes differs from store to store and from
/// machine to machine: after the moments that are tried in any case come others between what was too early and too late.
struct KillMoments {
    /// Where a kill came.
    enum Place {
        case early, midway, late
    }

    /// Whether a kill came in the middle.
    private(set) var isMidway = false
    private var planned: ArraySlice<Int>
    /// The latest that was too early, and the earliest that was too late if any was.
    private var early = 0
    private var late: Int?
    private var spare = 10
    private static let latest = 1_000_000

    /// Moments in microseconds that are tried in any case.
    init(microseconds planned: [Int]) { self.planned = planned[...] }

    /// From 25 µs to 51 ms, each twice the one before: whatever takes no longer is hit in its second half.
    static let doubling = KillMoments(microseconds: (0..<12).map { 25 << $0 })

    /// The next moment; nil if there were enough.
    mutating func next() -> Int? {
        if let moment = planned.popFirst() { return moment }
        let moment = late.map { (early + $0) / 2 } ?? 2 * early
        guard !isMidway, spare > 0, (1...Self.latest).contains(moment) else { return nil }
        spare -= 1
        return moment
    }

    /// Takes note of where the kill at a moment came.
    mutating func note(_ place: Place, at moment: Int) {
        switch place {
        case .early: early = max(early, moment)
        case .midway: isMidway = true
        case .late: late = min(late ?? moment, moment)
        }
    }
}
