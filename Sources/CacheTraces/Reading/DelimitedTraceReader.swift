internal import CacheCore

/// Reads records of columns by a column map: what `csv` and `tsv` share.
struct DelimitedTraceReader: Sendable {
    let format: String
    let map: ColumnMap
    let isQuoting: Bool
    /// How quotes are escaped: `auto`, `double` or `backslash`.
    private let escape: String

    init(
        _ parameters: ParameterValues, format: String, delimiter: UInt8, isQuoting: Bool
    ) throws(AssayError) {
        self.format = format
        self.isQuoting = isQuoting
        escape = isQuoting ? parameters.text("escape") : "double"
        map = try ColumnMap(parameters, format: format, delimiter: delimiter)
    }

    @inline(never)
    func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        let (escapesByBackslash, note) = try prepare(&input)
        if let note { sink.note(note) }
        var records = DelimitedRecords(
            delimiter: map.delimiter, isQuoting: isQuoting, escapesByBackslash: escapesByBackslash)
        guard try next(&records, &input, &sink) else { return }
        let first = (0..<records.count).map { String(decoding: records[$0], as: UTF8.self) }
        guard !map.key.isEmpty else { throw missingKey(first, records.location(input)) }
        let columns = try ColumnIndices(
            map, names: map.hasHeader ? first : [], count: first.count, at: records.location(input))
        if map.hasHeader, !(try next(&records, &input, &sink)) { return }
        var joined = JoinedKey()
        repeat {
            let attributes: RequestAttributes
            do throws(AssayError) {
                guard records.count == first.count else {
                    throw AssayError(
                        .badInput, "The record has \(records.count) columns; the first record has \(first.count).",
                        at: records.location(input))
                }
                attributes = try self.attributes(records, columns, input)
            } catch {
                try sink.refuse(error)
                continue
            }
            try send(records, columns, attributes, &joined, input, into: &sink)
        } while try next(&records, &input, &sink)
    }

    /// Reads the next record that is not malformed; false at the end.
    @inline(__always)
    private func next<Sink: TraceSink & ~Copyable>(
        _ records: inout DelimitedRecords, _ input: inout ByteStream, _ sink: inout Sink
    ) throws(AssayError) -> Bool {
        while true {
            switch try records.next(&input) {
            case .record: return true
            case .end: return false
            case .malformed: if let fault = records.fault { try sink.refuse(fault) }
            }
        }
    }

    /// Looks at the first bytes: whether a backslash escapes quotes, and what to tell of that.
    ///
    /// - Throws: `AssayError` with code `badInput` for what is no text, and for a header that was not declared or is none.
    @inline(never)
    private func prepare(_ input: inout ByteStream) throws(AssayError) -> (escapesByBackslash: Bool, note: String?) {
        try ContentCheck.requireText(&input)
        let bytes = try ContentCheck.sample(&input)
        let isFound = escape == "auto" && QuoteEscapes.areByBackslash(bytes, delimiter: map.delimiter)
        if !map.key.isEmpty { try checkHeader(bytes, input.name) }
        return (
            isFound || escape == "backslash",
            isFound
                ? "Quotes inside fields are escaped by a backslash, so \\\" reads as a quote (escape=backslash)." : nil
        )
    }

    /// Refuses a header that was not declared, which would become a request, and a declared one that is a request.
    private func checkHeader(_ bytes: UnsafeRawBufferPointer, _ source: String) throws(AssayError) {
        // Malformed records are for the reader to name.
        guard let names = HeaderCheck(bytes, delimiter: map.delimiter, isQuoting: isQuoting) else { return }
        if names.areNames, map.headerIsOpen {
            throw AssayError(
                .badInput,
                "The first record, \(Fields.shown(bytes.firstLine)), names the columns and would count as a request. "
                    + "Add 'header', or 'header=false' if it is a request.",
                at: AssayError.Location(source, line: 1))
        }
        if names.areNumbers, map.hasHeader {
            throw AssayError(
                .badInput,
                "The first record, \(Fields.shown(bytes.firstLine)), is as the others and names no columns, and with 'header' "
                    + "it would not count as a request. Leave 'header' out.",
                at: AssayError.Location(source, line: 1))
        }
    }

    @inline(__always)
    private func send<Sink: TraceSink & ~Copyable>(
        _ records: borrowing DelimitedRecords, _ columns: ColumnIndices, _ read: RequestAttributes,
        _ joined: inout JoinedKey, _ input: borrowing ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        var attributes = read
        if let column = columns.tenant { attributes.tenant = try sink.tenant(named: records[column]) }
        if let blockBytes = map.blockBytes {
            return try sendBlocks(of: blockBytes, records, columns, attributes, &joined, input, into: &sink)
        }
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
            try sink.refuse(unreadable(key, columns.key[0], "a key of at least one byte", records.location(input)))
        }
    }

    /// Appends a request for each block that the record's range touches.
    @inline(never)
    private func sendBlocks<Sink: TraceSink & ~Copyable>(
        of blockBytes: UInt64, _ records: borrowing DelimitedRecords, _ columns: ColumnIndices,
        _ read: RequestAttributes, _ joined: inout JoinedKey, _ input: borrowing ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        guard let column = columns.key.last, let length = read.sizeBytes else { return }
        guard let offset = Fields.integer(records[column]) else {
            let expected = "the offset of a range, a whole number of bytes"
            return try sink.refuse(unreadable(records[column], column, expected, records.location(input)))
        }
        let range = BlockRange.blocks(offsetBytes: offset, lengthBytes: length, blockBytes: blockBytes)
        guard let range else {
            return try sink.refuse(
                unreadable(records[column], column, BlockRange.expected, records.location(input)))
        }
        var attributes = read
        attributes.sizeBytes = blockBytes
        for block in range {
            guard columns.key.count > 1 else {
                try sink.append(integer: block, attributes)
                continue
            }
            joined.clear()
            for column in columns.key.dropLast() { joined.append(records[column]) }
            joined.append(block)
            try joined.send(to: &sink, attributes)
        }
    }

    @inline(__always)
    private func attributes(
        _ records: borrowing DelimitedRecords, _ columns: ColumnIndices, _ input: borrowing ByteStream
    ) throws(AssayError) -> RequestAttributes {
        var attributes = RequestAttributes()
        if let column = columns.size {
            guard let size = Self.size(records[column]), size <= UInt64(Int.max) else {
                throw unreadable(records[column], column, "a whole number of bytes below 2^63", records.location(input))
            }
            attributes.sizeBytes = size
        }
        if let column = columns.time {
            guard let time = Self.time(records[column], decimals: map.timeDecimals) else {
                throw unreadable(
                    records[column], column,
                    Self.expectedTime(records[column], "time-unit") ?? "a number, or a date as 2026-11-25T22:37:41Z",
                    records.location(input))
            }
            attributes.timeNanoseconds = time
        }
        if let column = columns.timeToLive, records[column].count > 0 {
            guard let timeToLive = Fields.timeToLive(records[column], decimals: map.timeToLiveDecimals) else {
                throw unreadable(
                    records[column], column,
                    Self.expectedTime(records[column], "ttl-unit")
                        ?? "a time to live: a number from 0, or -1 or nothing for one without end",
                    records.location(input))
            }
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

    /// A whole number, which tables with holes write with a fraction of zero.
    @inline(__always)
    private static func size(_ field: UnsafeRawBufferPointer) -> UInt64? {
        Fields.integer(field) ?? Fields.real(field).flatMap { UInt64(exactly: $0) }
    }

    /// A number, which may have an exponent, or a date.
    @inline(__always)
    private static func time(_ field: UnsafeRawBufferPointer, decimals: Int) -> Int64? {
        Fields.fixedPoint(field, decimals: decimals) ?? JSONRequests.duration(field, decimals) ?? LogTime.iso8601(field)
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
                + "with size=, time=, ttl=, cost=, op=, tenant= and header where they apply; in the first record column "
                + shown.joined(separator: ", ") + ".",
            at: location)
    }
}
