import Foundation
import Testing
import Yams
import _CacheTestSupport

@Suite("The files for continuous integration")
struct ContinuousIntegrationTests {
    @Test(arguments: [(0, "pass"), (2, "fail"), (6, "undecided"), (5, "error")])
    func `the action records, gates and ends as the gate did`(_ status: Int, _ verdict: String) throws {
        let runner = try Runner(gateStatus: status)
        defer { runner.remove() }
        let ended = try runner.runAction([
            "assay": "bin/assay", "baseline": "base line/$(touch pwned)'\";", "options": "--strict\n--tolerance a=1%",
            "record": "assay run --out \"$RESULTS\"\necho \"$RESULTS\"/x >recorded",
        ])
        #expect(ended == status)
        #expect(runner.outputs["gate.verdict"] == verdict)
        #expect(runner.outputs["gate.comment"] == "assay-report/gate.md")
        #expect(
            runner.calls == [
                ["run", "--out", "\(runner.folder)/assay-report/results"],
                [
                    "gate", "--github", "--junit", "assay-report/gate.xml", "--markdown", "assay-report/gate.md",
                    "--json", "assay-report/gate.json", "--strict", "--tolerance", "a=1%",
                    "base line/$(touch pwned)'\";",
                    "assay-report/results",
                ],
            ])
        #expect(runner.text(of: "summary").contains("the stub's summary"))
        #expect(!FileManager.default.fileExists(atPath: "\(runner.folder)/pwned"))
    }

    @Test func `a script that fails ends the action before the gate`() throws {
        let runner = try Runner(gateStatus: 0)
        defer { runner.remove() }
        let record = "false\nassay run --out \"$RESULTS\""
        #expect(try runner.runAction(["assay": "bin/assay", "baseline": "b", "record": record]) == 1)
        #expect(runner.calls == [])
        #expect(try runner.runAction(["assay": "bin/none", "baseline": "b", "record": "true"]) == 1)
    }

    @Test func `rules may name what is recorded and compared`() throws {
        let runner = try Runner(gateStatus: 0)
        defer { runner.remove() }
        #expect(try runner.runAction(["assay": "bin/assay", "options": "--rules gate.yaml"]) == 0)
        #expect(runner.calls.map(\.first) == ["gate"])
        #expect(runner.calls.first?.suffix(2) == ["--rules", "gate.yaml"])
    }

    @Test func `without an assay the action builds the one that it belongs to`() throws {
        let runner = try Runner(gateStatus: 0)
        defer { runner.remove() }
        #expect(try runner.runAction(["baseline": "b", "record": "assay run", "parts": "sqlite"]) == 0)
        #expect(runner.text(of: "built") == "--with sqlite --help\n")
        #expect(runner.calls.map(\.first) == ["run", "gate"])
    }

    @Test func `the workflow gives the action what it takes, and records both sides in the same way`() throws {
        let job = try #require(try Self.yaml(".github/workflows/gate.yml")["jobs"] as? [String: [String: Any]])["gate"]
        let steps = try #require(job?["steps"] as? [[String: Any]])
        let use = try #require(steps.first { $0["uses"] as? String == "./.github/actions/assay" })
        let given = try #require(use["with"] as? [String: String])
        let action = try Self.yaml(".github/actions/assay/action.yml")
        let inputs = try #require(action["inputs"] as? [String: [String: Any]])
        #expect(given.keys.filter { inputs[$0] == nil } == [])
        // The baseline is recorded as the candidate is.
        let record = try #require(given["record"])
        let baseline = try #require(steps.compactMap { $0["run"] as? String }.first { $0.contains("--out") })
        #expect(record.contains("assay run $ASSAY_RUN --out") && baseline.contains("scripts/run run $ASSAY_RUN --out"))
        #expect(given["baseline"] == "baseline/results.json" && baseline.contains("--out baseline\n"))
        #expect(!baseline.contains("${{"))
    }

    @Test(arguments: [0, 2])
    func `the job for GitLab writes the reports that it names and ends as the gate did`(_ status: Int) throws {
        let job = try #require(try Self.yaml("docs/ci/gitlab-ci.yml")["assay-gate"] as? [String: Any])
        let runner = try Runner(gateStatus: status)
        defer { runner.remove() }
        let script = try #require(job["script"] as? [String]).joined(separator: "\n")
        #expect(try runner.bash("set -eo pipefail\nexport PATH=\"$PWD/bin:$PATH\"\n" + script, [:]) == status)
        #expect(runner.calls.map(\.first) == ["run", "gate"])
        let artifacts = try #require(job["artifacts"] as? [String: Any])
        #expect(artifacts["when"] as? String == "always")
        for report in try #require(artifacts["reports"] as? [String: String]).values {
            #expect(FileManager.default.fileExists(atPath: "\(runner.folder)/\(report)"), "\(report)")
        }
    }

    static func yaml(_ path: String) throws -> [String: Any] {
        let text = try String(contentsOf: SharedFolder.packageRoot.appending(path: path), encoding: .utf8)
        return try #require(try Yams.load(yaml: text) as? [String: Any])
    }
}

/// Runs the shell steps of a composite action in a folder of its own, as GitHub's runner does, with an assay that notes its calls.
private final class Runner {
    let folder: String
    private(set) var outputs: [String: String] = [:]

    init(gateStatus: Int) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "assay-ci-\(UUID().uuidString)")
        let assay = """
            #!/bin/bash
            printf '%s\\x1f' "$@" >>"\(url.path)/calls"; echo >>"\(url.path)/calls"
            [ "$1" = gate ] || exit 0
            while [ $# -gt 0 ]; do
              case $1 in --junit | --markdown | --json | --gitlab) mkdir -p "$(dirname "$2")"; echo >"$2"; shift ;; esac
              shift
            done
            [ -z "$GITHUB_STEP_SUMMARY" ] || echo "the stub's summary" >>"$GITHUB_STEP_SUMMARY"
            exit \(gateStatus)

            """
        let build = """
            #!/bin/bash
            echo "$@" >"\(url.path)/built"
            mkdir -p "\(url.path)/source/.build/release"; cp "\(url.path)/bin/assay" "\(url.path)/source/.build/release"

            """
        let files = ["bin/assay": assay, "source/scripts/run": build, "source/.github/actions/assay/x": ""]
        for (path, script) in files {
            let file = url.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(script.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
        folder = url.resolvingSymlinksInPath().path
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// The arguments of each call of assay.
    var calls: [[String]] {
        text(of: "calls").split(separator: "\u{1F}\n").map { $0.components(separatedBy: "\u{1F}") }
    }

    func text(of name: String) -> String { (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? "" }

    /// Runs the steps of the action up to the first that fails, whose status it returns.
    func runAction(_ given: [String: String]) throws -> Int {
        let action = try ContinuousIntegrationTests.yaml(".github/actions/assay/action.yml")
        var values = ["github.action_path": "\(folder)/source/.github/actions/assay"]
        for (name, input) in try #require(action["inputs"] as? [String: [String: Any]]) {
            values["inputs.\(name)"] = try #require(given[name] ?? input["default"] as? String)
        }
        let runs = try #require(action["runs"] as? [String: Any])
        #expect(runs["using"] as? String == "composite")
        for step in try #require(runs["steps"] as? [[String: Any]]) {
            guard let script = step["run"] as? String else {
                #expect((step["uses"] as? String)?.contains("@v") == true)
                continue
            }
            // What a person gives is never a part of a script.
            #expect(!script.contains("${{") && step["shell"] as? String == "bash")
            for (name, value) in outputs { values["steps.\(name.replacing(".", with: ".outputs."))"] = value }
            let environment = (step["env"] as? [String: String] ?? [:]).mapValues { text in
                text.replacing(/\$\{\{ ([\w.-]+) \}\}/) { match in
                    let value = values[String(match.output.1)]
                    #expect(value != nil, "nothing gives \(match.output.1)")
                    return value ?? ""
                }
            }
            let status = try bash(script, environment)
            for line in text(of: "output").split(separator: "\n") {
                let pair = line.split(separator: "=", maxSplits: 1).map(String.init)
                outputs["\(try #require(step["id"] as? String)).\(pair[0])"] = pair.count > 1 ? pair[1] : ""
            }
            try? FileManager.default.removeItem(atPath: "\(folder)/output")
            if status != 0 { return status }
        }
        return 0
    }

    /// Runs a script as the runner does and returns its status.
    func bash(_ script: String, _ environment: [String: String]) throws -> Int {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        process.currentDirectoryURL = URL(filePath: folder)
        let files = ["GITHUB_OUTPUT": "\(folder)/output", "GITHUB_STEP_SUMMARY": "\(folder)/summary"]
        process.environment = ["PATH": "/usr/bin:/bin"].merging(files) { $1 }.merging(environment) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return Int(process.terminationStatus)
    }
}
