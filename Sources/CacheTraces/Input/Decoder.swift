/// One compression format, driven by buffers.
///
/// A file is any number of members (gzip) or frames (zstd) one after another; `decode` stops at the end of each.
protocol Decoder: AnyObject {
    /// What the format is called in errors: `gzip`.
    var name: String { get }

    /// What follows a member, by its first bytes: ``following(_:)`` needs this many unless the file ends before.
    static var followingBytes: Int { get }

    /// What the format's own tool makes of bytes that follow a member, at least one.
    func following(_ start: UnsafeRawBufferPointer) -> Following

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

extension Decoder {
    static var followingBytes: Int { 1 }
    func following(_ start: UnsafeRawBufferPointer) -> Following { .member }
}

/// What stands behind a member.
enum Following {
    /// Another member, or what is to be refused as one.
    case member
    /// Padding if zeros alone follow, else bytes that are ignored with a warning.
    case zeros
    /// Bytes that are ignored with a warning.
    case garbage
}

/// How far one call went.
struct DecodingStep {
    var consumed: Int
    var produced: Int
    /// Whether a member ended exactly here.
    var isMemberEnd: Bool
    /// What the format's own tool would warn of; nil for nothing.
    var warning: String?
}

/// Why some bytes are not of the format, in the library's words.
struct DecodingFailure: Error {
    var reason: String
}
