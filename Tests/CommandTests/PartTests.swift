import CacheConformance
import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import AssayCommand

@Suite("Parts of the command that may not be built in")
struct PartTests {
    @Test(arguments: Part.allCases)
    func `what is missing is told with the word that adds it`(_ part: Part) {
        let text = part.missing("thing").description
        #expect(text.contains("'thing'") && text.contains("--with \(part.rawValue.lowercased()) "))
        #expect(part.missing("thing").code == .usage)
    }

    /// A name that a part does not bring would be told wrongly; one that is missing here would be told without the word.
    @Test func `the names of parts are those that they bring`() {
        let stores = Set(Plugins.builtin.everyBackend.map(\.descriptor.name))
        let subjects = Set(Plugins.builtin.subjects.map(\.subject.name))
        for part in Part.allCases {
            for name in part.subjects { #expect((stores.contains(name) || subjects.contains(name)) == part.isBuilt) }
        }
        let policies = Set(Plugins.builtin.policies.map(\.descriptor.name))
        for part in Part.allCases {
            for name in part.policies { #expect(policies.contains(name) == part.isBuilt) }
        }
        let first = ["dictionary", "slab", "file", "log", "mmap", "tiered", "nscache", "urlcache"]
        let added = stores.union(subjects).subtracting(first)
        #expect(added.isSubset(of: Part.allCases.flatMap(\.subjects)))
    }

    @Test func `subcommands of parts are in the help if they are built in`() throws {
        let help = try AssayProcess().run("--help").output
        for part in Part.allCases {
            for name in part.subcommands { #expect(help.contains("  \(name) ") == part.isBuilt) }
        }
    }

    /// scripts/run without arguments, of a clone that has only the first build.
    @Test func `the bundled suite needs no part`() throws {
        let path = SharedFolder.packageRoot.appending(path: "Workloads/suites/bundled.yaml")
        let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
        let backends = lines.filter { $0.contains("backends:") }.flatMap { $0.split { !$0.isLetter } }.map(String.init)
        #expect(backends.contains("dictionary"))
        #expect(Set(backends).isDisjoint(with: Part.allCases.flatMap(\.subjects)))
    }

    @Test func `what is built in is not said to be missing`() {
        for part in Part.allCases where part.isBuilt {
            for name in part.subjects { #expect(Part.missing(subject: name) == nil) }
            for name in part.subcommands { #expect(Part.missing(subcommand: name) == nil) }
            for name in part.policies { #expect(Part.missing(policy: name) == nil) }
        }
    }
}
