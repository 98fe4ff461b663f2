internal import CacheCore

/// A source of bytes whose first ones can be looked at before they are read.
final class PeekedSource {
    private let source: ByteStream.Source
    private var start: [UInt8] = []
    private var taken = 0

    /// Reads up to `count` first bytes of a source.
    init(_ source: @escaping ByteStream.Source, peeking count: Int) throws(AssayError) {
        self.source = source
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { block.deallocate() }
        var seen = 0
        while seen < count {
            let read = try source(UnsafeMutableRawBufferPointer(rebasing: block[seen...]))
            if read == 0 { break }
            seen += read
        }
        start = Array(block[..<seen])
    }

    /// The first bytes; fewer than were asked for if the source has no more.
    var peeked: [UInt8] { start }

    /// Fills the buffer and returns how much was read, 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(AssayError) -> Int {
        guard taken < start.count else { return try source(buffer) }
        let part = start[taken...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        taken += part.count
        return part.count
    }
}
