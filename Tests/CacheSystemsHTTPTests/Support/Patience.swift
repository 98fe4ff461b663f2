/// Runs a body with a time limit that grows until the machine is fast enough for it: what is too slow for the last is a failure.
func withGrowingLimit(_ body: (Duration) async throws -> Void) async throws {
    for limit in [300, 1_200, 5_000, 20_000] as [Int64] {
        do { return try await body(.milliseconds(limit)) } catch  where limit < 20_000 {}
    }
}
