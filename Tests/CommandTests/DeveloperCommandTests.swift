import Foundation
import Testing

@Suite("assay-dev is assay with what developers use")
struct DeveloperCommandTests {
    /// The subcommands that the help of a program shows.
    private static func subcommands(_ program: URL) throws -> Set<String> {
        let help = try AssayProcess(program).run("--help").output
        let list = try #require(help.range(of: "SUBCOMMANDS:\n")).upperBound
        return Set(help[list...].matches(of: /(?m)^  ([a-z][a-z-]*)/).map { String($0.output.1) })
    }

    @Test func `assay names assay-dev for each subcommand that only that one has`() throws {
        let (people, developers) = try (
            Self.subcommands(AssayProcess.executable), Self.subcommands(AssayProcess.developers)
        )
        #expect(people.isSubset(of: developers) && people.contains("conform"))
        let moved = developers.subtracting(people)
        #expect(moved.contains("mutants") && moved.contains("measure-replay") && moved.count == 8)
        for name in moved { try expectPointer([name, "--trace", "t.txt"], to: "'\(name)'") }
    }

    @Test(arguments: [
        (["conform", "reference"], "'reference'"), (["conform", "dictionary", "reference:M74"], "'reference:M74'"),
        (["conform", "--mutants", "--section", "TTL"], "'mutants'"), (["conform", "M20", "--mutants"], "'mutants'"),
        (["bench", "--trace", "t.txt", "--capacity", "1", "--subject", "reference"], "'reference'"),
    ])
    func `assay names assay-dev`(_ arguments: [String], name: String) throws {
        try expectPointer(arguments, to: name)
    }

    private func expectPointer(_ arguments: [String], to name: String) throws {
        let assay = try AssayProcess()
        try assay.write("t.txt", "1\n2\n1\n")
        let result = try assay.run(AssayProcess.executable, arguments)
        #expect(result.status == 64 && result.output.isEmpty, "\(result.output)\(result.errors)")
        for words in [name, "assay-dev", "swift build -c release --product assay-dev"] {
            #expect(result.errors.contains(words), "\(result.errors)")
        }
    }

    @Test func `the reference passes, and what it does not claim is told`() throws {
        let passed = try AssayProcess(AssayProcess.developers).run(
            "conform", "reference", "--section", "TTL,GRP", "--verbose")
        #expect(passed.status == 0, "\(passed.output)\(passed.errors)")
        // What is kept while the cache is closed is claimed by the persistent one alone.
        let unclaimed = passed.output.split(separator: "\n").filter { $0.contains("  not claimed  ") }
        #expect(unclaimed.count == 1 && unclaimed[0].hasPrefix("TTL-27"))
    }

    @Test func `the reference is put under load`() throws {
        let assay = try AssayProcess(AssayProcess.developers)
        try assay.write("t.txt", (0..<600).map { "\(($0 * $0) % 97)\n" }.joined())
        let result = try assay.run(
            "bench", "--trace", "t.txt", "--capacity", "20", "--subject", "reference", "--out", "out")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(try assay.read("out/bench.csv").contains("reference"))
    }

    @Test func `a misspelt subject is told the few names, not the defects`() throws {
        let result = try AssayProcess(AssayProcess.developers).run("conform", "referense")
        #expect(result.status == 64 && result.errors.contains("Did you mean 'reference'?"), "\(result.errors)")
        #expect(!result.errors.contains("M74"))
    }

    @Test(arguments: [([], "GRP", 8), (["M20,O1"], "TTL,CON", 2)])
    func `the kill matrix is of a section, or of some defects`(
        _ defects: [String], _ section: String, _ least: Int
    ) throws {
        let matrix = try AssayProcess().run(
            AssayProcess.developers, ["mutants"] + defects + ["--section", section])
        #expect(matrix.status == 0, "\(matrix.output)\(matrix.errors)")
        let killed = try #require(matrix.output.firstMatch(of: /([0-9]+) of ([0-9]+) mutants are noticed/))
        #expect(killed.1 == killed.2 && (Int(killed.1) ?? 0) >= least)
        #expect(defects.isEmpty || killed.1 == "2")
    }

    @Test func `a defect that does not exist is refused`() throws {
        let result = try AssayProcess(AssayProcess.developers).run("mutants", "M0")
        #expect(result.status == 64 && result.errors.contains("'M0'"), "\(result.errors)")
    }
}
