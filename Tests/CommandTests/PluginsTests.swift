import ArgumentParser
import CacheConformance
import CacheCore
import Testing

@testable import AssayCommand

@Suite("Plug-ins whose names nobody could tell apart or write are refused")
struct PluginsTests {
    @Test func `the built-in plug-ins are not refused`() throws { try Plugins.builtin.requireNames() }

    @Test func `every section of checks is explained on the page of a report`() {
        let sections = Set(Plugins.builtin.everyCheck.sections)
        #expect(sections.count > 20 && sections.subtracting(CheckCatalogue.sectionTitles.keys).isEmpty)
    }

    @Test func `names and aliases that are taken are all named, and the status is 64`() throws {
        let error = refusal { $0.policies += [policy("fresh"), policy("lru"), policy("other", ["min", "fresh"])] }
        #expect(error?.code == .usage && AssayError.Code.usage.exitStatus == 64)
        #expect(error?.message.contains("policies that are taken already: 'lru', 'min', 'fresh'.") == true, "\(error)")
    }

    @Test func `the words that stand for several policies or for none are taken`() throws {
        #expect(refusal { $0.policies.append(policy("all")) }?.message.contains("'all'") == true)
    }

    @Test(arguments: ["Mine", "my policy", "a,b", "a:b", "", "-x", "größe"])
    func `a name that cannot be written in a list is refused`(_ name: String) throws {
        let error = refusal { $0.policies.append(policy(name)) }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("'\(name)' cannot be written where policies are named") == true)
    }

    @Test func `what is made over the backends takes its name too`() throws {
        let descriptor = BackendDescriptor(name: "tiered", summary: "Mine.", citation: "none", needsDirectory: false)
        let tiered = BackendEntry(descriptor) { (_) throws(StoreError) in try Self.never(nil) }
        #expect(
            refusal { $0.backends.append(tiered) }?.message.contains("backends that are taken already: 'tiered'")
                == true)
    }

    @Test func `a subject has no backend's name`() throws {
        #expect(refusal { $0.subjects.append(subject("file")) }?.message.contains("subjects that are taken") == true)
    }

    @Test func `checks of subjects have ids of their own, which subjects may share`() throws {
        func check(_ id: String, _ assertion: String) -> Check {
            Check(id, of: Never.self, assertion, explanation: "None.", steps: []) { _ in }
        }
        #expect(
            refusal { $0.subjects.append(subject("mine", [check("BAS-1", "Mine.")])) }?.message.contains("'BAS-1'")
                == true)
        #expect(
            refusal { $0.subjects.append(subject("mine", [check("own-1", "Mine.")])) }?.message.contains("'own-1'")
                == true)
        let shared = [check("OWN-1", "Mine.")]
        #expect(refusal { $0.subjects += [subject("mine", shared), subject("yours", shared)] } == nil)
        let other = [check("OWN-1", "Another.")]
        #expect(refusal { $0.subjects += [subject("mine", shared), subject("yours", other)] } != nil)
    }

    /// Subcommands of an outside package.
    private struct Mine: ParsableCommand { static let configuration = CommandConfiguration(aliases: ["own"]) }
    private struct List: ParsableCommand {}
    private struct Other: ParsableCommand {
        static let configuration = CommandConfiguration(aliases: ["measure-cell"])
    }
    private struct Help: ParsableCommand {}
    private struct Odd: ParsableCommand { static let configuration = CommandConfiguration(commandName: "a b") }

    private func refusal(of commands: [any ParsableCommand.Type]) -> AssayError? {
        var plugins = Plugins.builtin
        plugins.commands = commands
        do throws(AssayError) {
            try plugins.requireCommandNames(beside: [ListCommand.self, MeasureCommand.self])
        } catch { return error }
        return nil
    }

    @Test func `a subcommand has a name and aliases of its own`() throws {
        #expect(refusal(of: [Mine.self]) == nil)
        let taken: [(any ParsableCommand.Type, String)] = [
            (List.self, "list"), (Other.self, "measure-cell"), (Help.self, "help"),
        ]
        for (command, name) in taken {
            let error = refusal(of: [command])
            #expect(error?.code == .usage)
            #expect(error?.message.contains("subcommands that are taken already: '\(name)'") == true, "\(error)")
        }
        #expect(refusal(of: [Mine.self, Mine.self])?.message.contains("'mine', 'own'") == true)
        #expect(refusal(of: [Odd.self])?.message.contains("'a b' cannot be written") == true)
    }

    @Test func `a subcommand may be called by its alias`() throws {
        struct Root: ParsableCommand {
            static let configuration = CommandConfiguration(subcommands: [Mine.self, List.self])
        }
        try ArgumentCheck(Root.self).check(["own"])
        let error = #expect(throws: AssayError.self) { try ArgumentCheck(Root.self).check(["owm"]) }
        #expect(error?.code == .usage)
    }

    @Test func `a twin is a policy's`() throws {
        #expect(refusal { $0.twins["lur"] = $0.policies[0] }?.message.contains("'lur', which is no policy") == true)
        #expect(refusal { $0.twins["lru"] = $0.policies[0] } == nil)
    }

    @Test func `reports have files of their own beside results.json`() throws {
        func report(_ name: String) -> ReportEntry { ReportEntry(name, "Mine.") { _ in "" } }
        #expect(refusal { $0.reports.append(report("mine.txt")) } == nil)
        #expect(refusal { $0.reports.append(report("results.csv")) }?.message.contains("'results.csv'") == true)
        #expect(refusal { $0.reports.append(report("../x")) }?.message.contains("'../x'") == true)
        #expect(refusal { $0.reports = [report("mine.txt")] }?.message.contains("results.json") == true)
    }

    private func refusal(_ change: (inout Plugins) -> Void) -> AssayError? {
        var plugins = Plugins.builtin
        change(&plugins)
        do throws(AssayError) { try plugins.requireNames() } catch { return error }
        return nil
    }

    private func policy(_ name: String, _ aliases: [String] = []) -> PolicyEntry {
        PolicyEntry(
            preset: name, aliases: aliases, of: Plugins.builtin.policies[0], defaults: [:], summary: "Mine.",
            citation: "none")
    }

    private func subject(_ name: String, _ checks: [Check] = []) -> SubjectEntry {
        SubjectEntry(StorageSubject(name: name, needsDirectory: false, open: Self.never), checks: checks)
    }

    private static let never: @Sendable (String?) throws(StoreError) -> any StorageBackend = {
        (_) throws(StoreError) in throw StoreError(.unavailable, "never opened")
    }
}
