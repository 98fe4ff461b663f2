/// One compression format, driven by buffers.
///
/// A file is any number of members (gzip) or frames (zstd) one after another; `decode` stops at the end of each.
protocol Decoder: AnyObject {
    /// What the format is called in errors: `gzip`.
    var name: String { get }

    /// Decodes from the input's start into the output's start, as far as either reaches.
    ///
    /// - Parameter isLast: whether no input follows what is given.
    /// - Throws: `DecodingFailure` for bytes that are not of this format.
    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, isLast: Bool
    ) throws(DecodingFailure) -> DecodingStep

    /// Prepares for another member.
    func restart() throws(DecodingFailure)
}

/// How far one call went.
struct DecodingStep {
    var consumed: Int
    var produced: Int
    /// Whether a member ended exactly here.
    var isMemberEnd: Bool
}

/// Why some bytes are not of the format, in the library's words.
struct DecodingFailure: Error {
    var reason: String
}
