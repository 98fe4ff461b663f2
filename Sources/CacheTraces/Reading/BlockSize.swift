internal import CacheCore

/// The parameter `block` of formats whose requests are ranges of bytes.
enum BlockSize {
    /// The largest block, in bytes.
    private static let bytesMax = 1 << 30

    /// The parameter with its default; 0 is for none where `summary` says what is then read.
    static func parameter(default bytes: Int, _ summary: String) -> ParameterSpecification {
        ParameterSpecification("block", .integer(default: bytes, (bytes == 0 ? 0 : 1)...bytesMax), summary)
    }
}
