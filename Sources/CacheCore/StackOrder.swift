/// The order in which a stack algorithm keeps all objects, so that a cache of any capacity in objects holds the first ones.
///
/// Mattson, Gecsei, Slutz and Traiger, "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970: the
/// hits of such a policy at every capacity come from one pass over a trace. In each order the object asked for last comes
/// first, where nothing else is said.
public enum StackOrder: String, Sendable, Hashable, Codable, CaseIterable {
    /// By last request, the latest first.
    case leastRecentlyUsed
    /// By last request while all objects weigh the same; in bytes it is another order, and no stack algorithm.
    case leastRecentlyUsedAmongEqualSizes
    /// The object asked for last, then the others as their places came free.
    case mostRecentlyUsed
    /// By next request, the nearest first: Bélády's MIN, where every newcomer enters.
    case nearestNextUse
    /// By next request, the nearest first, the object asked for last among them: a newcomer may be refused.
    case nearestNextUseWithBypass
    /// By the number of requests so far, the latest asked for first among equals: perfect LFU.
    case mostFrequentThenLatest
    /// By the number of requests so far, the one asked for longest ago first among equals.
    case mostFrequentThenEarliest
    /// By first request, the earliest first: all that LIFO lets in below its top stays.
    case firstEntered
    /// By first request, the earliest first, and not even the newcomer passes them: nothing ever leaves.
    case frozen
}
