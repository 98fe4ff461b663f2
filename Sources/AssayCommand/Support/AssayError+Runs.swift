import CacheCore
import CacheHarness

extension AssayError {
    /// Ends a run whose combinations, or systems, have such failures.
    ///
    /// - Parameters:
    ///   - total: How many were measured, and what they are called, as "12 combinations".
    ///   - again: How those are run again that the machine had no room for.
    /// - Throws: `AssayError` with code `unavailable` if the machine lacked something, else `crashed` if one crashed or hung, else
    ///   `verdict` if one failed.
    static func throwVerdict(
        _ failures: [CellFailure], of total: String, again: String = "run it again"
    ) throws(AssayError) {
        let lacking = failures.filter { $0.kind == .lackedResource }
        if let first = lacking.first {
            throw AssayError(
                .unavailable,
                "\(lacking.count) of \(total) \(first.kind.rawValue) of this machine: make room, then \(again)",
                cause: first.message)
        }
        let failures = failures.filter { $0.kind != .notApplicable }
        guard let worst = failures.first(where: { $0.kind != .failed }) ?? failures.first else { return }
        throw AssayError(
            worst.kind == .failed ? .verdict : .crashed,
            "\(failures.count) of \(total) \(worst.kind.rawValue): \(worst.message)")
    }

    /// A temporary folder that `make` makes.
    ///
    /// - Throws: `AssayError` with code `unavailable` if it cannot be made.
    static func madeFolder(_ make: () throws(StoreError) -> AbandonedFolders.Held) throws(AssayError)
        -> AbandonedFolders.Held
    {
        do throws(StoreError) { return try make() } catch {
            throw AssayError(
                .unavailable, "no temporary folder could be made; set TMPDIR to a directory that can be written to",
                cause: error)
        }
    }
}
