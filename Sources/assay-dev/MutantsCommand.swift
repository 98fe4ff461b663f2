import ArgumentParser
import AssayCommand
import CacheConformance

/// `assay-dev mutants`: which check notices which defect of the reference cache.
struct MutantsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutants",
        abstract: "Show which conformance checks notice which defects of the reference cache.",
        discussion: """
            'conform reference' holds the reference cache against the suite: a small cache with every feature that \
            goes with every other. 'reference:persistent', 'reference:durable', 'reference:tiered' and \
            'reference:behind' have those that do not, so that every check is due to one of them. 'reference:M74' is \
            the one with that defect: a row of Sources/CacheMutants/mutants.tsv.

            Each mutant is held against the checks that are expected to notice it, until one does. The command ends \
            with status 2 if none notices one of them.
            """)

    @Argument(
        help:
            "Only these mutants, as M1,M74 (default: all, or those that a check of the sections is expected to notice)."
    )
    var mutants: [String] = []

    @Flag(help: "Hold every check against every mutant.")
    var matrix = false

    @Option(
        help:
            "Only these sections and checks, separated by commas: BAS,KEY,TTL-5. All of them are held against each mutant."
    )
    var section: String?

    @Option(help: "The seed of random programs. Equal seeds ask equal questions.")
    var seed: UInt64 = 1

    func run() throws {
        let names = mutants.flatMap { $0.split(separator: ",").map(String.init) }
        let suite = ConformanceSuite.cache
        let limited = try section.map { try suite.limited(to: $0.split(separator: ",").map(String.init)) }
        try MutantTable.print(names, limited?.checks ?? (matrix ? suite.checks : nil), seed: seed)
    }
}
