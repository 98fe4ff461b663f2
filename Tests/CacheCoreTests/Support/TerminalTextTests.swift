import CacheCore
import Testing

@Suite("Text from outside on a terminal")
struct TerminalTextTests {
    @Test(
        arguments: [
            ("\u{1B}[2J\u{7}", #"\u001b[2J\u0007"#), ("\u{9B}31m", #"\u009b31m"#), ("a\rb", #"a\u000db"#),
            ("x\u{202E}fdp.exe", #"x\u202efdp.exe"#),
            ("\u{7F}\u{2066}\u{2069}\u{200F}\u{2028}", #"\u007f\u2066\u2069\u200f\u2028"#),
            ("\r\n", "\\u000d\n"), ("Grüße 👍🏽 \t|\n", "Grüße 👍🏽 \t|\n"), ("", ""),
        ])
    func `what a terminal would obey is written as an escape, and the rest as it is`(text: String, shown: String) {
        #expect(text.terminalSafe == shown)
        #expect(text.dropFirst(0).terminalSafe == shown)
    }

    @Test func `of escape sequences only the styles of reports pass where styles may`() {
        let styled = "\u{1B}[1mbest\u{1B}[0m \u{1B}[31mworst\u{1B}[0m"
        #expect(styled.terminalSafeInStyle == styled)
        #expect("a\u{1B}[8mb\u{1B}]0;title\u{7}".terminalSafeInStyle == #"a\u001b[8mb\u001b]0;title\u0007"#)
        #expect("\u{1B}".terminalSafeInStyle == #"\u001b"# && "".terminalSafeInStyle.isEmpty)
    }
}
