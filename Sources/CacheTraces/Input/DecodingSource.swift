internal import CacheCore

/// Turns a compressed file into its content, block by block; a damaged or shortened file is an error, never an early end.
final class DecodingSource {
    private let file: HashedFile
    private let decoder: any Decoder
    private let buffer: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0
    private var fileAtEnd = false
    private var insideMember = false
    private var consumed = 0
    private var produced = 0

    /// A source that reads on from the file's start.
    init(_ file: HashedFile, _ decoder: any Decoder, bufferBytes: Int = 1 << 18) {
        self.file = file
        self.decoder = decoder
        buffer = .allocate(byteCount: bufferBytes, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// Fills the buffer and returns how much was written, 0 at the end of the content.
    func read(into output: UnsafeMutableRawBufferPointer) throws(AssayError) -> Int {
        while true {
            if start == end, !fileAtEnd { try refill() }
            if start == end, fileAtEnd, !insideMember { return 0 }
            let step = try decodeStep(into: output)
            start += step.consumed
            consumed += step.consumed
            produced += step.produced
            if step.isMemberEnd {
                insideMember = false
                try wrapping { () throws(DecodingFailure) in try decoder.restart() }
            } else if step.consumed > 0 || step.produced > 0 {
                insideMember = true
            } else if start < end {
                throw failure("is damaged", "no progress")
            } else if fileAtEnd {
                throw failure("ends in the middle: the file was cut short", "unexpected end")
            }
            if step.produced > 0 { return step.produced }
        }
    }

    private func decodeStep(into output: UnsafeMutableRawBufferPointer) throws(AssayError) -> DecodingStep {
        let input = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[start..<end])
        return try wrapping { () throws(DecodingFailure) in
            try decoder.decode(input, into: output, isLast: fileAtEnd)
        }
    }

    private func refill() throws(AssayError) {
        start = 0
        end = try file.read(into: buffer)
        if end == 0 { fileAtEnd = true }
    }

    private func wrapping<Result>(_ body: () throws(DecodingFailure) -> Result) throws(AssayError) -> Result {
        do throws(DecodingFailure) { return try body() } catch { throw failure("is damaged", error.reason) }
    }

    private func failure(_ what: String, _ cause: String) -> AssayError {
        AssayError(
            .badInput,
            "The \(decoder.name) data \(what), near byte \(consumed) of the compressed file. "
                + "Copy or download the file again; '\(decoder.name) -t' tests it.",
            at: AssayError.Location(file.path, offsetBytes: produced), cause: cause)
    }
}
