/// A one-way stream of bytes with a buffer that a reader looks into without copying.
///
/// The source fills a buffer on demand; `offset` counts bytes consumed since the start, after decompression.
public struct ByteStream: ~Copyable {
    /// Fills the buffer it is given and returns how many bytes it wrote, 0 at the end.
    public typealias Source = (UnsafeMutableRawBufferPointer) throws(AssayError) -> Int

    /// The name that errors give as the place.
    public let name: String
    /// The number of bytes consumed so far.
    public private(set) var offset = 0
    private let source: Source
    private var storage: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0
    private var atEnd = false

    /// A stream over `source`. The buffer grows beyond `bufferBytes` only for a record that is longer.
    public init(name: String, bufferBytes: Int = 1 << 20, source: @escaping Source) {
        self.name = name
        self.source = source
        storage = Self.allocate(max(16, bufferBytes))
    }

    /// A stream over bytes in memory.
    public init(name: String, bytes: [UInt8]) {
        var position = 0
        self.init(name: name, bufferBytes: min(max(16, bytes.count), 1 << 16)) { (buffer) throws(AssayError) in
            let n = min(buffer.count, bytes.count - position)
            guard n > 0 else { return 0 }
            bytes.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + n]))
            }
            position += n
            return n
        }
    }

    deinit { storage.deallocate() }

    /// What has been read but not consumed. Valid until the next call that fills or consumes. Up to 16 bytes beyond it may be read too,
    /// which mean nothing, so that a reader need not look at each byte alone.
    public var buffered: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage)[start..<end])
    }

    /// Makes at least `count` bytes visible in ``buffered`` if the input has them; returns how many are visible.
    public mutating func fill(atLeast count: Int) throws(AssayError) -> Int {
        while end - start < count, !atEnd { try readMore(for: count) }
        return end - start
    }

    /// Consumes bytes that ``buffered`` showed.
    public mutating func consume(_ count: Int) {
        precondition(count <= end - start, "cannot consume what was not read")
        start += count
        offset += count
    }

    /// A location at the current offset.
    public var location: AssayError.Location { AssayError.Location(name, offsetBytes: offset) }

    private mutating func readMore(for count: Int) throws(AssayError) {
        if start > 0 {
            storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage)[start..<end]))
            end -= start
            start = 0
        }
        if storage.count < count || end == storage.count { grow(to: max(count, storage.count * 2)) }
        let read = try source(UnsafeMutableRawBufferPointer(rebasing: storage[end...]))
        if read == 0 { atEnd = true }
        end += read
    }

    /// A buffer behind which 16 more bytes may be read.
    private static func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
        let whole = UnsafeMutableRawBufferPointer.allocate(byteCount: count + 16, alignment: 16)
        return UnsafeMutableRawBufferPointer(rebasing: whole[..<count])
    }

    private mutating func grow(to count: Int) {
        let larger = Self.allocate(count)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage)[..<end]))
        storage.deallocate()
        storage = larger
    }
}
