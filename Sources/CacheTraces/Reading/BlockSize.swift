internal import CacheCore

/// The parameter `block` of formats whose requests are for ranges of bytes.
enum BlockSize {
    /// The parameter; `standard` is its default in bytes, and 0 is allowed, as the summary says it, where it is the default.
    static func parameter(
        _ standard: Int = 4096,
        _ summary: String = "How many bytes a block has; every block that a range touches is one request."
    ) -> ParameterSpecification {
        ParameterSpecification("block", .integer(default: standard, (standard == 0 ? 0 : 1)...1 << 40), summary)
    }

    /// How many bytes a block has.
    static func bytes(_ parameters: ParameterValues) -> UInt64 { UInt64(parameters.integer("block")) }
}
