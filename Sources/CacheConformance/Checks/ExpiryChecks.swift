import CacheCore

/// TTL: entries whose time is over.
enum ExpiryChecks: LetterKeys {
    static let lives = Claim.feature(.timeToLive)

    static let day: Int64 = 86_400 * 1_000_000_000

    /// TTL-3: where an entry is stated to be live at its deadline, it is there then.
    static func atDeadline(_ context: CheckContext) throws(CheckStop) {
        let claims = context.claims
        guard claims.deviates(.liveAtDeadline) else { return }
        let life = 10 * claims.clockStep
        let isOwn = claims.hasOwnTimes
        var setup = CacheSetup()
        if !isOwn { setup.timeToLiveNanoseconds = life }
        let steps = [put(a, 1, lives: isOwn ? life : nil), wait(life), .get(a), wait(claims.clockStep), .get(a)]
        try context.verify(asked: Program(steps, setup: setup), as: claims)
    }

    /// Asks a program whose lives are of 10, and the same with a time to idle of 10 in their place.
    static func ends(_ context: CheckContext, _ operations: [CacheOperation]) throws(CheckStop) {
        let claimed = context.claimed(operations)
        try context.verify(claimed)
        guard context.claims.claims(.timeToIdle) else { return }
        let idling = claimed.map { OperationLine($0).withoutLife.read() ?? $0 }
        try context.verify(idling, setup: CacheSetup(timeToIdleNanoseconds: 10))
    }

    static func manyAtOnce(_ context: CheckContext) throws(CheckStop) -> String {
        let count = context.subject.needsDirectory ? 1_000 : 10_000
        let steps = ["put \(count) entries that live 10 ns", "wait 10 ns", "maintain", "get each"]
        let isLeft = try context.withInstance(steps: steps) { instance in
            for number in 0..<count { _ = instance.perform(put(Array("k\(number)".utf8), 1, lives: 10)) }
            _ = instance.perform(wait(10))
            _ = instance.perform(.maintain)
            return (0..<count).contains { instance.perform(.get(Array("k\($0)".utf8))).isHit }
        }
        return isLeft ? "some are still answered" : "all are gone"
    }

    static func clocks(_ context: CheckContext) throws(CheckStop) {
        if context.claims.claims(.countsSleep) {
            try context.verify([
                put(a, 1, lives: 100), put(b, 2, lives: 10), .sleep(nanoseconds: 99), .get(a), .get(b),
                .sleep(nanoseconds: 1), .get(a), .contains(a),
            ])
        }
        let hasWallClock = try context.withInstance(steps: ["open"]) {
            !$0.perform(.moveWallClock(nanoseconds: 0)).isUnsupported
        }
        guard hasWallClock else { throw .notClaimed("a clock of the day: 'moveWallClock' is answered 'unsupported'") }
        let moves = [3_600, -3_600, 315_360_000, -315_360_000].flatMap { (seconds: Int64) -> [CacheOperation] in
            [.moveWallClock(nanoseconds: seconds * 1_000_000_000), .get(a)]
        }
        try context.verify(
            [put(a, 1, lives: 100)] + moves + [
                wait(100), .get(a), put(b, 2, lives: 10), .moveWallClock(nanoseconds: -10_000_000_000), wait(10),
                .get(b),
            ])
    }

    /// TTL-28.
    private static let presentEnds = Check(
        .init("TTL-28", dependsOn: ["TTL-2", "EVT-3"], source: "avoidwork/tiny-lru#11, ben-manes/caffeine#478"),
        due: [lives],
        "A sweep takes what is over by its present end, whatever ends it had before.",
        explanation: """
            An end is given, taken, brought forward and put off by an overwrite, and taken by a removal and by a clear that are \
            followed by a write without one, each beside an entry that must be swept; and what was over is written anew before \
            the sweep. After the chores the entry is there or not, and has been told or not, as its last write says. Witness: it was \
            found before. Finds timers that outlive their entries (avoidwork/tiny-lru#11), and ends that nobody scheduled \
            (ben-manes/caffeine#478).
            """
    ) { (context) throws(CheckStop) in
        let swept: [CacheOperation] =
            [.maintain] + (context.claims.claims(.events) ? [.events] : []) + [.get(a), .get(b)]
        let beside = [put(b, 9, lives: 5), wait(5)]
        let changes: [[CacheOperation]] = [
            [put(a, 1, lives: nil), .get(a), put(a, 2, lives: 5)],
            [put(a, 1, lives: 5), .get(a), put(a, 2, lives: nil)],
            [put(a, 1, lives: 100), .get(a), put(a, 2, lives: 5)],
            [put(a, 1, lives: 5), .get(a), put(a, 2, lives: 100)],
            [put(a, 1, lives: 5), .get(a), .remove(a), put(a, 2, lives: nil)],
            [put(a, 1, lives: 5), .get(a), .removeAll, put(a, 2, lives: nil)],
            [put(a, 1, lives: 5), .get(a), wait(5), put(a, 2, lives: 100)],
        ]
        for change in changes { try context.verify(change + beside + swept + [wait(100)] + swept) }
    }

    /// In the order of their numbers.
    static let all = (ofEnds + ofWrites + [presentEnds]).inOrder
}
