import ArgumentParser
import CacheCore
import CacheHarness
import CacheTraces
import CacheWorkloads

/// `assay list`: what can be named in other commands.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract:
            "List policies, admissions, prefetchers, backends, formats or workloads with their parameters and sources.")

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case policies, admissions, prefetchers, backends, formats, workloads
    }

    @Argument(help: "What to list.")
    var kind: Kind

    @Argument(
        help: ArgumentHelp("Only these policies: names, or families such as 'adaptive/*'.", valueName: "policy"),
        completion: .policies)
    var names: [String] = []

    @OptionGroup var plugins: PluginSelection

    func validate() throws {
        guard names.isEmpty || kind == .policies else {
            throw ValidationError("Only policies can be picked by name: write 'assay list \(kind.rawValue)'.")
        }
    }

    func run() throws {
        switch kind {
        case .policies: try listPolicies()
        case .admissions: listAdmissions()
        case .prefetchers: listPrefetchers()
        case .backends: listBackends()
        case .formats: listFormats()
        case .workloads: try listWorkloads()
        }
    }

    private func listPolicies() throws {
        let entries = names.isEmpty ? Plugins.current.policies : try Selection.policies(names).map(\.entry)
        var shown: Set<String> = []
        for family in entries.map(\.descriptor.family) where shown.insert(family).inserted {
            let members = entries.filter { $0.descriptor.family == family }
            Console.print("\(family)/  (\(members.count == 1 ? "1 policy" : "\(members.count) policies"))\n")
            for entry in members {
                let policy = entry.descriptor
                show(
                    [policy.name] + policy.aliases, policy.summary, policy.citation, policy.parameters,
                    notes: Self.notes(entry))
            }
        }
    }

    /// What else there is to say of a policy, in the same order for each.
    private static func notes(_ entry: PolicyEntry) -> [String] {
        let policy = entry.descriptor
        let units = policy.objectsOnly.map { "objects only. \($0)" } ?? "objects, bytes"
        let results = policy.isDeterministic ? "the same whatever the seed" : "depend on --seed, which it draws from"
        return [
            entry.presetOf.map { "Preset: of \($0), with other defaults" },
            entry.needsFuture ? "Knows: the future, so that it replays traces and drives no cache" : nil,
            policy.learns ? "Learns: from the trace, so that it is simulated only" : nil,
            "Units: \(units)", "Results: \(results)",
            policy.memory.map { "Bytes: \($0.text(inBytesToo: policy.objectsOnly == nil))" },
        ].compactMap(\.self)
    }

    private func listAdmissions() {
        show(["always"], "Lets everything in: the default.", "", [])
        for admission in Plugins.current.admissions.map(\.descriptor) {
            show(
                [admission.name] + admission.aliases, admission.summary, admission.citation, admission.parameters,
                notes: admission.isDeterministic ? [] : ["Draws random numbers from --seed."])
        }
    }

    private func listPrefetchers() {
        show(["none"], "Fetches nothing ahead: the default.", "", [])
        for entry in Plugins.current.prefetchers {
            let prefetcher = entry.descriptor
            show(
                [prefetcher.name] + prefetcher.aliases, prefetcher.summary, prefetcher.citation, prefetcher.parameters,
                notes: entry.needsSuccessors ? ["Needs: keys that are numbers"] : [])
        }
    }

    private func listBackends() {
        for backend in Plugins.current.everyBackend.map(\.descriptor) {
            show([backend.name], backend.summary, backend.citation, backend.parameters)
        }
    }

    private func listFormats() {
        for format in Plugins.current.formats.map(\.descriptor) {
            let endings = format.fileExtensions.map { "." + $0 }.joined(separator: ", ")
            show(
                [format.name] + format.aliases, format.summary, format.citation, format.parameters,
                notes: endings.isEmpty ? [] : ["Files ending in \(endings)."])
        }
        Console.print("Input may be plain, gzip, zstd, xz or bzip2; which one is seen from its first bytes.")
    }

    private func listWorkloads() throws {
        for workload in try TraceOpener(compiledTraces: nil).catalog.all() {
            var notes: [String] = []
            if case .system(let system) = workload.source {
                notes = ["Drives \(system.system) and is no trace: assay run --system \(workload.name)"]
            }
            show(
                [workload.name], workload.description, "\(workload.origin) Licence: \(workload.licence).", [],
                notes: notes)
        }
    }

    private func show(
        _ names: [String], _ summary: String, _ citation: String, _ parameters: [ParameterSpecification],
        notes: [String] = []
    ) {
        Console.print("  \(names.joined(separator: ", "))")
        Console.print("      \(summary)")
        if !citation.isEmpty { Console.print("      Source: \(citation)") }
        for note in notes { Console.print("      \(note)") }
        let settings = parameters.map { "\($0.name)=\($0.defaultText)" }
        let width = settings.map(\.count).max() ?? 0
        for (setting, parameter) in zip(settings, parameters) {
            let padding = String(repeating: " ", count: width - setting.count)
            Console.print("        \(setting)\(padding)  \(parameter.summary) (\(parameter.rangeText))")
        }
        Console.print("")
    }
}
