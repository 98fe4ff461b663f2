internal import CacheCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Cuts a stream into lines without copying them, and counts them for errors. A byte order mark in front is passed over.
struct LineReader {
    /// The longest line that is taken for text, in bytes.
    static let longestLine = 1 << 24

    /// The number of the line last returned, from 1.
    private(set) var number = 0
    private var pending = 0
    private var length = 0

    /// The next line without its line feed, nil at the end. The last line may lack a line feed.
    ///
    /// The bytes are valid until the next call.
    ///
    /// - Throws: `AssayError` with code `badInput` for a line that is too long to be one.
    @inline(__always)
    mutating func next(_ input: inout ByteStream) throws(AssayError) -> UnsafeRawBufferPointer? {
        input.consume(pending)
        pending = 0
        if number == 0 { try begin(&input) }
        let visible = input.buffered
        if let base = visible.baseAddress, let feed = memchr(base, 0x0a, visible.count) {
            return take(visible, length: base.distance(to: UnsafeRawPointer(feed)), feed: 1)
        }
        return try nextAcrossBuffers(&input)
    }

    /// Extends the line last returned by the line after it, with the line feed between. If there is none, or both are
    /// longer than the longest line, the same line comes back, at the place to which it may have moved.
    mutating func extend(
        _ input: inout ByteStream
    ) throws(AssayError) -> (line: UnsafeRawBufferPointer, isLonger: Bool) {
        var scanned = pending
        var available = input.buffered.count
        while true {
            if scanned == available {
                if available < Self.longestLine { available = try input.fill(atLeast: available + 1) }
                if scanned == available {
                    guard available > pending, available < Self.longestLine else {
                        return (UnsafeRawBufferPointer(rebasing: input.buffered[..<length]), false)
                    }
                    return (take(input.buffered, length: available, feed: 0), true)
                }
            }
            if let feed = Self.lineFeed(in: input.buffered, from: scanned) {
                return (take(input.buffered, length: feed, feed: 1), true)
            }
            scanned = available
        }
    }

    /// Whether the line last returned has no line feed, so that it is the last one.
    var isCutOff: Bool { pending == length }

    /// The place of the line last returned.
    func location(_ input: borrowing ByteStream) -> AssayError.Location {
        AssayError.Location(input.name, line: number)
    }

    /// Checks that this is text at all. Windows editors begin one with three bytes that belong to no line.
    @inline(never)
    private func begin(_ input: inout ByteStream) throws(AssayError) {
        try ContentCheck.requireText(&input)
        guard try input.fill(atLeast: 3) >= 3, input.buffered.starts(with: [0xef, 0xbb, 0xbf]) else { return }
        input.consume(3)
    }

    private mutating func nextAcrossBuffers(_ input: inout ByteStream) throws(AssayError) -> UnsafeRawBufferPointer? {
        var scanned = 0
        while true {
            try check(length: scanned, input)
            let available = try input.fill(atLeast: scanned + 1)
            if available == scanned {
                return scanned == 0 ? nil : take(input.buffered, length: scanned, feed: 0)
            }
            if let feed = Self.lineFeed(in: input.buffered, from: scanned) {
                return take(input.buffered, length: feed, feed: 1)
            }
            scanned = available
        }
    }

    private static func lineFeed(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = bytes.baseAddress, let feed = memchr(base + start, 0x0a, bytes.count - start) else {
            return nil
        }
        return base.distance(to: UnsafeRawPointer(feed))
    }

    @inline(__always)
    private mutating func take(_ bytes: UnsafeRawBufferPointer, length: Int, feed: Int) -> UnsafeRawBufferPointer {
        number &+= 1
        self.length = length
        pending = length &+ feed
        return UnsafeRawBufferPointer(rebasing: bytes[..<length])
    }

    private func check(length: Int, _ input: borrowing ByteStream) throws(AssayError) {
        guard length >= Self.longestLine else { return }
        throw AssayError(
            .badInput,
            "A line is longer than \(Self.longestLine) bytes, so this is not a text trace. "
                + "Name a binary format with --format.",
            at: AssayError.Location(input.name, line: number + 1))
    }
}
