public import CacheConformance

/// SESSION: what a service asks of the cache that holds its sessions, beside what every cache is asked.
///
/// Add it to a command by `plugins.checks += sessionChecks`, or ask in a test: `try check.require(on: subject)`.
public let sessionChecks = [
    Check(
        "SESSION-1", due: [.retains], "A session that is renewed many times is found with its newest value.",
        explanation: "Overwrites one session 200 times between reads of others. Finds caches that serve an older value."
    ) { (_, random) in
        let sessions = (0..<8).map { Array("session-\($0)".utf8) }
        let others = (0..<200).map { _ in sessions[1 + random.next(below: 7)] }
        let fill = sessions.map { CacheOperation.put($0, .bytes([0])) }
        let renewals = others.enumerated().flatMap { (number, other) in
            [CacheOperation.put(sessions[0], .bytes([1, UInt8(number)])), .get(other), .get(sessions[0])]
        }
        return [Program(fill + renewals)]
    },
    Check(
        "SESSION-2", "A session that was ended does not come back with the next one.",
        explanation:
            "Ends sessions and begins others with names that have theirs as a beginning. Finds stores by prefix."
    ) { (_, _) in
        let (old, new) = (Array("anna".utf8), Array("anna-2".utf8))
        return [
            Program([.put(old, .bytes([1])), .get(old), .remove(old), .put(new, .bytes([2])), .get(old), .get(new)])
        ]
    },
]
