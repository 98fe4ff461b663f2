internal import CacheCore

/// What the first bytes of a file say against reading it as text, or as binary records.
enum ContentCheck {
    /// How many bytes are looked at.
    static let sampleBytes = 1 << 16

    /// The first bytes of an input, which stay in it.
    static func sample(_ input: inout ByteStream) throws(AssayError) -> UnsafeRawBufferPointer {
        _ = try input.fill(atLeast: sampleBytes)
        return UnsafeRawBufferPointer(rebasing: input.buffered.prefix(sampleBytes))
    }

    /// Refuses what is no text in ASCII, UTF-8 or another encoding of bytes.
    ///
    /// - Throws: `AssayError` with code `badInput` that says what it looks like and what to do.
    static func requireText(_ input: inout ByteStream) throws(AssayError) {
        let bytes = try sample(&input)
        if let fault = containerFault(bytes) ?? wideTextFault(bytes) ?? binaryFault(bytes) ?? lineEndFault(bytes) {
            throw AssayError(.badInput, fault, at: AssayError.Location(input.name, offsetBytes: 0))
        }
    }

    /// What bytes that no format recognises look like, and what to do about it; nil where they may be anything.
    static func objection(_ bytes: UnsafeRawBufferPointer) -> String? {
        containerFault(bytes) ?? wideTextFault(bytes) ?? lineEndFault(bytes)
            ?? (isText(bytes) ? KnownText.objectionToKeys(bytes, isWhole: bytes.count < sampleBytes) : nil)
    }

    /// Refuses text where records of `width` bytes are expected, and records that are surely oracleGeneral's where others are.
    ///
    /// - Throws: `AssayError` with code `badInput` that says what it looks like and what to do.
    static func requireRecords(
        of width: Int, _ input: inout ByteStream, _ formatFault: (UnsafeRawBufferPointer) -> String?
    ) throws(AssayError) {
        let bytes = try sample(&input)
        var fault: String?
        if bytes.count >= width, isText(bytes), bytes.contains(0x0a) || bytes.count >= 64 {
            let start = bytes.prefix { $0 != 0x0a }
            fault =
                "These bytes are text, which begins \(Fields.shown(UnsafeRawBufferPointer(rebasing: start))), and no records of "
                + "\(width) bytes. Name the format of the text with --format."
        } else if width != 24, OracleRecords(bytes).areCertain {
            fault = "These are records of libCacheSim's oracleGeneral. Read them with --format oracle-general."
        } else {
            fault = containerFault(bytes) ?? formatFault(bytes)
        }
        if let fault { throw AssayError(.badInput, fault, at: AssayError.Location(input.name, offsetBytes: 0)) }
    }

    /// Whether bytes are UTF-8 without control characters, but for a character that is cut off at their end.
    static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || [0x09, 0x0a, 0x0d].contains($0) }) else { return false }
        let cut = bytes.suffix(3).lastIndex { $0 >= 0xc0 } ?? bytes.endIndex
        return isValidUTF8(bytes[..<cut]) || isValidUTF8(bytes[...])
    }

    private static func isValidUTF8(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }

    /// UTF-16 and UTF-32, with their mark or without.
    private static func wideTextFault(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count >= 4 else { return nil }
        let isMarked = bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff])
        let zeros = [0, 1].map { half in
            stride(from: half, to: bytes.count, by: 2).count { bytes[$0] == 0 }
        }
        let half = bytes.count / 2
        // Digits, letters and line feeds of UTF-16 have one byte of zero, on the same side each.
        let isRegular =
            half >= 8
            && (zeros[0] * 10 >= half * 9 && zeros[1] * 10 < half || zeros[1] * 10 >= half * 9 && zeros[0] * 10 < half)
        let isPrintable = bytes.allSatisfy { $0 == 0 || $0 >= 0x20 && $0 < 0x7f || [0x09, 0x0a, 0x0d].contains($0) }
        guard isMarked && zeros[0] + zeros[1] > 0 || isRegular && isPrintable else { return nil }
        let isBigEndian = isMarked ? bytes[0] == 0xfe : zeros[0] > zeros[1]
        let name = isMarked ? "UTF-16" : isBigEndian ? "UTF-16BE" : "UTF-16LE"
        return "This is UTF-16 text, of which each character has two bytes. Convert it first: "
            + "iconv -f \(name) -t UTF-8 FILE > NEWFILE."
    }

    private static func binaryFault(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count >= 64 else { return nil }
        let zeros = bytes.count { $0 == 0 }
        let controls = bytes.count { $0 < 0x20 && ![0x09, 0x0a, 0x0d, 0x1b].contains($0) || $0 == 0x7f }
        guard zeros * 10 >= bytes.count || controls * 20 >= bytes.count && !isValidUTF8(bytes[...]) else { return nil }
        let known =
            OracleRecords(bytes).areCertain
            ? "These are records of libCacheSim's oracleGeneral" : "These bytes are no text"
        return "\(known), and the format reads lines of text. Name the format with --format"
            + (OracleRecords(bytes).areCertain ? " oracle-general." : ": oracle-general, cloud-physics or the like.")
    }

    private static func lineEndFault(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard !bytes.contains(0x0a), let first = bytes.firstIndex(of: 0x0d), first < bytes.count - 1 else { return nil }
        return "The lines end in carriage returns without line feeds, as on old Macs. Convert them first: "
            + "tr '\\r' '\\n' < FILE > NEWFILE."
    }

    /// Files that hold other files, or tables, in ways that are not read.
    private static func containerFault(_ bytes: UnsafeRawBufferPointer) -> String? {
        if let kind = Compression.detect(bytes) {
            return "The content is \(kind) data once more: it was compressed twice. Unpack it once."
        }
        guard let found = containers.first(where: { bytes.dropFirst($0.offset).starts(with: $0.magic) }) else {
            return nil
        }
        return "This is \(found.name)\(found.isRead ? "" : ", which is not read"). \(found.remedy)"
    }

    private struct Container {
        let name: String
        var offset = 0
        let magic: [UInt8]
        var isRead = false
        let remedy: String
    }

    private static let containers: [Container] = {
        let unpack = "Unpack it, or pack the trace with gzip, zstd, xz or bzip2."
        let convert = "Write its requests as CSV, and name the columns with --format csv:key=1 or the like."
        return [
            Container(name: "a zip archive", magic: [0x50, 0x4b, 0x03, 0x04], remedy: unpack),
            Container(name: "a 7z archive", magic: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], remedy: unpack),
            Container(name: "a RAR archive", magic: [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07], remedy: unpack),
            Container(name: "LZ4 data", magic: [0x04, 0x22, 0x4d, 0x18], remedy: unpack),
            Container(name: "data of compress", magic: [0x1f, 0x9d], remedy: unpack),
            Container(name: "zlib data", magic: [0x78, 0x9c], remedy: unpack),
            Container(name: "zlib data", magic: [0x78, 0xda], remedy: unpack),
            Container(name: "data of lzma", magic: [0x5d, 0x00, 0x00], remedy: unpack),
            Container(name: "lzip data", magic: [0x4c, 0x5a, 0x49, 0x50, 0x01], remedy: unpack),
            Container(name: "a tar archive", offset: 257, magic: Array("ustar".utf8), remedy: unpack),
            Container(name: "a Parquet table", magic: [0x50, 0x41, 0x52, 0x31, 0x15], remedy: convert),
            Container(name: "an SQLite database", magic: Array("SQLite format 3\0".utf8), remedy: convert),
            Container(name: "a capture of packets", magic: [0xd4, 0xc3, 0xb2, 0xa1, 0x02, 0x00], remedy: convert),
            Container(
                name: "a trace in libCacheSim's LCS format", magic: [0xf0, 0xde, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12],
                isRead: true, remedy: "Read it with --format lcs."),
            Container(
                name: "a binary file of blktrace", magic: [0x07, 0x74, 0x61, 0x65],
                remedy:
                    "Make text of all of its files with 'blkparse -i NAME', NAME without .blktrace.0, and read that."),
            Container(
                name: "a recording of perf", magic: Array("PERFILE2".utf8),
                remedy: "Make text of it with 'perf trace -i FILE', and read that."),
            Container(
                name: "a binary trace of RocksDB's block cache", offset: 14, magic: Array("feedcafedeadbeef".utf8),
                remedy: "Write it as text with block_cache_trace_analyzer -human_readable_trace_file_path."),
            Container(name: "an executable program", magic: [0x7f, 0x45, 0x4c, 0x46, 0x02], remedy: "Name the trace."),
            Container(name: "a PDF document", magic: Array("%PDF-".utf8), remedy: convert),
        ]
    }()
}
