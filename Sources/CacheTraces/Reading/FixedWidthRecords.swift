internal import CacheCore

/// Calls `body` with each record of a stream of records of one width, at its address. `fault` says what is wrong with the first bytes, nil
/// for nothing; bytes after a header that was consumed are not looked at. `refuse` is given a last record that is cut short.
///
/// - Throws: `AssayError` with code `badInput` and the byte offset if the input ends inside a record, or is surely something else.
@inline(__always)
func forEachRecord(
    of width: Int, in input: inout ByteStream, fault: (UnsafeRawBufferPointer) -> String? = { _ in nil },
    refuse: (AssayError) throws(AssayError) -> Void = { (error) throws(AssayError) in throw error },
    _ body: (UnsafeRawPointer) throws(AssayError) -> Void
) throws(AssayError) {
    if input.offset == 0 { try ContentCheck.requireRecords(of: width, &input, fault) }
    while true {
        let available = try input.fill(atLeast: width)
        guard available >= width else {
            if available == 0 { return }
            return try refuse(
                AssayError(
                    .badInput,
                    "The last record has \(available) of \(width) bytes. "
                        + "The file was cut short, or it is of another format: name it with --format.",
                    at: input.location))
        }
        let count = available / width
        guard let base = input.buffered.baseAddress else { return }
        var record = base
        for _ in 0..<count {
            try body(record)
            record += width
        }
        input.consume(count &* width)
    }
}
