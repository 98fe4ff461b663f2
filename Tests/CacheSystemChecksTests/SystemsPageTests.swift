import CacheConformance
import CacheCore
import CacheSystemChecks
import Foundation
import Testing
import _CacheTestSupport

@Suite("docs/systems.md says what is there, and nothing else")
struct SystemsPageTests {
    /// The systems that the page must speak of, those that are not built too, with the number of their section in the reference.
    static let planned = [
        ("MethodCache (ClearCache)", "4.5"), ("ExpiringDiskCache (AwesomeCache)", "5.5"),
        ("CallCache (PFCloud+Cache)", "1.8"), ("RecordCache (HMCache)", "2.7"), ("HTTPCache (AFCache)", "3.10"),
    ]

    static let page = SharedFolder.packageRoot.appending(path: "docs/systems.md")

    static func rendered() -> String {
        var text = """
            # The five systems

            Assay grew out of five small caches. This page says, for each feature of each of them, which component covers it, which
            checks hold it, and how it is measured. It is rendered from `Sources/CacheSystemChecks` by a test that fails when it differs;
            to write it anew, run that test with `ASSAY_RENDER_PAGES=1`. "tests:" names a suite of this package's own tests; every other
            name is a check of `assay conform SYSTEM --list`. A measure names what the report of that command says: a column, the
            latency of an outcome, or a figure that only this system has.

            """
        for (title, _) in planned {
            text += "\n## \(title)\n\n"
            guard let system = SystemSuiteTests.systems.first(where: { $0.title == title }) else {
                text += "Not built yet.\n"
                continue
            }
            text += "Subjects: `\(system.fixed.name)`, and as it was shipped `\(system.asShipped.name)`.\n\n"
            text += "| feature | component | checks | measure |\n| --- | --- | --- | --- |\n"
            for row in system.coverage {
                let components = row.components.map { "`\($0)`" }.joined(separator: ", ")
                text += "| \(row.feature) | \(components.isEmpty ? "none" : components) | "
                text += "\(row.checks.joined(separator: ", ")) | \(row.measure) |\n"
            }
            text +=
                "\nDefects of the original, each noticed by the check beside it:\n\n| defect | check |\n| --- | --- |\n"
            for defect in system.defects { text += "| \(defect.summary) | \(defect.check) |\n" }
        }
        return text
    }

    @Test func `the page is what is rendered`() throws {
        let rendered = Self.rendered()
        if ProcessInfo.processInfo.environment["ASSAY_RENDER_PAGES"] != nil {
            try rendered.write(to: Self.page, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: Self.page, encoding: .utf8) == rendered)
    }

    @Test func `every check that a row names exists, and so does every suite and every component`() throws {
        let ids = Set((ConformanceSuite.cache.checks + BuiltinSystems.checks).map(\.id))
        let sources = Self.declared(try Self.text(under: "Sources"))
        let tests = Self.declared(try Self.text(under: "Tests"))
        for system in SystemSuiteTests.systems {
            for row in system.coverage {
                #expect(!row.checks.isEmpty || row.components.isEmpty, "\(row.feature) is covered by no check")
                for check in row.checks {
                    let isThere =
                        check.hasPrefix("tests:")
                        ? tests.contains(String(check.dropFirst("tests:".count))) : ids.contains(check)
                    #expect(isThere, "\(system.name), \(row.feature): \(check)")
                }
                for component in row.components {
                    #expect(sources.contains(component), "\(system.name), \(row.feature): \(component)")
                }
            }
        }
        #expect(!sources.contains("NoSuch" + "Component") && tests.contains("SystemsPageTests"))
    }

    @Test(.enabled(if: SharedFolder.exists, "\(SharedFolder.skippedText)"))
    func `every row of the reference's tables has its row here`() throws {
        let reference = try String(
            contentsOf: SharedFolder.url.appending(path: "reference/systems.md"), encoding: .utf8)
        for system in SystemSuiteTests.systems {
            let number = try #require(Self.planned.first { $0.0 == system.title }).1
            let section = try #require(
                reference.components(separatedBy: "### \(number) Coverage table").dropFirst().first)
            let table = section.components(separatedBy: "\n#").first ?? ""
            let features = table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
                .map { String($0.split(separator: "|")[0]).trimmingCharacters(in: .whitespaces) }
                .map { $0.replacingOccurrences(of: "TO" + "DO", with: "Planned by the original") }
            #expect(features == system.coverage.map(\.feature), "\(system.name)")
        }
    }

    private static func text(under folder: String) throws -> String {
        let root = SharedFolder.packageRoot.appending(path: folder).resolvingSymlinksInPath()
        let walk = try #require(FileManager.default.enumerator(atPath: root.path))
        var text = ""
        for case let name as String in walk where name.hasSuffix(".swift") {
            text += try String(contentsOf: root.appending(path: name), encoding: .utf8)
        }
        return text
    }

    /// The names of every type that a text declares.
    private static func declared(_ text: String) -> Set<String> {
        Set(text.matches(of: /(?:struct|class|enum|protocol|typealias) (\w+)/).map { String($0.output.1) })
    }
}
