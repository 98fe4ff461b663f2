/// The blocks that a range of bytes touches.
enum BlockRange {
    /// The most blocks of one range: 4 GiB of blocks of 4 KiB. Longer ranges are damage, or meant to take time and memory.
    private static let longest: UInt64 = 1 << 20
    /// What a range must be, as an error says it.
    static let expected = "a range that ends below 2^64 and has at most 2^20 blocks"

    /// The numbers of the blocks, one for a range of no bytes; nil for a range beyond 2^64 bytes or of more than 2^20 blocks.
    static func blocks(offsetBytes: UInt64, lengthBytes: UInt64, blockBytes: UInt64) -> ClosedRange<UInt64>? {
        let (end, overflow) = offsetBytes.addingReportingOverflow(max(lengthBytes, 1) - 1)
        let (first, last) = (offsetBytes / blockBytes, end / blockBytes)
        return overflow || last - first >= longest ? nil : first...last
    }
}
