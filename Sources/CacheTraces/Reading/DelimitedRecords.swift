internal import CIntrinsics
internal import CacheCore

/// Cuts a stream into records of fields that a byte separates; quoted fields follow RFC 4180 where quoting is on.
///
/// Blanks around a field are no part of it, as libcsv reads and many programs write it, unless they are inside quotes; where quoting is
/// off, as in TSV, they are. Where a backslash escapes, it makes a quote or a backslash behind it a part of a quoted field.
struct DelimitedRecords: ~Copyable {
    private let delimiter: UInt8
    private let isQuoting: Bool
    private let escapesByBackslash: Bool
    private var lines = LineReader()
    private var line = UnsafeRawBufferPointer(start: nil, count: 0)
    private var fields = UnsafeMutableBufferPointer<Range<Int>>.allocate(capacity: 64)
    private var scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
    private var isDecoded = false
    /// The line on which the record last returned began.
    private(set) var firstLine = 0
    /// What is wrong with the record last returned, where it is malformed.
    private(set) var fault: AssayError?

    init(delimiter: UInt8, isQuoting: Bool, escapesByBackslash: Bool = false) {
        self.delimiter = delimiter
        self.isQuoting = isQuoting
        self.escapesByBackslash = escapesByBackslash
    }

    /// What ``next(_:)`` found.
    enum Step {
        /// A record.
        case record
        /// A record whose quotes are wrong, as ``fault`` says. Only its first line is passed over.
        case malformed
        /// No further record.
        case end
    }

    deinit {
        scratch.deallocate()
        fields.deallocate()
    }

    /// The number of fields of the record.
    private(set) var count = 0

    /// A field of the record, from 0, without its quotes. Valid until the next record.
    subscript(index: Int) -> UnsafeRawBufferPointer {
        precondition(index < count, "the record has fewer fields")
        return UnsafeRawBufferPointer(rebasing: (isDecoded ? UnsafeRawBufferPointer(scratch) : line)[fields[index]])
    }

    /// The place of the record.
    func location(_ input: borrowing ByteStream) -> AssayError.Location {
        AssayError.Location(input.name, line: firstLine)
    }

    /// Reads the next record that is not an empty line.
    ///
    /// - Throws: `AssayError` with code `badInput` for what is no text, and what the input throws.
    mutating func next(_ input: inout ByteStream) throws(AssayError) -> Step {
        while let line = try lines.next(&input) {
            firstLine = lines.number
            self.line = Fields.withoutCarriageReturn(line)
            guard self.line.count > 0 else { continue }
            return split() ? .record : try decodeQuoted(&input)
        }
        return .end
    }

    /// Splits the line at its delimiters; false if it has quotes that mean something.
    ///
    /// Looks at 16 bytes at once, which may lie beyond the line and its stream's buffer, as ``ByteStream/buffered`` allows.
    private mutating func split() -> Bool {
        isDecoded = false
        count = 0
        guard let base = line.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
        var start = 0
        for offset in stride(from: 0, to: line.count, by: 16) {
            let mask = UInt32.max >> UInt32(32 - min(16, line.count - offset))
            if isQuoting, assay_equal_of_16(base + offset, 0x22) & mask != 0 { return false }
            var found = assay_equal_of_16(base + offset, delimiter) & mask
            while found != 0 {
                let end = offset &+ found.trailingZeroBitCount
                found &= found &- 1
                append(withoutBlanks(start..<end))
                start = end &+ 1
            }
        }
        append(withoutBlanks(start..<line.count))
        return true
    }

    @inline(__always)
    private mutating func append(_ field: Range<Int>) {
        if count == fields.count { growFields() }
        fields.initializeElement(at: count, to: field)
        count &+= 1
    }

    @inline(never)
    private mutating func growFields() {
        let larger = UnsafeMutableBufferPointer<Range<Int>>.allocate(capacity: 2 * fields.count)
        _ = larger.moveInitialize(fromContentsOf: fields)
        fields.deallocate()
        fields = larger
    }

    @inline(__always)
    private func withoutBlanks(_ range: Range<Int>) -> Range<Int> {
        guard isQuoting, !range.isEmpty, isBlank(line[range.lowerBound]) || isBlank(line[range.upperBound &- 1]) else {
            return range
        }
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isBlank(line[start]) { start &+= 1 }
        while start < end, isBlank(line[end &- 1]) { end &-= 1 }
        return start..<end
    }

    /// Whether a byte is a space or a tab that does not separate fields.
    @inline(__always)
    private func isBlank(_ byte: UInt8) -> Bool { (byte == 0x20 || byte == 0x09) && byte != delimiter }

    /// How many bytes are looked at for the ends of quotes that have none. Each may lead on to the end of the input, and no more than its
    /// first line is passed over.
    private static let lookedAheadMax = 1 << 28
    private var lookedAhead = 0

    private mutating func decodeQuoted(_ input: inout ByteStream) throws(AssayError) -> Step {
        let firstOnly = lines
        // While the quotes so far are odd in number, the record goes on behind a line feed inside quotes. Only what is
        // new is counted, so that a long field costs no more than its length.
        var quotes = OpenQuotes(escapesByBackslash: escapesByBackslash)
        var counted = 0
        while true {
            for byte in line[counted...] { quotes.pass(byte) }
            counted = line.count
            guard quotes.isInside else { break }
            let longer = try lines.extend(&input)
            line = longer.line
            // At the end of the input, or of patience, the decoder says what is wrong.
            guard longer.isLonger else { break }
        }
        line = Fields.withoutCarriageReturn(line)
        let looked = line.count
        guard var fault = decodeWhole(input) else { return .record }
        lookedAhead += looked
        guard lookedAhead <= Self.lookedAheadMax else {
            fault.message += " So many lines are like it that no more are passed over: do quotes mean anything here?"
            throw fault
        }
        self.fault = fault
        lines = firstOnly
        return .malformed
    }

    /// Decodes the record into `scratch`; returns what is wrong with it.
    private mutating func decodeWhole(_ input: borrowing ByteStream) -> AssayError? {
        isDecoded = true
        count = 0
        if scratch.count < line.count {
            scratch.deallocate()
            scratch = .allocate(byteCount: line.count * 2, alignment: 1)
        }
        var (read, written) = (0, 0)
        while true {
            let start = written
            while read < line.count, isBlank(line[read]) { read += 1 }
            if read < line.count, line[read] == 0x22 {
                guard let after = decodeField(from: read + 1, at: &written) else {
                    let limit = LineReader.longestLine
                    let place = input.buffered.count < limit ? "before the file does" : "within \(limit) bytes"
                    return malformed("A quoted field does not end \(place)", input)
                }
                read = after
                while read < line.count, isBlank(line[read]) { read += 1 }
            } else {
                while read < line.count, line[read] != delimiter {
                    guard line[read] != 0x22 else {
                        return malformed("A quote stands inside a field that does not begin with one", input)
                    }
                    scratch[written] = line[read]
                    (read, written) = (read + 1, written + 1)
                }
                while written > start, isBlank(scratch[written - 1]) { written -= 1 }
            }
            append(start..<written)
            if read == line.count { return nil }
            guard line[read] == delimiter else { return malformed("Text follows a closing quote", input) }
            read += 1
        }
    }

    /// Decodes a quoted field from behind its first quote; returns the place behind its last one, nil if there is none.
    private mutating func decodeField(from start: Int, at written: inout Int) -> Int? {
        var read = start
        while read < line.count {
            if line[read] == 0x22 {
                guard read + 1 < line.count, line[read + 1] == 0x22 else { return read + 1 }
                read += 1
            } else if escapesByBackslash, line[read] == 0x5c, read + 1 < line.count,
                line[read + 1] == 0x22 || line[read + 1] == 0x5c
            {
                read += 1
            }
            scratch[written] = line[read]
            (read, written) = (read + 1, written + 1)
        }
        return nil
    }

    private func malformed(_ what: String, _ input: borrowing ByteStream) -> AssayError {
        AssayError(
            .badInput,
            "\(what). Quote a whole field, and write a quote inside it twice (RFC 4180), or behind a backslash "
                + "with escape=backslash.",
            at: location(input))
    }
}

/// Whether text that is passed byte by byte stands inside quotes.
private struct OpenQuotes {
    let escapesByBackslash: Bool
    private(set) var isInside = false
    private var isEscaped = false

    init(escapesByBackslash: Bool) { self.escapesByBackslash = escapesByBackslash }

    mutating func pass(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
            if byte == 0x22 || byte == 0x5c { return }
        }
        if byte == 0x22 { isInside.toggle() }
        if escapesByBackslash, isInside, byte == 0x5c { isEscaped = true }
    }
}
