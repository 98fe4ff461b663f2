import CacheCore

/// PLC: what every eviction policy must do, whatever its rule.
enum PolicyChecks {
    static let all: [Check] = rules + wholes + comparisons

    /// What an audit looks for after every call.
    private static let rules: [Check] = [
        rule(
            .bound, "The residents never weigh more than the capacity once a call has returned.",
            "The weights are those that the objects were admitted with, more than 32 bits have in some trials, and what the policy "
                + "says itself. Finds policies that make room after they have let the newcomer in, weights that are cut, and "
                + "miscounts at capacities of one, two and three.",
            unless: .isUnbounded),
        rule(
            .oversize, "An object that is larger than the cache does not enter and evicts nothing.",
            "In some trials one object is larger than any cache, in one all are. Finds policies that empty themselves to make room in vain."
        ),
        rule(
            .told, "Every object that leaves for space is told evicted, once, and nothing else is.",
            "An object that was told must be gone, one that was not must be there. Finds victims that a live cache would keep "
                + "for ever, because nobody tells it that they left."),
        rule(
            .touch, "A touch hits what is resident and nothing else, and changes nothing that is.",
            "Finds ghosts that are answered as hits, and hits that lose their object."),
        rule(
            .entered, "An insertion answers whether the object is resident afterwards.",
            "A live cache keeps or drops the value by this answer."),
        rule(
            .silent, "Asking contains changes nothing.",
            "It is asked for every id around every call, and the policy must evict what one evicts that is never asked. Finds lookups "
                + "that count as uses."),
        rule(
            .removal, "A removal takes its object away and no other, at any moment.",
            "Residents, ghosts and ids that were never there are removed between requests. Finds removals that are forgotten, and "
                + "hands and queues that lose the neighbour."),
        rule(
            .counted, "Count and weight are those of the residents.",
            "Compared after every call, with sizes that differ from request to request: an object weighs what it weighed when it entered. "
                + "Finds drift by removals and overwritten sizes.", unless: .servesUncounted),
        rule(
            .forgotten, "What is told forgotten was held until then, and is not resident.",
            "A live cache gives the id to another object. Finds ids that are told twice, or too early."),
        rule(
            .ghosts, "The ids that are held without being resident have a bound.",
            "More than eight times the capacity, and eight, is taken for a leak: ids that are never told forgotten. Objects that are too large are none. Finds refused "
                + "objects and dropped ghosts that are not told.", unless: .hasUnboundedGhosts),
    ]

    private static func rule(
        _ rule: PolicyRule, _ assertion: String, _ explanation: String, unless deviation: PolicyDeviations = []
    ) -> Check {
        check(.init(rule.rawValue), assertion, explanation) { (subject, context) throws(CheckStop) in
            if !deviation.isEmpty, subject.deviations.contains(deviation) {
                throw .notClaimed("by its descriptor, \(deviation)")
            }
            try context.noFinding(subject, against: rule)
            if rule == .silent { try context.asksInSilence(subject) }
        }
    }

    /// What holds of a whole run.
    private static let wholes: [Check] = [
        check(
            "PLC-11", "Equal seeds evict the same objects in the same order.",
            "Two policies are opened alike. Finds random numbers of the system's, and orders of hash tables."
        ) { (subject, context) throws(CheckStop) in
            try context.compare(subject, "a second one, opened alike") { (trial) throws(AssayError) in
                try subject.open(trial)
            }
        },
        check(
            "PLC-12", "The seed changes nothing in a policy that says it draws no random numbers.",
            "Due unless the descriptor says that results depend on the seed. Finds policies that forgot to say so."
        ) { (subject, context) throws(CheckStop) in
            if subject.isRandom { throw .notClaimed("by its descriptor, it draws random numbers") }
            try context.compare(subject, "one with another seed") { (trial) throws(AssayError) in
                try subject.open(trial, seed: 4_711)
            }
        },
        check(
            "PLC-13", "A replay counts what the same requests count one by one.",
            "Short traces, an empty one, and one of 66 000 requests, after which a policy that can exchange blocks of requests does so. Finds "
                + "fast ways that are not the plain way."
        ) { (subject, context) throws(CheckStop) in
            try context.replays(subject)
        },
        check(
            "PLC-14", "With room for everything, first requests miss, no other does, and nothing leaves.",
            "Finds victims without need, and segments that are full while the cache is not."
        ) { (subject, context) throws(CheckStop) in
            if subject.deviations.contains(.leavesRoom) {
                throw .notClaimed("by its descriptor, \(PolicyDeviations.leavesRoom)")
            }
            try context.keepsAll(subject)
        },
    ]

    /// What a policy is compared with.
    private static let comparisons: [Check] = [
        check(
            "PLC-15", "The next victim is the first to leave, and asking for it changes nothing that is resident.",
            "Admission policies compare the newcomer with it. Due wherever the policy names one; a twin that is never asked must evict the "
                + "same objects."
        ) { (subject, context) throws(CheckStop) in
            try context.namesVictims(subject)
        },
        check(
            "PLC-16", "The policy evicts what its naive twin evicts, in the same order.",
            "The twin is the rule written down in the plainest way; it is given to the subject by whoever writes the policy. Finds what "
                + "every other check permits: another rule."
        ) { (subject, context) throws(CheckStop) in
            guard let twin = subject.twin else { throw .notClaimed("a naive twin") }
            try context.compare(subject, "its twin") { (trial) throws(AssayError) in
                try twin.open(trial.configuration(subject.parameters, seed: 1))
            }
        },
    ]

    private static func check(
        _ head: Check.Head, _ assertion: String, _ explanation: String,
        _ body: @escaping @Sendable (PolicySubject, CheckContext) throws(CheckStop) -> Void
    ) -> Check {
        Check(head, assertion, explanation: explanation) { (context) throws(CheckStop) in
            guard let subject = context.subject as? PolicySubject else {
                throw .blocked("the subject is no eviction policy")
            }
            try body(subject, context)
        }
    }
}
