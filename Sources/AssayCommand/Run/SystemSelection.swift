import ArgumentParser
import CacheCore
import CacheWorkloads

#if Systems
    import CacheSystemRuns
#endif

/// The options that say which systems to run, under which part of their workloads.
struct SystemSelection: ParsableArguments {
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Complete systems under workloads of their own instead of traces: systems, such workloads, their files, or 'all'.",
            valueName: "systems"))
    var system: [String] = []

    @Option(
        help: ArgumentHelp(
            "The share of the systems' workloads to run, as 10% or 0.1: of requests, objects and room alike.",
            valueName: "share"), transform: Selection.share)
    var scale: Double = 1

    func validate() throws {
        guard scale > 0 else { throw ValidationError("--scale must be more than 0.") }
        guard !system.isEmpty || scale == 1 else { throw ValidationError("--scale is for --system.") }
    }
}

#if Systems
    extension SystemSelection {
        /// A workload with its system.
        struct Selected {
            let workload: Workload
            let specification: SystemWorkload
            let entry: SystemRunEntry
            let values: ParameterValues
        }

        /// The workloads that are named, each once.
        func selected(in catalog: WorkloadCatalog) throws(AssayError) -> [Selected] {
            var workloads: [Workload] = []
            for name in system.flatMap({ $0.split(separator: ",").map(String.init) }) {
                let found = try Self.workloads(name, in: catalog)
                workloads += found.filter { new in !workloads.contains { $0.path == new.path } }
            }
            guard !workloads.isEmpty else {
                throw AssayError(.usage, "--system names nothing. Write 'all', or see 'assay list workloads'.")
            }
            var all: [Selected] = []
            for workload in workloads { all.append(try Self.selected(workload)) }
            return all
        }

        private static func workloads(_ name: String, in catalog: WorkloadCatalog) throws(AssayError) -> [Workload] {
            let names = BuiltinSystemRuns.all.map(\.name)
            if name == "all" || names.contains(name) {
                var found: [Workload] = []
                for system in names where name == "all" || name == system {
                    found += try catalog.systemWorkloads(of: system)
                }
                guard found.isEmpty else { return found }
                throw AssayError(
                    .usage,
                    """
                    There is no workload of \(name == "all" ? "a system" : name) in \
                    \(catalog.directories.joined(separator: ", ")). Run this in a folder of Assay's source, or say where its \
                    Workloads are: ASSAY_WORKLOADS=DIR.
                    """, at: AssayError.Location("--system"))
            }
            if catalog.contains(name) || name.contains("/") || name.hasSuffix(".yaml") {
                return [try catalog.workload(name)]
            }
            let known = names + (try catalog.systemWorkloads().map(\.name)) + ["all"]
            let near = nearestName(to: name, among: known).map { " Did you mean '\($0)'?" } ?? ""
            throw AssayError(
                .usage,
                "No system and no workload of one is named '\(name)'. There are \(known.joined(separator: ", ")).\(near)",
                at: AssayError.Location("--system"))
        }

        /// A workload with the system that it names.
        static func selected(_ workload: Workload) throws(AssayError) -> Selected {
            guard case .system(let specification) = workload.source else {
                throw AssayError(
                    .usage,
                    "'\(workload.name)' is a trace and drives no system. Run it with 'assay run --trace \(workload.name)'.",
                    at: AssayError.Location("--system"))
            }
            let names = BuiltinSystemRuns.all.map(\.name)
            guard let entry = BuiltinSystemRuns.all.first(where: { $0.name == specification.system }) else {
                let near = nearestName(to: specification.system, among: names).map { " Did you mean '\($0)'?" } ?? ""
                throw AssayError(
                    .badInput,
                    "There is no system '\(specification.system)'. There are \(names.joined(separator: ", ")).\(near)",
                    at: AssayError.Location(workload.path))
            }
            return Selected(
                workload: workload, specification: specification, entry: entry, values: try entry.values(of: workload))
        }
    }
#endif
