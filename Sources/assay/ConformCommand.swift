import ArgumentParser
import CacheConformance
import CacheCore
import CacheHarness
import CacheMutants
import CacheSystemChecks
import Foundation

/// `assay conform`: holds a storage backend, or the reference cache, against the conformance suite.
struct ConformCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conform",
        abstract: "Hold a storage backend against the conformance suite.",
        discussion: """
            Each check opens stores in fresh temporary directories, which are removed at the end. A failed check comes with \
            the smallest program that was found to show it, and the command ends with status 2.

            A backend that may end its process is run in child processes, one a check, and the command ends with status 3 \
            if one of these crashed or passed the deadline.

            A score counts passed checks over passed and failed ones. Read it beside the claimed fraction: a backend that \
            claims little has little to fail.

            'reference' is a small cache with every feature, for which every check is due; --mutants gives it one defect \
            after the other and shows which checks notice.

            A system, such as 'method-cache', is held against the checks of its own too; with '-as-shipped' after its name it is \
            the original with its documented defects, which these checks notice.
            """)

    @Argument(help: "A backend, with parameters after a colon: dictionary, file:sync=full; 'reference'; or a system.")
    var backend: String?

    @Option(help: "Only these sections, separated by commas: BAS,KEY.")
    var section: String?

    @Option(help: "Claims in the place of the subject's own, from this JSON file.")
    var claims: String?

    @Option(help: "The seed of random programs. Equal seeds ask equal questions.")
    var seed: UInt64 = 1

    @Option(help: "How long one check may take in a process of its own, in seconds.")
    var deadline: Double = 600

    @Option(help: "Write the report to this file, as JSON.")
    var json: String?

    @Option(help: "Say what a check does and why, and stop.")
    var explain: String?

    @Flag(help: "List the checks and stop.")
    var list = false

    @Flag(help: "Show which checks notice which defects of the reference cache, and stop.")
    var mutants = false

    func run() throws {
        let suite = try chosenSuite()
        if let explain { return try Console.print(explanation(of: explain)) }
        if list { return Console.print(ConformanceTable.catalogue(suite.checks)) }
        guard deadline > 0, deadline <= 1e9 else {
            throw AssayError(.usage, "--deadline is a number of seconds above 0. Leave it out for 600 s.")
        }
        if mutants { return try MutantTable.print(suite.checks, seed: seed) }
        let made = try claims.map { (path) throws(AssayError) in try readClaims(path) }
        var isolated: IsolatedConformance?
        let subject = try chosenSubject(made, &isolated)
        Console.print(ConformanceTable.header)
        let report = suite.run(
            onSubjectNamed: subject.name, seed: seed, progress: { Console.print(ConformanceTable.row($0)) },
            ask: { isolated?.ask($0) ?? $0.answer(of: subject, seed: seed) })
        Console.print(ConformanceTable.summary(of: report))
        if let json { try write(report, to: json) }
        let hasEndedChild = isolated?.hasEndedChild == true
        let wrong = report.results.filter { result in
            result.outcome.isNegative || (hasEndedChild && result.outcome.name == "inconclusive")
        }
        guard wrong.isEmpty else {
            throw AssayError(
                hasEndedChild ? .crashed : .verdict,
                "\(subject.name) failed \(wrong.count) \(wrong.count == 1 ? "check" : "checks"): "
                    + wrong.map(\.id).joined(separator: ", ")
                    + ". Say --explain \(wrong[0].id) to see what that check is about.")
        }
    }

    private func chosenSuite() throws(AssayError) -> ConformanceSuite {
        let isWhole = mutants || list || claims != nil || backend == "reference"
        let system = Registry.system(named: backend)?.suite
        guard let section else { return system ?? (isWhole ? .cache : .storage) }
        return try (system ?? .cache).limited(toSections: section.split(separator: ",").map(String.init))
    }

    private func chosenSubject(
        _ made: Claims?, _ isolated: inout IsolatedConformance?
    ) throws(AssayError) -> any CacheSubject {
        let subject: any CacheSubject
        if backend == "reference" {
            subject = ReferenceSubject(policies: Registry.policies)
        } else if let system = Registry.system(named: backend) {
            subject = system.subject
        } else {
            let chosen = try chosenBackend()
            subject = StorageSubject(chosen.entry, parameters: chosen.parameters)
            if chosen.entry.descriptor.needsOwnProcess {
                isolated = IsolatedConformance(
                    backend: subject.name, seed: seed, deadlineSeconds: deadline, claims: made)
            }
        }
        return made.map { ClaimedSubject(subject, claims: $0) } ?? subject
    }

    private func readClaims(_ path: String) throws(AssayError) -> Claims {
        do {
            return try JSONDecoder().decode(Claims.self, from: Data(contentsOf: URL(filePath: path)))
        } catch let error as DecodingError {
            throw AssayError(
                .badInput, "The file holds no claims. Write {\"storage\":{…},\"features\":[…],\"room\":{…}}.",
                at: .init(path), cause: "\(error)")
        } catch {
            throw AssayError(
                .inputOutput, "The claims cannot be read.", at: .init(path), cause: "\(error.localizedDescription)")
        }
    }

    private func chosenBackend() throws(AssayError) -> BackendSelection {
        let names = Registry.backends.map(\.descriptor.name).joined(separator: ", ")
        guard let backend else { throw AssayError(.usage, "Name a backend: \(names).") }
        let selected = try Selection.backends([backend])
        guard selected.count == 1 else { throw AssayError(.usage, "Name one backend of \(names).") }
        return selected[0]
    }

    private func explanation(of id: String) throws(AssayError) -> String {
        let all = ConformanceSuite(name: "all", checks: ConformanceSuite.cache.checks + BuiltinSystems.checks)
        guard let check = all.check(id) else {
            let ids = all.checks.map(\.id)
            let near = nearestName(to: id, among: ids).map { " Did you mean '\($0)'?" } ?? ""
            throw AssayError(.usage, "There is no check '\(id)'. Say --list to see them all.\(near)")
        }
        return ConformanceTable.explanation(of: check)
    }

    private func write(_ report: ConformanceReport, to path: String) throws(AssayError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            var data = try encoder.encode(report)
            data.append(UInt8(ascii: "\n"))
            try data.write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw AssayError(
                .inputOutput, "The report cannot be written; choose another place for --json.",
                at: .init(path), cause: "\(error.localizedDescription)")
        }
    }
}
