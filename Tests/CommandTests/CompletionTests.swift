import Foundation
import Testing

@Suite("Completions know the names of plug-ins")
struct CompletionTests {
    /// What bash offers for the last word of a line.
    private func offered(_ line: String) throws -> [String] {
        let assay = try AssayProcess()
        try assay.write("completions", assay.run("completions", "bash").output)
        // To bash a colon is a word.
        let words = line.replacing(":", with: " : ").split(separator: " ")
        let current = line.hasSuffix(":") ? "" : words[words.count - 1]
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        // The script calls the program by the first word of the line.
        try assay.write(
            "ask.sh",
            """
            assay() { \(AssayProcess.executable.path) "$@"; }
            . ./completions
            COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1); COMP_LINE='\(line)'; COMP_POINT=\(line.utf8.count)
            _assay assay '\(current)' '\(words[words.count - 2])'
            printf '%s\\n' "${COMPREPLY[@]}"
            """)
        let result = try assay.run(URL(filePath: "/usr/bin/env"), ["bash", "ask.sh"])
        #expect(result.status == 0, "\(result.errors)")
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test(arguments: [
        ("assay run --policy siev", ["sieve"]), ("assay curve --policy lru,siev", ["lru,sieve"]),
        ("assay curve --policy adaptive/", ["adaptive/*"]), ("assay bench --backend dic", ["dictionary"]),
        ("assay run --admission alw", ["always"]), ("assay run --prefetch none,mit", ["none,mithril"]),
        ("assay bench --subject method-cache-", ["method-cache-as-shipped"]),
        ("assay run --format oracle-g", ["oracle-general"]), ("assay list policies clock-pro-s", ["clock-pro-simple"]),
        ("assay conform tier", ["tiered"]), ("assay conform policy:clock-pro-s", ["clock-pro-simple"]),
        ("assay conform method-cache-as", ["method-cache-as-shipped"]),
        ("assay trace convert x y --to orac", ["oracle-general"]), ("assay trace inf", ["info"]),
        ("assay trace filter x y --format oracle-g", ["oracle-general"]),
    ])
    func `bash completes a name, and the last one of a list`(_ line: String, _ expected: [String]) throws {
        #expect(try offered(line) == expected)
    }

    @Test func `after a colon bash is offered policies alone`() throws {
        let names = try offered("assay conform policy:")
        #expect(names.contains("sieve") && !names.contains("dictionary"), "\(names)")
    }
}
