extension CurveDocument {
    static let definitions: [ReportDocument.Definition] = [
        .init(
            "Hit ratio curve",
            """
            Hits over requests against the capacity of the cache, in percent; the miss ratio curve is what it lacks to \
            100 %. Every request counts, the first ones too.
            """),
        .init(
            "Byte hit ratio",
            """
            Bytes hit over bytes requested, in percent. Shown only for traces that carry sizes.
            """),
        .init(
            "Capacity",
            """
            The most that may be resident, in objects (each weighs 1) or in bytes (each weighs its size), on a \
            logarithmic axis.
            """),
        .init(
            "stack",
            """
            Exact. One pass over the trace counts each request's stack distance, from which the hits at every capacity \
            follow. For LRU in bytes that holds from the largest object's size on and where objects keep their sizes; \
            other points are replayed.
            """),
        .init("replay", "Exact. The whole trace is replayed at each capacity."),
        .init(
            "shards",
            """
            Estimated. SHARDS follows a sample of the objects, chosen by hash, and scales their stack distances up by \
            the inverse of the rate (Waldspurger et al., FAST 2015). LRU only.
            """),
        .init(
            "miniature",
            """
            Estimated. All requests of a sample of the objects are replayed through a cache that is smaller by the rate \
            (Waldspurger et al., ATC 2017). Capacities that shrink to a few objects say little.
            """),
        .init(
            "Error",
            """
            The distance between the estimated and the exact hit ratio, in percentage points, where it was measured; the \
            mean is over the points of the curve.
            """),
        .init(
            "Requests a second",
            """
            Requests of the whole trace over the time of the one pass that made the curve, on one core.
            """),
    ]
}
