import CacheConformance
import CacheMutants
import Foundation
import Testing
import _CacheTestSupport

/// Checks that need a process that was made ready for them: `assay conform` preloads the library of failing calls, and as root
/// on Linux it mounts images.
@Suite("Faults that need a process made ready for them")
struct FaultCommandTests {
    private static let ofCalls = "FLT-5,FLT-9,FLT-10,FLT-11,FLT-12"

    /// The outcomes by check, from the table.
    private static func outcomes(_ output: String) -> [String: String] {
        var outcomes: [String: String] = [:]
        for line in output.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count > 3, words[0].hasPrefix("FLT-"), words[1] == "claimed" {
                outcomes[String(words[0])] = String(words[2])
            }
        }
        return outcomes
    }

    #if canImport(Glibc)
        @Test(
            arguments: [
                "file", "file:sync=full", "log", "log:durability=exit", "log:durability=power", "mmap",
                "mmap:sync=full",
                "sqlite", "sqlite:synchronous=full", "lmdb", "lmdb:sync=full", "rocksdb", "rocksdb:sync=full",
                "tiered:lower=log", "tiered:lower=file:sync=full", "reference:persistent", "reference:durable",
            ])
        func `a call that fails makes no store lie`(subject: String) throws {
            let result = try AssayProcess(AssayProcess.developers).run("conform", subject, "--section", Self.ofCalls)
            #expect(result.status == 0, "\(result.output)\(result.errors)")
            // Their puts write to mapped memory, or when the store is closed.
            let makesNoCall = subject.hasPrefix("mmap") || subject == "log:durability=exit"
            for (id, outcome) in Self.outcomes(result.output) where outcome != "pass" && outcome != "not" {
                if makesNoCall, outcome == "blocked", result.output.contains("no call was made that could fail") {
                    continue
                }
                Issue.record("\(id) is \(outcome) for \(subject): \(result.output)")
            }
        }

        /// A store that was opened by a path with a link in it names its files by that path.
        @Test func `calls are made to fail where the temporary directory is behind a link`() throws {
            let folder = try TemporaryDirectory()
            try FileManager.default.createDirectory(atPath: folder.path + "/real", withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/link", withDestinationPath: folder.path + "/real")
            let result = try AssayProcess(environment: ["TMPDIR": folder.path + "/link"]).run(
                "conform", "file", "--section", "FLT-12")
            #expect(Self.outcomes(result.output) == ["FLT-12": "pass"], "\(result.output)\(result.errors)")
        }
    #endif

    /// Not root, or no ext4: blocked, and the reason is said.
    @Test(
        arguments: [
            "file:sync=full", "log:durability=power", "mmap:sync=full", "sqlite:synchronous=full", "lmdb:sync=full",
            "rocksdb:sync=full", "tiered:lower=file:sync=full", "reference:durable",
        ])
    func `a power cut loses nothing that was acknowledged`(subject: String) throws {
        let result = try AssayProcess(AssayProcess.developers).run("conform", subject, "--section", "FLT-4")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        let outcome = Self.outcomes(result.output)["FLT-4"]
        #expect(outcome == "pass" || outcome == "blocked" && result.output.contains("→ "), "\(result.output)")
    }

    @Test(arguments: Mutation.all.filter(\.needsReadyProcess))
    func `each mutant that needs a ready process is noticed by its check`(mutant: Mutation) throws {
        let result = try AssayProcess(AssayProcess.developers).run(
            "conform", "reference:\(mutant.id)", "--section", mutant.checks[0])
        let outcome = Self.outcomes(result.output)[mutant.checks[0]]
        #expect(
            outcome == "fail" || outcome == "blocked" && mutant.checks[0] == "FLT-4", "\(result.output)\(result.errors)"
        )
    }

    @Test func `without a compiler the checks are blocked, and say why`() throws {
        let result = try AssayProcess(environment: ["PATH": "/nonexistent"]).run(
            "conform", "file", "--section", "FLT-12")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.contains("blocked") && result.output.contains("compiler"), "\(result.output)")
    }
}
