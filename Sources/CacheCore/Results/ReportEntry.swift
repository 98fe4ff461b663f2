/// A report of a run as a registry holds it: the name of a file, and what fills it.
public struct ReportEntry: Sendable {
    /// The file's name in the directory of a run, without folders.
    public let fileName: String
    /// One sentence that says what the report is for.
    public let summary: String
    /// Turns results into the file's text.
    public let render: @Sendable (RunResults) throws(AssayError) -> String

    /// A report in one text file. What `render` throws is told once all other reports are written.
    public init(
        _ fileName: String, _ summary: String, render: @escaping @Sendable (RunResults) throws(AssayError) -> String
    ) {
        self.fileName = fileName
        self.summary = summary
        self.render = render
    }
}
