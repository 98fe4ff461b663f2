internal import CacheCore

/// What the first record of a delimited file is beside the records after it.
struct HeaderCheck {
    private static let recordsMax = 50

    /// Whether it surely names columns: it has words where all others have numbers, and no number.
    let areNames: Bool
    /// Whether it surely names none: it has numbers alone, in the same columns as all others.
    let areNumbers: Bool

    /// Looks at the first records of some bytes; nil if there are not three, from which something follows.
    init?(_ bytes: UnsafeRawBufferPointer, delimiter: UInt8, isQuoting: Bool) {
        var input = ByteStream(name: "", bytes: Array(bytes))
        var records = DelimitedRecords(delimiter: delimiter, isQuoting: isQuoting)
        var first: [Kind] = []
        var alwaysNumbers: [Bool] = []
        var count = 0
        while count < Self.recordsMax, (try? records.next(&input)) == .record {
            let kinds = (0..<records.count).map { Kind(records[$0]) }
            if count == 0 {
                first = kinds
                alwaysNumbers = kinds.map { _ in true }
            } else {
                // The last one may be cut off with the bytes.
                guard kinds.count == first.count else { break }
                for index in kinds.indices where kinds[index] != .number { alwaysNumbers[index] = false }
            }
            count += 1
        }
        guard count > 2 else { return nil }
        let isWordOverNumbers = zip(first, alwaysNumbers).contains { $0 == .word && $1 }
        areNames = isWordOverNumbers && !first.contains(.number)
        areNumbers = first.allSatisfy { $0 == .number } && alwaysNumbers.allSatisfy(\.self)
    }

    private enum Kind {
        case number, word, other

        init(_ field: UnsafeRawBufferPointer) {
            if Fields.real(field) != nil {
                self = .number
            } else {
                let hasLetter = field.contains { (0x61...0x7a).contains($0 | 0x20) }
                self = hasLetter ? .word : .other
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes before the first end of a line.
    var firstLine: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: prefix { $0 != 0x0a && $0 != 0x0d }) }
}
