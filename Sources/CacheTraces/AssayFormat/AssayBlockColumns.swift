internal import CacheCore

/// The columns of a block of the `assay` format, taken one after the other.
struct AssayBlockColumns {
    let payload: [UInt8]
    let zstd: ZstdBlock
    private var position = 0

    /// The columns of a block.
    init(payload: [UInt8], zstd: ZstdBlock) {
        self.payload = payload
        self.zstd = zstd
    }

    /// Whether every column was taken.
    var isAtEnd: Bool { position == payload.count }

    /// The next column, which must be this one of numbers.
    mutating func numbers(_ column: AssayTraceLayout.Column, count: Int) throws(BlockFault) -> NumberColumn {
        // No layout needs more than 12 bytes a number and a few at its beginning.
        let (head, raw) = try next(column, bytesMax: 12 * count + 64)
        guard let transform = NumberTransform(rawValue: head[1]), column.transforms.contains(transform),
            let layout = NumberLayout(rawValue: head[2])
        else { throw BlockFault(reason: "a column is written in an unknown way") }
        guard let numbers = layout.decode(raw, count: count) else {
            throw BlockFault(reason: "a column has not the numbers that it should have")
        }
        return NumberColumn(transform: transform, numbers: numbers)
    }

    /// The next column, which must be this one of bytes.
    mutating func bytes(_ column: AssayTraceLayout.Column, count: Int) throws(BlockFault) -> [UInt8] {
        let (_, raw) = try next(column, bytesMax: count)
        guard raw.count == count else { throw BlockFault(reason: "its keys are shorter than they should be") }
        return raw
    }

    /// The next column, unpacked, with the four bytes that describe it.
    private mutating func next(
        _ column: AssayTraceLayout.Column, bytesMax: Int
    ) throws(BlockFault) -> (head: [UInt8], raw: [UInt8]) {
        let headEnd = position + AssayTraceLayout.columnHeaderBytes
        guard headEnd <= payload.count, payload[position] == column.rawValue else {
            throw BlockFault(reason: "it lacks a column")
        }
        func length(_ offset: Int) -> Int {
            (0..<4).reduce(0) { $0 | Int(payload[position + offset + $1]) << (8 * $1) }
        }
        let (rawLength, storedLength) = (length(4), length(8))
        guard rawLength <= bytesMax, storedLength <= payload.count - headEnd else {
            throw BlockFault(reason: "a column is longer than it can be")
        }
        let head = Array(payload[position..<position + 4])
        let stored = Array(payload[headEnd..<headEnd + storedLength])
        position = headEnd + storedLength
        guard let raw = head[3] == 0 ? stored : zstd.decompressed(stored, count: rawLength), raw.count == rawLength,
            head[3] <= 1
        else { throw BlockFault(reason: "a column does not unpack to its length") }
        return (head, raw)
    }
}
