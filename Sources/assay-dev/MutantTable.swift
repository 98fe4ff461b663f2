import AssayCommand
import CacheConformance
import CacheCore
import CacheMutants

/// The mutation matrix that `assay-dev mutants` prints.
enum MutantTable {
    /// Prints a row of each mutant, or of those that are named, as soon as it is known: its id, what is wrong, the length of the
    /// shortest reproducer, the checks that failed. Without checks each is held against those that are expected to notice it.
    ///
    /// - Throws: `AssayError` with code `verdict` if none of its expected checks notices a mutant.
    static func print(_ wanted: [String], _ checks: [Check]?, seed: UInt64) throws(AssayError) {
        for name in wanted where Mutation.named(name) == nil {
            throw AssayError(.usage, "There is no mutant '\(name)'. Leave the names out to see them all.")
        }
        let run = MutantRun(checks: checks, policies: Plugins.current.policies, seed: seed)
        let due = Mutation.all.filter { mutation in
            (wanted.isEmpty || wanted.contains(mutation.id))
                && (checks?.contains { mutation.checks.contains($0.id) } ?? true)
        }
        var lengths: [Int] = []
        var survivors: [String] = []
        let start = ContinuousClock.now
        Console.print(pad("mutant", 12) + pad("operator", 44) + pad("reproducer", 12) + "noticed by")
        for mutation in due where !mutation.needsReadyProcess {
            let row = run.row(mutation)
            if let length = row.operations { lengths.append(length) }
            if !row.isKilledAsExpected { survivors.append(mutation.id) }
            Console.print(
                pad(mutation.id, 12) + pad(mutation.text, 44) + pad(row.operations.map(String.init) ?? "-", 12)
                    + (row.killedBy.isEmpty
                        ? "nothing; " + row.survived.joined(separator: "; ") : row.killedBy.joined(separator: " "))
                    + (row.attempts == 1 ? "" : ", after \(row.attempts) seeds"))
        }
        let others = due.filter(\.needsReadyProcess)
        let count = due.count - others.count
        let seconds = (ContinuousClock.now - start).components.seconds
        Console.print(
            "\n\(count - survivors.count) of \(count) mutants are noticed by an expected check, median reproducer "
                + "\(lengths.isEmpty ? "none" : "\(lengths.sorted()[lengths.count / 2])") operations, "
                + "\(seconds) s, seed \(seed)")
        for mutation in others {
            Console.print(
                "\(mutation.id) needs a process that is made ready for its check: "
                    + "assay-dev conform reference:\(mutation.id) --section \(mutation.checks.joined(separator: ","))")
        }
        guard survivors.isEmpty else {
            throw AssayError(
                .verdict, "No expected check notices \(survivors.joined(separator: ", ")).")
        }
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
