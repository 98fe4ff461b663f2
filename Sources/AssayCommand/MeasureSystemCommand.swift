#if Systems
    import ArgumentParser
    import CacheCore
    import CacheHarness
    import CacheSystemRuns
    import CacheWorkloads
    import Foundation

    /// `assay measure-system`: one pass of one system under its workload, for `assay run --system`, which starts it as a child process.
    struct MeasureSystemCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "measure-system",
            abstract: "Measure one pass of one system; the order is read from standard input.",
            shouldDisplay: false)

        @OptionGroup var plugins: PluginSelection

        func run() throws {
            let order: SystemOrder
            do {
                order = try JSONDecoder().decode(SystemOrder.self, from: Data((readLine() ?? "").utf8))
            } catch {
                throw AssayError(.usage, "this command is started by 'assay run --system' alone", cause: "\(error)")
            }
            ParentWatch.endWithParent(removing: order.directory)
            Interrupt.leaveToParent()
            let answer: SystemAnswer
            do {
                answer = try Self.measure(order)
            } catch let error as AssayError {
                answer = .failure(CellFailure(error))
            } catch {
                answer = .failure(CellFailure(AssayError(.verdict, "\(error)")))
            }
            try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(answer))
        }

        private static func measure(_ order: SystemOrder) throws -> SystemAnswer {
            let selected = try SystemSelection.selected(WorkloadCatalog(directories: []).workload(order.workload))
            guard let policy = try Selection.policies([order.policy]).first else {
                throw AssayError(.usage, "the order names no policy")
            }
            let backend = try order.backend.flatMap { try Selection.backends([$0]).first }
            let entry = selected.entry
            func setup(_ directory: String) -> SystemRunSetup {
                SystemRunSetup(
                    policy: policy.entry, backend: backend?.entry, backendParameters: backend?.parameters,
                    directory: directory, values: selected.values, seed: order.seed, scale: order.scale)
            }
            let run = SystemRun(keepsFiles: entry.keepsFiles, seed: order.seed) { try entry.make(setup($0)) }
            switch order.pass {
            case .timing: return .timing(try run.timing(directory: order.directory))
            case .memory: return .memory(try run.memory(directory: order.directory))
            case .probes: return .probes(try entry.probe(setup(order.directory)))
            }
        }
    }
#endif
