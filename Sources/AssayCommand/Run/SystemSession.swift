#if Systems
    import ArgumentParser
    import CacheCore
    import CacheHarness
    import CacheReports
    import CacheSystemRuns
    import CacheWorkloads
    import Foundation

    /// One execution of `assay run --system`: from options to reports.
    struct SystemSession {
        /// Which systems, and how much of their workloads.
        var selection: SystemSelection
        /// Policies in the place of those that the workloads name; empty for these.
        var policies: [String]
        /// Backends in the place of those that the workloads name; empty for these.
        var backends: [String]
        /// The seed of everything random.
        var seed: UInt64
        /// How long each pass may take.
        var deadlineSeconds: Double
        /// Where the reports go.
        var directory: ReportDirectory
        /// Whether results of other workloads that are there may be replaced.
        var force = false
        /// Whether to stay silent but for the paths.
        var quiet: Bool

        /// How the names of the temporary folders begin.
        private static let folderPrefix = "assay-system-"

        /// A workload with a policy and a backend.
        private struct Planned {
            let order: SystemOrder
            let blank: SystemResult
        }

        func run() throws {
            let started = Date()
            let monitor = ReplayMonitor()
            let interrupt = Interrupt(monitor)
            defer { withExtendedLifetime(interrupt) {} }
            defer { withExtendedLifetime(directory) {} }
            AbandonedFolders.clear(Self.folderPrefix)
            let plan = try plan()
            try directory.keepEarlier(SystemResults.kind.json, of: plan.map(\.blank.workload), force: force)
            let progress = ProgressLine(
                totalCells: plan.count, totalRequests: 0, monitor: monitor, isEnabled: !quiet)
            let runner = SystemRunner(
                executable: Bundle.main.executablePath ?? CommandLine.arguments[0],
                arguments: [MeasureSystemCommand.configuration.commandName ?? "measure-system"]
                    + PluginSelection.arguments,
                deadlineSeconds: deadlineSeconds, monitor: monitor)
            var systems: [SystemResult] = []
            var floors: [Double] = []
            for planned in plan {
                progress.show("\(planned.blank.system) under \(planned.blank.workload)")
                let (result, floor) = measure(planned, runner)
                // What was stopped is not finished, whatever it says.
                guard !monitor.isStopping else { break }
                systems.append(result)
                if let floor { floors.append(floor) }
                progress.finishOne(ProgressState.Finding(result))
            }
            progress.end()
            var environment = EnvironmentProbe.describe(
                memoryAllocator: systems.lazy.compactMap(\.memory?.meter).first ?? "not measured")
            environment.timerFloorNanoseconds = floors.min()
            try finish(
                SystemResults(
                    assayVersion: AssayVersion.text, startedAt: started.ISO8601Format(),
                    durationSeconds: Date().timeIntervalSince(started),
                    commandLine: Assay.arguments, seed: seed, scale: selection.scale,
                    status: systems.count == plan.count ? .complete : .interrupted, environment: environment,
                    systems: systems, systemsPlanned: plan.count))
        }

        private func measure(_ planned: Planned, _ runner: SystemRunner) -> (result: SystemResult, timerFloor: Double?)
        {
            var order = planned.order
            let folder: AbandonedFolders.Held
            do throws(AssayError) {
                folder = try AssayError.madeFolder { () throws(StoreError) in
                    try AbandonedFolders.hold(Self.folderPrefix)
                }
            } catch {
                var result = planned.blank
                result.failure = CellFailure(error)
                return (result, nil)
            }
            defer { folder.remove() }
            order.directory = folder.path
            return runner.run(order, blank: planned.blank)
        }

        /// Every workload with every policy and, if it keeps files, every backend.
        private func plan() throws(AssayError) -> [Planned] {
            var plan: [Planned] = []
            let all = try selection.selected(in: TraceOpener(compiledTraces: nil).catalog)
            guard backends.isEmpty || all.contains(where: \.entry.keepsFiles) else {
                throw AssayError(
                    .usage, "None of these systems keeps files. Leave --backend out.", at: .init("--backend"))
            }
            for selected in all {
                let specification = selected.specification
                let policies = try Self.policies(self.policies.isEmpty ? [specification.policy] : self.policies)
                for policy in policies {
                    for backend in try backends(of: selected) {
                        let blank = SystemResult(
                            system: selected.entry.name, workload: selected.workload.name,
                            description: selected.workload.description, settings: selected.values.description,
                            policy: policy, backend: backend ?? "memory")
                        plan.append(
                            Planned(
                                order: SystemOrder(
                                    workload: selected.workload.path, policy: policy, backend: backend, seed: seed,
                                    scale: selection.scale, directory: ""), blank: blank))
                    }
                }
            }
            return plan
        }

        /// The names of policies that a live cache can use as they are.
        static func policies(_ texts: [String]) throws(AssayError) -> [String] {
            let found = try Selection.policies(texts)
            for policy in found {
                guard policy.parameters.givenDescription.isEmpty else {
                    throw AssayError(
                        .usage,
                        "Systems take their policies without parameters. Write \(policy.entry.descriptor.name).",
                        at: AssayError.Location("--policy"))
                }
                guard !policy.entry.descriptor.learns else {
                    throw AssayError(
                        .usage,
                        "\(policy.text) is simulated only: a live cache would wait while it trains. Choose another.",
                        at: AssayError.Location("--policy"))
                }
                guard !policy.entry.needsFuture else {
                    throw AssayError(
                        .usage, "\(policy.text) needs the future, which a live cache does not know. Choose another.",
                        at: AssayError.Location("--policy"))
                }
            }
            return found.map(\.text)
        }

        private func backends(of selected: SystemSelection.Selected) throws(AssayError) -> [String?] {
            guard selected.entry.keepsFiles else { return [nil] }
            let texts = backends.isEmpty ? selected.specification.backend.map { [$0] } ?? ["file"] : backends
            let found = try Selection.backends(texts)
            for backend in found where !backend.entry.descriptor.needsDirectory {
                throw AssayError(
                    .usage,
                    "\(selected.entry.name) is opened again on what it has left, which \(backend.text) does not keep. Choose a backend with a directory, as file or log.",
                    at: AssayError.Location("--backend"))
            }
            return found.map(\.text)
        }

        /// Prints and writes what was found, and ends with the verdict.
        private func finish(_ results: SystemResults) throws {
            let paths = Result { () throws(AssayError) in try ReportFiles.write(results, to: directory.path) }
            if !quiet {
                Console.print(try results.document())
            }
            Console.printReports(try paths.get())
            if results.status == .interrupted {
                Console.error("assay: interrupted; what was finished is in \(directory.path)")
                throw ExitCode(130)
            }
            try AssayError.throwVerdict(results.systems.compactMap(\.failure), of: "\(results.systems.count) systems")
        }
    }
#endif
