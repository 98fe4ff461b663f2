internal import CacheCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Cuts a stream into records of fields that a byte separates; quoted fields follow RFC 4180 where quoting is on.
///
/// Blanks around a field are no part of it, as libcsv reads and many programs write it, unless they are inside quotes; where quoting is
/// off, as in TSV, they are.
struct DelimitedRecords: ~Copyable {
    private let delimiter: UInt8
    private let isQuoting: Bool
    private var lines = LineReader()
    private var line = UnsafeRawBufferPointer(start: nil, count: 0)
    private var fields: [Range<Int>] = []
    private var scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
    private var isDecoded = false
    /// The line on which the record last returned began.
    private(set) var firstLine = 0

    init(delimiter: UInt8, isQuoting: Bool) {
        self.delimiter = delimiter
        self.isQuoting = isQuoting
    }

    deinit { scratch.deallocate() }

    /// The number of fields of the record.
    var count: Int { fields.count }

    /// A field of the record, from 0, without its quotes. Valid until the next record.
    subscript(index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: (isDecoded ? UnsafeRawBufferPointer(scratch) : line)[fields[index]])
    }

    /// The place of the record.
    func location(_ input: borrowing ByteStream) -> AssayError.Location {
        AssayError.Location(input.name, line: firstLine)
    }

    /// Reads the next record that is not an empty line; false at the end.
    ///
    /// - Throws: `AssayError` with code `badInput` for quotes that RFC 4180 does not allow.
    mutating func next(_ input: inout ByteStream) throws(AssayError) -> Bool {
        while let line = try lines.next(&input) {
            firstLine = lines.number
            self.line = Fields.withoutCarriageReturn(line)
            guard self.line.count > 0 else { continue }
            if isQuoting, Self.find(0x22, in: self.line, from: 0) != nil {
                try decodeQuoted(&input)
            } else {
                split()
            }
            return true
        }
        return false
    }

    private mutating func split() {
        isDecoded = false
        fields.removeAll(keepingCapacity: true)
        var start = 0
        while let end = Self.find(delimiter, in: line, from: start) {
            fields.append(withoutBlanks(start..<end))
            start = end + 1
        }
        fields.append(withoutBlanks(start..<line.count))
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

    private mutating func decodeQuoted(_ input: inout ByteStream) throws(AssayError) {
        // While the quotes so far are odd in number, the record goes on behind a line feed inside quotes. Only what is
        // new is counted, so that a long field costs no more than its length.
        var isInside = false
        var counted = 0
        while true {
            for byte in line[counted...] where byte == 0x22 { isInside.toggle() }
            counted = line.count
            guard isInside else { break }
            let longer = try lines.extend(&input)
            line = longer.line
            // At the end of the input, or of patience, the decoder says what is wrong.
            guard longer.isLonger else { break }
        }
        line = Fields.withoutCarriageReturn(line)
        guard try decodeWhole(input) else {
            let limit = LineReader.longestLine
            let place = input.buffered.count < limit ? "before the file does" : "within \(limit) bytes"
            throw malformed("A quoted field does not end \(place)", input)
        }
    }

    /// Decodes the record into `scratch`; false if it ends inside quotes.
    private mutating func decodeWhole(_ input: borrowing ByteStream) throws(AssayError) -> Bool {
        isDecoded = true
        fields.removeAll(keepingCapacity: true)
        if scratch.count < line.count {
            scratch.deallocate()
            scratch = .allocate(byteCount: line.count * 2, alignment: 1)
        }
        var (read, written) = (0, 0)
        while true {
            let start = written
            while read < line.count, isBlank(line[read]) { read += 1 }
            if read < line.count, line[read] == 0x22 {
                guard let after = decodeField(from: read + 1, at: &written) else { return false }
                read = after
                while read < line.count, isBlank(line[read]) { read += 1 }
            } else {
                while read < line.count, line[read] != delimiter {
                    guard line[read] != 0x22 else {
                        throw malformed("A quote stands inside a field that does not begin with one", input)
                    }
                    scratch[written] = line[read]
                    (read, written) = (read + 1, written + 1)
                }
                while written > start, isBlank(scratch[written - 1]) { written -= 1 }
            }
            fields.append(start..<written)
            if read == line.count { return true }
            guard line[read] == delimiter else { throw malformed("Text follows a closing quote", input) }
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
            }
            scratch[written] = line[read]
            (read, written) = (read + 1, written + 1)
        }
        return nil
    }

    private func malformed(_ what: String, _ input: borrowing ByteStream) -> AssayError {
        AssayError(
            .badInput, "\(what). Quote a whole field, and write a quote inside it twice (RFC 4180).",
            at: location(input))
    }

    @inline(__always)
    private static func find(_ byte: UInt8, in line: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < line.count, let base = line.baseAddress,
            let found = memchr(base + start, Int32(byte), line.count - start)
        else { return nil }
        return base.distance(to: UnsafeRawPointer(found))
    }
}
