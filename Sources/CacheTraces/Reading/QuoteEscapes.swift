internal import CacheCore

/// How a file of separated columns writes a quote inside a quoted field.
enum QuoteEscapes {
    private static let recordsMax = 1000
    private static let faultsMax = 20

    /// Whether a backslash escapes quotes in these first bytes of a file: if fewer records are malformed so than by RFC 4180.
    static func areByBackslash(_ bytes: UnsafeRawBufferPointer, delimiter: UInt8) -> Bool {
        guard hasEscapedQuote(bytes) else { return false }
        // The last record may be cut off with the bytes.
        let whole = bytes.lastIndex(of: 0x0a).map { bytes.prefix($0 + 1) } ?? bytes[...]
        let content = Array(whole)
        return faults(content, delimiter, true) < faults(content, delimiter, false)
    }

    private static func hasEscapedQuote(_ bytes: UnsafeRawBufferPointer) -> Bool {
        zip(bytes, bytes.dropFirst()).contains { $0 == 0x5c && $1 == 0x22 }
    }

    /// How many of the first records are malformed, or have another number of columns than the first.
    private static func faults(_ content: [UInt8], _ delimiter: UInt8, _ escapesByBackslash: Bool) -> Int {
        var input = ByteStream(name: "", bytes: content)
        var records = DelimitedRecords(delimiter: delimiter, isQuoting: true, escapesByBackslash: escapesByBackslash)
        var columns: Int?
        var faults = 0
        for _ in 0..<recordsMax where faults < faultsMax {
            guard let step = try? records.next(&input), step != .end else { break }
            if step == .record { columns = columns ?? records.count }
            if step == .malformed || records.count != columns { faults += 1 }
        }
        return faults
    }
}
