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
        if !map.key.isEmpty { try checkHeader(&input) }
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

    /// Refuses a header that was not declared, which would become a request, and a declared one that is a request.
    @inline(never)
    private func checkHeader(_ input: inout ByteStream) throws(AssayError) {
        try ContentCheck.requireText(&input)
        let bytes = try ContentCheck.sample(&input)
        // Malformed records are for the reader to name.
        guard let names = HeaderCheck(bytes, delimiter: map.delimiter, isQuoting: isQuoting) else { return }
        if names.areNames, map.headerIsOpen {
            throw AssayError(
                .badInput,
                "The first record, \(Fields.shown(bytes.firstLine)), names the columns and would count as a request. "
                    + "Add 'header', or 'header=false' if it is a request.",
                at: AssayError.Location(input.name, line: 1))
        }
        if names.areNumbers, map.hasHeader {
            throw AssayError(
                .badInput,
                "The first record, \(Fields.shown(bytes.firstLine)), is as the others and names no columns, and with 'header' "
                    + "it would not count as a request. Leave 'header' out.",
                at: AssayError.Location(input.name, line: 1))
        }
    }

    @inline(__always)
    private func send<Sink: TraceSink & ~Copyable>(
        _ records: borrowing DelimitedRecords, _ columns: ColumnIndices, _ joined: inout JoinedKey,
        _ input: borrowing ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        let attributes = try attributes(records, columns, input)
        guard columns.key.count == 1 else {
            joined.clear()
            for column in columns.key { joined.append(records[column]) }
            return try joined.send(to: &sink, attributes)
        }
        let key = records[columns.key[0]]
        if let number = Fields.canonicalInteger(key) {
            try sink.append(integer: number, attributes)
        } else if key.count > 0 {
            try sink.append(bytes: key, attributes)
        } else {
            throw unreadable(key, columns.key[0], "a key of at least one byte", records.location(input))
        }
    }

    @inline(__always)
    private func attributes(
        _ records: borrowing DelimitedRecords, _ columns: ColumnIndices, _ input: borrowing ByteStream
    ) throws(AssayError) -> RequestAttributes {
        var attributes = RequestAttributes()
        if let column = columns.size {
            guard let size = Fields.integer(records[column]), size <= UInt64(Int.max) else {
                throw unreadable(records[column], column, "a whole number of bytes below 2^63", records.location(input))
            }
            attributes.sizeBytes = size
        }
        if let column = columns.time {
            guard let time = Fields.fixedPoint(records[column], decimals: map.timeDecimals) else {
                throw unreadable(
                    records[column], column, Self.expectedTime(records[column], "time-unit") ?? "a number",
                    records.location(input))
            }
            attributes.timeNanoseconds = time
        }
        if let column = columns.timeToLive, records[column].count > 0 {
            guard let timeToLive = Fields.fixedPoint(records[column], decimals: map.timeToLiveDecimals), timeToLive >= 0
            else {
                throw unreadable(
                    records[column], column,
                    Self.expectedTime(records[column], "ttl-unit") ?? "a time to live: a number from 0, or nothing",
                    records.location(input))
            }
            // In the traces of memcached and its kin 0 means that an object does not expire.
            attributes.timeToLiveNanoseconds = timeToLive == 0 ? nil : timeToLive
        }
        if let column = columns.cost {
            guard let cost = Fields.real(records[column]), cost >= 0 else {
                throw unreadable(records[column], column, "a cost: a number from 0", records.location(input))
            }
            attributes.cost = cost
        }
        if let column = columns.operation {
            guard let operation = Fields.operation(records[column]) else {
                throw unreadable(
                    records[column], column, "an operation: get, set, delete or their kin", records.location(input))
            }
            attributes.operation = operation
        }
        return attributes
    }

    private func unreadable(
        _ field: UnsafeRawBufferPointer, _ column: Int, _ expected: String, _ location: AssayError.Location
    ) -> AssayError {
        let hint = location.line == 1 && !map.hasHeader ? " Add 'header' if the first record names the columns." : ""
        return AssayError(
            .badInput, "Column \(column + 1) is \(Fields.shown(field)); expected \(expected).\(hint)", at: location)
    }

    /// What is wrong with a number of a time that has too many nanoseconds; nil for anything else.
    private static func expectedTime(_ field: UnsafeRawBufferPointer, _ unit: String) -> String? {
        // Finer units take all that fits 64 bits.
        guard Fields.fixedPoint(field, decimals: 9) == nil, Fields.fixedPoint(field, decimals: 0) != nil else {
            return nil
        }
        return "at most 2^63 nanoseconds, which are 292 years: name what the column counts with \(unit)=ms, us or ns"
    }

    private func missingKey(_ first: [String], _ location: AssayError.Location) -> AssayError {
        let shown = first.prefix(8).enumerated().map { "\($0.offset + 1) is \(Fields.shown($0.element))" }
        return AssayError(
            .usage,
            "\(format) does not know which column is the key. Write --format \(format):key=1 or the like, "
                + "with size=, time=, ttl=, cost=, op= and header where they apply; in the first record column "
                + shown.joined(separator: ", ") + ".",
            at: location)
    }
}
