import ArgumentParser
import CacheCore
import CacheTraces
import CacheWorkloads

/// `assay list`: what can be named in other commands.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List policies, backends, formats or workloads with their parameters and sources.")

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case policies, backends, formats, workloads
    }

    @Argument(help: "What to list.")
    var kind: Kind

    func run() throws {
        switch kind {
        case .policies: listPolicies()
        case .backends: listBackends()
        case .formats: listFormats()
        case .workloads: try listWorkloads()
        }
    }

    private func listPolicies() {
        var family = ""
        for policy in Registry.policies.map(\.descriptor) {
            if policy.family != family {
                family = policy.family
                Console.print("\(family)/")
            }
            show(
                [policy.name] + policy.aliases, policy.summary, policy.citation, policy.parameters,
                note: policy.isDeterministic ? nil : "Draws random numbers from --seed.")
        }
    }

    private func listBackends() {
        for backend in Registry.backends.map(\.descriptor) {
            show([backend.name], backend.summary, backend.citation, backend.parameters)
        }
    }

    private func listFormats() {
        for format in Registry.formats.map(\.descriptor) {
            let endings = format.fileExtensions.map { "." + $0 }.joined(separator: ", ")
            show(
                [format.name] + format.aliases, format.summary, format.citation, format.parameters,
                note: endings.isEmpty ? nil : "Files ending in \(endings).")
        }
        Console.print("Input may be plain, gzip, zstd, xz or bzip2; which one is seen from its first bytes.")
    }

    private func listWorkloads() throws {
        for workload in try TraceOpener(compiledTraces: nil).catalog.all() {
            show([workload.name], workload.description, "\(workload.origin) Licence: \(workload.licence).", [])
        }
    }

    private func show(
        _ names: [String], _ summary: String, _ citation: String, _ parameters: [ParameterSpecification],
        note: String? = nil
    ) {
        Console.print("  \(names.joined(separator: ", "))")
        Console.print("      \(summary)")
        if let note { Console.print("      \(note)") }
        for parameter in parameters {
            Console.print(
                "      \(parameter.name)=\(parameter.defaultText)  \(parameter.summary) (\(parameter.rangeText))")
        }
        if !citation.isEmpty { Console.print("      \(citation)") }
        Console.print("")
    }
}
