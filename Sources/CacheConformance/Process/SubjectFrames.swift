/// Takes bytes as they come and gives frames as they are whole: four bytes of length, most significant first, and the body.
struct SubjectFrames {
    /// The longest body, in bytes. A longer one is taken for garbage.
    static let bodyBytesMax = 64 << 20

    private var bytes: [UInt8] = []

    /// Takes bytes in.
    mutating func append(_ new: ArraySlice<UInt8>) { bytes += new }

    /// The next frame's body; nil until it is whole.
    ///
    /// - Throws: ``Garbage`` if the length cannot be one.
    mutating func next() throws(Garbage) -> [UInt8]? {
        guard bytes.count >= 4 else { return nil }
        let length = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard length <= Self.bodyBytesMax else { throw Garbage(head: Array(bytes.prefix(40))) }
        guard bytes.count >= 4 + length else { return nil }
        let body = Array(bytes[4..<4 + length])
        bytes.removeFirst(4 + length)
        return body
    }

    /// A body as a frame.
    static func frame(_ body: [UInt8]) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: body.count >> (24 - 8 * $0)) } + body
    }

    /// Bytes that are no frame.
    struct Garbage: Error {
        var head: [UInt8]

        /// The bytes as text where they are text.
        var words: String { String(decoding: head.map { (0x20...0x7E).contains($0) ? $0 : 0x2E }, as: UTF8.self) }
    }
}
