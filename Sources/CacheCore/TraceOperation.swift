/// What a request of a trace does with its object.
///
/// Replays and live runs do what it says; ``ReplayRules`` says what a read does that finds nothing.
public enum TraceOperation: UInt8, Sendable, Hashable, CaseIterable {
    /// Asks for the object.
    case read = 0
    /// Stores the object, whether or not it is resident.
    case write = 1
    /// Takes the object away.
    case remove = 2
}
