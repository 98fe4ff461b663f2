internal import CacheCore

/// Turns a compressed file into its content, block by block; a damaged or shortened file is an error, never an early end.
final class DecodingSource {
    private let name: String
    private let source: ByteStream.Source
    private let decoder: any Decoder
    private let bytesMax: (Int) -> Int
    private let warn: (String) -> Void
    private let buffer: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0
    private var fileAtEnd = false
    private var insideMember = false
    private var members = 0
    private var consumed = 0
    private var produced = 0

    /// A source that reads compressed bytes from another, gives at most as many as `bytesMax` says of those it has consumed, and tells
    /// `warn` what the format's own tool would warn of, a sentence each.
    init(
        named name: String, _ source: @escaping ByteStream.Source, _ decoder: any Decoder,
        bytesMax: @escaping (Int) -> Int, bufferBytes: Int = 1 << 18, warn: @escaping (String) -> Void = { _ in }
    ) {
        self.name = name
        self.source = source
        self.decoder = decoder
        self.bytesMax = bytesMax
        self.warn = warn
        buffer = .allocate(byteCount: bufferBytes, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// Fills the buffer and returns how much was written, 0 at the end of the content.
    func read(into output: UnsafeMutableRawBufferPointer) throws(AssayError) -> Int {
        while true {
            if start == end, !fileAtEnd { try refill() }
            if !insideMember, members > 0, try isContentOver() { return 0 }
            if start == end, fileAtEnd, !insideMember { return 0 }
            let step = try decodeStep(into: output)
            start += step.consumed
            consumed += step.consumed
            produced += step.produced
            if let warning = step.warning { warn("The \(decoder.name) data: \(warning).") }
            let bytesMax = bytesMax(consumed)
            guard produced <= bytesMax else {
                throw ExpansionLimit.tooManyBytes(bytesMax).located(at: AssayError.Location(name))
            }
            if step.isMemberEnd {
                insideMember = false
                members += 1
                try wrapping { () throws(DecodingFailure) in try decoder.restart() }
            } else if step.consumed > 0 || step.produced > 0 || step.warning != nil {
                insideMember = true
            } else if start < end {
                throw failure("is damaged", "no progress")
            } else if fileAtEnd {
                throw failure("ends in the middle: the file was cut short", "unexpected end")
            }
            if step.produced > 0 { return step.produced }
        }
    }

    /// Whether what follows a member is not another one. Reads the file to its end then.
    private func isContentOver() throws(AssayError) -> Bool {
        while end - start < type(of: decoder).followingBytes, !fileAtEnd { try readMore() }
        guard start < end else { return true }
        let following = decoder.following(rest)
        if following == .member { return false }
        var isGarbage = following == .garbage
        let count = consumed
        while start < end {
            if !isGarbage { isGarbage = rest.contains { $0 != 0 } }
            consumed += end - start
            start = end
            if !fileAtEnd { try refill() }
        }
        if isGarbage {
            warn(
                "The \(decoder.name) data ends at byte \(count) of \(consumed): what follows is not \(decoder.name) and is ignored, "
                    + "as '\(decoder.name) -d' does.")
        }
        return true
    }

    private var rest: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[start..<end])
    }

    private func decodeStep(into output: UnsafeMutableRawBufferPointer) throws(AssayError) -> DecodingStep {
        try wrapping { () throws(DecodingFailure) in
            try decoder.decode(rest, into: output, isLast: fileAtEnd)
        }
    }

    private func refill() throws(AssayError) {
        (start, end) = (0, 0)
        try readMore()
    }

    /// Reads on behind what is left.
    private func readMore() throws(AssayError) {
        if start > 0 {
            buffer.copyMemory(from: rest)
            (start, end) = (0, end - start)
        }
        let count = try source(UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
        if count == 0 { fileAtEnd = true }
        end += count
    }

    private func wrapping<Result>(_ body: () throws(DecodingFailure) -> Result) throws(AssayError) -> Result {
        do throws(DecodingFailure) { return try body() } catch { throw failure("is damaged", error.reason) }
    }

    private func failure(_ what: String, _ cause: String) -> AssayError {
        AssayError(
            .badInput,
            "The \(decoder.name) data \(what), near byte \(consumed) of the compressed file. "
                + "Copy or download the file again; '\(decoder.name) -t' tests it.",
            at: AssayError.Location(name, offsetBytes: produced), cause: cause)
    }
}
