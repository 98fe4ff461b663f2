public import CacheGate

/// A form in which a gate's verdict is written: one file of this folder, and one line of ``all``.
public struct GateOutput: Sendable {
    /// The name of its option, `junit`.
    public let name: String
    /// What it is, as "JUnit XML.", to follow "write the verdict as".
    public let summary: String
    /// Turns an outcome into text that ends with a newline. Names of any content stay text.
    public let render: @Sendable (GateOutcome) -> String

    /// Every form.
    public static let all = [
        GateOutput("text", "a table, the worst first.") { TextOutput.render($0, width: nil, isColored: false) },
        GateOutput("junit", "JUnit XML, which continuous integration shows as tests.", JUnitOutput.render),
        GateOutput("github", "annotations of a GitHub workflow, for standard output.", GitHubOutput.render),
        GateOutput("summary", "Markdown for GITHUB_STEP_SUMMARY.") { MarkdownOutput.render($0, bytesMax: 1_000_000) },
        GateOutput("gitlab", "GitLab's code quality, as JSON.", GitLabOutput.render),
        GateOutput("markdown", "Markdown for a pull request's comment.") {
            MarkdownOutput.render($0, bytesMax: 65_000)
        },
        GateOutput("json", "JSON with everything, as docs/schemas/gate.schema.json says.", JSONOutput.render),
    ]

    private init(_ name: String, _ summary: String, _ render: @escaping @Sendable (GateOutcome) -> String) {
        self.name = name
        self.summary = summary
        self.render = render
    }

    /// The form of that name.
    ///
    /// - Precondition: ``all`` has the name.
    public static func named(_ name: String) -> GateOutput {
        guard let output = all.first(where: { $0.name == name }) else { preconditionFailure("no output '\(name)'") }
        return output
    }

    /// The table for a terminal.
    ///
    /// - Parameters:
    ///   - width: The terminal's width in characters; nil cuts nothing. Commands are never cut.
    ///   - isColored: Whether to use ANSI colours; pass false when the output is piped.
    public static func terminal(_ outcome: GateOutcome, width: Int?, isColored: Bool) -> String {
        TextOutput.render(outcome, width: width, isColored: isColored)
    }
}
