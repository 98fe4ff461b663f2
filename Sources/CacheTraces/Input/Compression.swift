/// How a file is compressed, told by its first bytes and never by its name.
enum Compression: CaseIterable {
    case gzip
    case zstd
    case xz
    case bzip2

    /// The bytes that a file of this kind begins with.
    var magic: [UInt8] {
        switch self {
        case .gzip: [0x1f, 0x8b, 0x08]
        case .zstd: [0x28, 0xb5, 0x2f, 0xfd]
        case .xz: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]
        case .bzip2: Array("BZh".utf8)
        }
    }

    /// The ending that a file of this kind usually has, without the dot.
    var fileExtension: String {
        switch self {
        case .gzip: "gz"
        case .zstd: "zst"
        case .xz: "xz"
        case .bzip2: "bz2"
        }
    }

    /// The most bytes that must be seen.
    static let magicBytes = 10

    /// The kind of a file that begins with these bytes, nil if it is not compressed.
    static func detect(_ start: UnsafeRawBufferPointer) -> Compression? {
        // A Zstandard file may begin with a skippable frame, as those of pzstd do: 0x184D2A50 to 0x184D2A5F.
        let isSkippable = start.count >= 4 && start[0] & 0xf0 == 0x50
        if isSkippable, start.dropFirst().starts(with: [0x2a, 0x4d, 0x18]) { return .zstd }
        return allCases.first { kind in
            guard start.starts(with: kind.magic) else { return false }
            // "BZh" could begin a key; a level and a block's magic, or the end's, follow in a real file.
            guard kind == .bzip2 else { return true }
            let block: [UInt8] = [0x31, 0x41, 0x59, 0x26, 0x53, 0x59]
            let empty: [UInt8] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]
            let rest = start.dropFirst(4)
            return start.count >= 10 && (rest.starts(with: block) || rest.starts(with: empty))
        }
    }

    func makeDecoder() throws(DecodingFailure) -> any Decoder {
        switch self {
        case .gzip: try GzipDecoder()
        case .zstd: try ZstdDecoder()
        case .xz: try XZDecoder()
        case .bzip2: try BZip2Decoder()
        }
    }
}
