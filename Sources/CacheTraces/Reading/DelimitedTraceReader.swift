internal import CacheCore

/// Reads records of columns by a column map: what `csv` and `tsv` share.
struct DelimitedTraceReader: Sendable {
    let format: String
    let map: ColumnMap
    let isQuoting: Bool

    init(
        _ parameters: ParameterValues, format: String, delimiter: UInt8, isQuoting: Bool
    ) throws(AssayError) {
        self.format = format
        self.isQuoting = isQuoting
        map = try ColumnMap(parameters, format: format, delimiter: delimiter)
    }

    @inline(__always)
    func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        var records = DelimitedRecords(delimiter: map.delimiter, isQuoting: isQuoting)
        guard try records.next(&input) else { return }
        let first = (0..<records.count).map { String(decoding: records[$0], as: UTF8.self) }
        guard !map.key.isEmpty else { throw missingKey(first, records.location(input)) }
        let columns = try ColumnIndices(
            map, names: map.hasHeader ? first : [], count: first.count, at: records.location(input))
        if map.hasHeader, !(try records.next(&input)) { return }
        var joined = JoinedKey()
        repeat {
            guard records.count == first.count else {
                throw AssayError(
                    .badInput, "The record has \(records.count) columns; the first record has \(first.count).",
                    at: records.location(input))
            }
            try send(records, columns, &joined, input, into: &sink)
        } while try records.next(&input)
    }

    @inline(__always)
    private func send<Sink: TraceSink & ~Copyable>(
        _ records: borrowing DelimitedRecords, _ columns: ColumnIndices, _ joined: inout JoinedKey,
        _ input: borrowing ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        var size: UInt64?
        if let column = columns.size {
            size = Fields.integer(records[column])
            guard let size, size <= UInt64(Int.max) else {
                throw unreadable(records[column], column, "a whole number of bytes", records.location(input))
            }
        }
        var time: Int64?
        if let column = columns.time {
            time = Fields.fixedPoint(records[column], decimals: map.timeDecimals)
            if time == nil { throw unreadable(records[column], column, "a number", records.location(input)) }
        }
        guard columns.key.count == 1 else {
            joined.clear()
            for column in columns.key { joined.append(records[column]) }
            return try joined.send(to: &sink, sizeBytes: size, timeNanoseconds: time)
        }
        let key = records[columns.key[0]]
        if let number = Fields.canonicalInteger(key) {
            try sink.append(integer: number, sizeBytes: size, timeNanoseconds: time)
        } else if key.count > 0 {
            try sink.append(bytes: key, sizeBytes: size, timeNanoseconds: time)
        } else {
            throw unreadable(key, columns.key[0], "a key of at least one byte", records.location(input))
        }
    }

    private func unreadable(
        _ field: UnsafeRawBufferPointer, _ column: Int, _ expected: String, _ location: AssayError.Location
    ) -> AssayError {
        AssayError(.badInput, "Column \(column + 1) is \(Fields.shown(field)); expected \(expected).", at: location)
    }

    private func missingKey(_ first: [String], _ location: AssayError.Location) -> AssayError {
        let shown = first.prefix(8).enumerated().map { "\($0.offset + 1) is '\($0.element)'" }
        return AssayError(
            .usage,
            "\(format) does not know which column is the key. Write --format \(format):key=1 or the like, "
                + "with size=, time= and header where they apply; in the first record column "
                + shown.joined(separator: ", ") + ".",
            at: location)
    }
}
