public import CacheCore

/// What becomes of malformed records: reading stops at the first, or a number of them are skipped and counted.
public struct BadRows: Sendable, Hashable, CustomStringConvertible {
    /// Reading stops at the first malformed record.
    public static let stop = BadRows(skippedMax: 0)

    /// How many are skipped before reading stops, at least 0.
    public let skippedMax: Int

    /// Skips up to `skippedMax` malformed records; a negative number counts as 0.
    public init(skippedMax: Int) { self.skippedMax = max(0, skippedMax) }

    /// Reads `stop` or `skip:N`, as on the command line.
    ///
    /// - Throws: `AssayError` with code `usage` for any other text.
    public init(parsing text: String) throws(AssayError) {
        if text == "stop" {
            self = .stop
            return
        }
        guard text.hasPrefix("skip:"), let count = Int(text.dropFirst(5)), count >= 1 else {
            throw AssayError(
                .usage, "'\(text)' is neither 'stop' nor 'skip:N' with the most rows to skip, from 1.",
                at: AssayError.Location("--bad-rows"))
        }
        self.init(skippedMax: count)
    }

    /// The text that is read as this: `stop` or `skip:N`.
    public var description: String { skippedMax == 0 ? "stop" : "skip:\(skippedMax)" }
}

/// Counts malformed records by reason and keeps the first of each.
struct RefusedRecords {
    private static let reasonsMax = 8

    private struct Reason {
        let kind: String
        let first: AssayError
        var count = 1
    }

    private let badRows: BadRows
    private var count = 0
    private var reasons: [Reason] = []

    init(_ badRows: BadRows) { self.badRows = badRows }

    /// Counts a malformed record.
    ///
    /// - Throws: the error where reading stops at the first one, and all counts where there are too many.
    mutating func refuse(_ error: AssayError) throws(AssayError) {
        guard badRows.skippedMax > 0 else { throw error }
        count += 1
        let kind = Self.kind(of: Self.firstSentence(error.message))
        if let index = reasons.firstIndex(where: { $0.kind == kind }) {
            reasons[index].count += 1
        } else if reasons.count < Self.reasonsMax {
            reasons.append(Reason(kind: kind, first: error))
        }
        guard count > badRows.skippedMax else { return }
        throw AssayError(
            .badInput,
            "More than \(badRows.skippedMax) rows are bad: \(list). Check the format, or allow more with --bad-rows skip:N.",
            at: error.location)
    }

    /// A sentence with all counts; nil if nothing was refused.
    var note: String? {
        guard count > 0 else { return nil }
        return "\(count) bad \(count == 1 ? "row was" : "rows were") skipped: \(list)."
    }

    private var list: String {
        var parts = reasons.map { reason in
            "\(reason.count) (first at \(Self.place(of: reason.first)): \(Self.firstSentence(reason.first.message)))"
        }
        let others = count - reasons.reduce(0) { $0 + $1.count }
        if others > 0 { parts.append("\(others) for other reasons") }
        return parts.joined(separator: ", ")
    }

    /// The place without the file's folder, which is no part of the content.
    private static func place(of error: AssayError) -> String {
        guard var location = error.location else { return "an unknown place" }
        location.source = location.source.split(separator: "/").last.map(String.init) ?? location.source
        return location.description
    }

    /// The message up to the end of its first sentence, without the full stop.
    private static func firstSentence(_ message: String) -> String {
        guard let end = message.firstRange(of: ". ") else {
            return message.hasSuffix(".") ? String(message.dropLast()) : message
        }
        return String(message[..<end.lowerBound])
    }

    /// A message without what varies from row to row: the text that it quotes, and counts. The number of a column stays.
    static func kind(of message: String) -> String {
        var rest = message[...]
        var kind = ""
        if let start = rest.firstIndex(of: "'") {
            let expected = rest.ranges(of: "'; expected").last?.lowerBound
            if let end = expected ?? rest.lastIndex(of: "'"), end > start {
                kind = String(rest[..<start])
                rest = rest[rest.index(after: end)...]
            }
        }
        kind += rest
        let words = kind.split(separator: " ", omittingEmptySubsequences: false)
        return zip([""] + words, words).map { before, word in
            before.lowercased() != "column" && !word.isEmpty && word.allSatisfy(\.isNumber) ? "N" : String(word)
        }.joined(separator: " ")
    }
}
