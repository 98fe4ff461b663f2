/// How long a store that keeps its entries takes to open, to close, and to come back after its process was killed.
public struct LifecycleFigures: Codable, Sendable, Hashable {
    /// Entries that were there when the process was killed.
    public var entriesBeforeKill: Int
    /// Entries that were found afterwards.
    public var entriesRecovered: Int
    /// From the start of opening the store of a killed process to the end of reading its entries, in nanoseconds.
    public var recoverNanoseconds: Int
    /// Closing the store, in nanoseconds.
    public var closeNanoseconds: Int
    /// Opening the store that was closed and reading its entries, in nanoseconds.
    public var openNanoseconds: Int
    /// Entries that were found when it was opened again.
    public var entriesOpened: Int

    /// Figures of one store.
    public init(
        entriesBeforeKill: Int, entriesRecovered: Int, recoverNanoseconds: Int, closeNanoseconds: Int,
        openNanoseconds: Int, entriesOpened: Int
    ) {
        self.entriesBeforeKill = entriesBeforeKill
        self.entriesRecovered = entriesRecovered
        self.recoverNanoseconds = recoverNanoseconds
        self.closeNanoseconds = closeNanoseconds
        self.openNanoseconds = openNanoseconds
        self.entriesOpened = entriesOpened
    }
}
