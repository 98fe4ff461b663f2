/// What a policy that learns took for it in a replay.
///
/// Two are equal where as many models were trained: times are measured, and no two replays take the same.
@frozen
public struct TrainingCost: Sendable, Hashable, Codable {
    /// Models that were trained.
    public var trainings = 0
    /// The time in which they were trained, in seconds.
    public var trainingSeconds = 0.0
    /// The time in which they were asked, in seconds.
    public var predictionSeconds = 0.0

    /// Nothing trained yet.
    public init() {}

    /// Whether as many models were trained.
    public static func == (first: TrainingCost, second: TrainingCost) -> Bool { first.trainings == second.trainings }

    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(trainings) }
}
