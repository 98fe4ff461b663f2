extension AdviceDocument {
    /// What the terms of advice mean.
    static let definitions: [ReportDocument.Definition] = [
        .init(
            "Hit ratio",
            """
            Hits over requests, in percent. Every request counts, the first ones too, so that even a cache that keeps \
            everything misses each object once.
            """),
        .init("Byte hit ratio", "Bytes hit over bytes requested, in percent."),
        .init(
            "Capacity",
            """
            The most that may be resident, in objects (each weighs 1) or in bytes (each weighs its size).
            """),
        .init(
            "Takes",
            """
            The price that candidates are compared by: the capacity, or bytes where a size an object was given, with the \
            policy's own bookkeeping where that was to count. Bookkeeping is what the policy states for a live cache, \
            whose ids are used again; in bytes a resident is taken to have the mean size of the trace's objects.
            """),
        .init(
            "One pass",
            """
            Proven. The policy keeps an order in which a cache of any capacity holds the first objects; one pass over \
            the trace gives its hits at every capacity, and a replay at the choice confirms it.
            """),
        .init(
            "Proven by replays",
            """
            Every smaller capacity was replayed, but for those at which not even the optimum has as many hits.
            """),
        .init(
            "Bisection",
            """
            A replay reaches and the next smaller capacity does not. Hits of most policies need not grow with the \
            capacity (Bélády's anomaly), so that a smaller capacity may do as well; some of them were tried and do not.
            """),
        .init(
            "Hits per million requests, per object",
            """
            What each object more is worth, on average between the chosen capacity and the row's: so many more hits of a \
            million requests. Negative where the larger of the two capacities has fewer hits.
            """),
        .init(
            "Windows",
            """
            Twenty stretches of equal numbers of requests of one replay of the whole trace, which all but the first meet \
            a warm cache. Intervals are percentiles of 2,000 resamples of the windows (bootstrap); a lead is resampled \
            in pairs. They say how much the trace itself varies, not how the future will differ from it.
            """),
        .init(
            "Firm, likely, open",
            """
            Firm: ahead of each runner-up by more than windows scatter, first in both halves and with each other seed. \
            Likely: ahead, but not first everywhere. Open: the interval of the lead over a runner-up holds zero.
            """),
        .init(
            "Optimum",
            """
            The most hits that any cache in objects can have, by a schedule that knows the future (Bélády 1966, with the \
            right to refuse an object).
            """),
        .init(
            "PFOO-L, PFOO-U",
            """
            For objects of any sizes: no policy has more hits than PFOO-L says, and a schedule that knows the future has \
            those of PFOO-U (Berger, Beckmann and Harchol-Balter, SIGMETRICS 2018).
            """),
    ]
}
