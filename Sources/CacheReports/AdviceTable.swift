public import CacheCore

/// Advice as text for a terminal: the answer, the runners-up, how sure it is, and what more would buy.
public enum AdviceTable {
    /// The advice as text that ends with a newline.
    ///
    /// - Parameters:
    ///   - width: The terminal's width in characters; columns that do not fit are left out and sentences are broken. Nil
    ///     prints every column, and sentences in one line each.
    ///   - isColored: Whether to use ANSI colours; pass false when the output is piped.
    public static func render(_ results: AdviceResults, width: Int? = nil, isColored: Bool = false) -> String {
        TerminalReport.render(AdviceDocument(results).document, width: width, isColored: isColored)
    }

    static func wrapped(_ text: String, _ width: Int?) -> [String] { TerminalReport.wrapped(text, width) }
}
