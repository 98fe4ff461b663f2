// Text from outside, such as keys, file names and answers of servers, on its way to a terminal.
extension StringProtocol {
    /// The text without the power to steer a terminal: what a terminal would obey rather than show is written as an escape.
    ///
    /// Control characters of ASCII and of Latin-1, marks that turn the direction of writing, and separators of lines and paragraphs
    /// are written as `\u001b`, which also JSON reads as the same character. Tabs and line feeds stay. O(length).
    package var terminalSafe: String {
        guard unicodeScalars.contains(where: \.steersTerminals) else { return String(self) }
        var text = ""
        for scalar in unicodeScalars {
            guard scalar.steersTerminals else {
                text.unicodeScalars.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return text
    }

    /// The text as ``terminalSafe``, but for the styles that reports use: bold, dim, red, green, and their end.
    package var terminalSafeInStyle: String {
        let parts = split(separator: "\u{1B}", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: parts[0].terminalSafe) { text, part in
            guard let style = ["[0m", "[1m", "[2m", "[31m", "[32m"].first(where: part.hasPrefix) else {
                text += "\\u001b" + part.terminalSafe
                return
            }
            text += "\u{1B}" + style + part.dropFirst(style.count).terminalSafe
        }
    }
}

extension Unicode.Scalar {
    fileprivate var steersTerminals: Bool {
        switch value {
        case 0x09, 0x0A: false
        case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
