import AssayCommand
import CacheConformance
import CacheCore
import CacheMutants

/// The kill matrix that `assay-dev mutants` prints.
enum MutantTable {
    /// Prints a row of each mutant, or of those that are named, as soon as it is known: the mutant, its bug, how many operations
    /// were asked until it was noticed, the length of the shortest reproducer, who noticed.
    ///
    /// - Throws: `AssayError` with code `verdict` if a mutant whose named check is among the checks survives it.
    static func print(_ wanted: [String], _ checks: [Check], seed: UInt64) throws(AssayError) {
        for name in wanted where !Mutant.allCases.contains(where: { $0.rawValue == name }) {
            throw AssayError(.usage, "There is no defect '\(name)'. Leave the names out to see them all.")
        }
        let run = MutantRun(checks: checks, policies: Plugins.current.policies, seed: seed)
        let due = Mutant.allCases.filter { mutant in
            (wanted.isEmpty || wanted.contains(mutant.rawValue)) && checks.contains { $0.id == mutant.killer }
                && !mutant.needsReadyProcess
        }
        let others = Mutant.allCases.filter { mutant in
            mutant.needsReadyProcess && checks.contains { $0.id == mutant.killer }
                && (wanted.isEmpty || wanted.contains(mutant.rawValue))
        }
        var (lengths, kills): ([Int], [Int]) = ([], [])
        var survivors: [String] = []
        Console.print(
            pad("mutant", 10) + pad("bug", 24) + pad("named", 8) + pad("to kill", 9) + pad("shrunk", 8) + "killed by")
        for mutant in due {
            let row = run.row(mutant)
            if let length = row.operations { lengths.append(length) }
            if let count = row.operationsToKill { kills.append(count) }
            if !row.isKilledAsNamed { survivors.append(mutant.rawValue) }
            let killers = row.killedBy.isEmpty ? "nothing" : row.killedBy.joined(separator: " ")
            Console.print(
                pad(mutant.rawValue, 10) + pad("\(mutant)", 24) + pad(mutant.killer, 8)
                    + pad(row.operationsToKill.map(String.init) ?? "-", 9)
                    + pad(row.operations.map(String.init) ?? "-", 8) + killers)
        }
        Console.print(
            "\n\(due.count - survivors.count) of \(due.count) mutants killed by the check that is named for them; "
                + "median \(median(kills)) operations to kill, reproducer \(median(lengths)) operations, seed \(seed)")
        for mutant in others {
            Console.print(
                "\(mutant.rawValue) (\(mutant)) needs a process that is made ready for its check: "
                    + "assay-dev conform reference:\(mutant.rawValue) --section \(mutant.killer)")
        }
        guard survivors.isEmpty else {
            throw AssayError(
                .verdict, "\(survivors.joined(separator: ", ")) survived. The named checks do not notice these bugs.")
        }
    }

    private static func median(_ numbers: [Int]) -> String {
        numbers.isEmpty ? "none" : "\(numbers.sorted()[numbers.count / 2])"
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
