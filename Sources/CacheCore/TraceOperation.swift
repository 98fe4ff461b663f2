/// What a request of a trace does with its object.
///
/// Replays take every request for a read that loads what it misses, as simulators of the field do; a load that follows the
/// trace does what it says.
public enum TraceOperation: UInt8, Sendable, Hashable, CaseIterable {
    /// Asks for the object.
    case read = 0
    /// Stores the object, whether or not it is resident.
    case write = 1
    /// Takes the object away.
    case remove = 2
}
