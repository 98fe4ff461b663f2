internal import CacheCore
internal import CacheEngine
internal import CacheHarness
internal import Synchronization

/// An origin that is not there: what its answers would cost is counted in virtual time, and now and then it is away.
final class SimulatedOrigin: Sendable {
    /// What an origin is like.
    struct OriginProfile: Sendable {
        /// How long it takes until an answer begins, in nanoseconds.
        var nanoseconds: Int
        /// How fast an answer comes then, in bytes a second; 0 for at once.
        var bytesPerSecond = 0
        /// From one outage to the next, in seconds; 0 for none.
        var outageEverySeconds = 0
        /// How long an outage lasts, in seconds. The first ends one period in.
        var outageSeconds = 0
    }

    /// It does not answer.
    struct OriginUnavailable: Error {}

    private let profile: OriginProfile
    private let asked = Mutex(OriginCounts())

    init(_ profile: OriginProfile) { self.profile = profile }

    var counts: OriginCounts { asked.withLock { $0 } }

    /// Whether it is away at a moment, in nanoseconds.
    func isAway(at nanoseconds: Int64) -> Bool {
        guard profile.outageEverySeconds > 0 else { return false }
        let second = Int(nanoseconds / 1_000_000_000) % profile.outageEverySeconds
        return second >= profile.outageEverySeconds - profile.outageSeconds
    }

    /// What one answer of so many bytes costs; nil for a request that fails, for which it takes until it is given up.
    func cost(bytes: Int?) -> OriginCounts {
        guard let bytes else { return OriginCounts(requests: 1, bytes: 0, nanoseconds: Self.giveUpNanoseconds) }
        let transfer = profile.bytesPerSecond == 0 ? 0 : bytes * 1000 / profile.bytesPerSecond * 1_000_000
        return OriginCounts(requests: 1, bytes: bytes, nanoseconds: profile.nanoseconds + transfer)
    }

    /// What a request at a moment would cost without the cache, and how much of it would be answered.
    func costWithout(bytes: Int, at nanoseconds: Int64) -> OriginCounts {
        cost(bytes: isAway(at: nanoseconds) ? nil : bytes)
    }

    /// Counts a request.
    ///
    /// - Throws: ``OriginUnavailable``.
    func ask(bytes: Int, at nanoseconds: Int64) throws {
        let isAway = isAway(at: nanoseconds)
        let cost = cost(bytes: isAway ? nil : bytes)
        asked.withLock { counts in
            counts.requests += cost.requests
            counts.bytes += cost.bytes
            counts.nanoseconds += cost.nanoseconds
        }
        if isAway { throw OriginUnavailable() }
    }

    /// How long a program waits for an origin that does not answer: ten seconds.
    static let giveUpNanoseconds = 10_000_000_000
}

extension ParameterSpecification {
    /// When an origin is away, for systems that know what to do then.
    static let outages = [
        ParameterSpecification(
            "outage-every-seconds", .integer(default: 0, 0...1_000_000_000),
            "From one outage of the origin to the next; 0 for none."),
        ParameterSpecification(
            "outage-seconds", .integer(default: 0, 0...1_000_000_000),
            "How long an outage lasts, at the end of each period."),
    ]

    /// What an origin is like.
    static let origin = [
        ParameterSpecification(
            "origin-milliseconds", .integer(default: 100, 0...3_600_000), "How long the origin takes until it answers."),
        ParameterSpecification(
            "origin-bytes-per-second", .integer(default: 0, 0...1_000_000_000_000),
            "How fast an answer comes then; 0 for at once."),
    ]

    /// The sizes of objects, log-normal.
    static func sizes(median: Int, most: Int) -> [ParameterSpecification] {
        [
            ParameterSpecification(
                "size-median", .integer(default: median, 16...1_000_000_000), "The median size, in bytes."),
            ParameterSpecification(
                "size-sigma", .number(default: 1, 0...5), "How far sizes spread: the deviation of their logarithm."),
            ParameterSpecification(
                "size-max", .integer(default: most, 16...1_000_000_000), "The largest size, in bytes."),
        ]
    }

    /// How many requests, of how many objects, how unequally.
    static func requests(_ requests: Int, objects: Int, exponent: Double) -> [ParameterSpecification] {
        [
            ParameterSpecification(
                "requests", .integer(default: requests, 1...100_000_000), "How many requests are made."),
            ParameterSpecification("objects", .integer(default: objects, 1...100_000_000), "Of how many objects."),
            ParameterSpecification(
                "exponent", .number(default: exponent, 0...10),
                "How skewed their popularity is: that of rank k is as k^-exponent."),
        ]
    }
}
