/// The order in which a stack algorithm keeps all objects, so that a cache of any capacity in objects holds the first ones.
///
/// Mattson, Gecsei, Slutz and Traiger, "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970: the
/// hits of such a policy at every capacity come from one pass over a trace.
public enum StackOrder: String, Sendable, Hashable, Codable {
    /// By last request, the latest first.
    case leastRecentlyUsed
    /// The object asked for last, then the others as their places came free.
    case mostRecentlyUsed
}
