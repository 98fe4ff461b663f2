internal import CZlib
public import CacheCore

/// The files of `CacheRecording`: blocks of requests with checksums, whose keys are hashes. `docs/recording.md` has the layout.
///
/// Several files one after the other, as they were rotated, are one trace. A block that a file ends in and that is cut off is noted; any other
/// damage is an error. A request whose size was not known takes the one that the next request for its key states.
public struct RecordingTraceFormat: TraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "recording", summary: "Rotating files of CacheRecording: blocks of requests with checksums, hashed keys.",
        citation: "docs/recording.md", fileExtensions: ["recording"])

    /// There are no parameters.
    public init(_ parameters: ParameterValues) {}

    /// The first eight bytes say it.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        sample.bytes.starts(with: RecordingReader.fileMagic) ? Recognition(.certain) : nil
    }

    /// Reads every request.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        var reader = RecordingReader()
        try reader.readFileHeader(&input, into: &sink)
        while try input.fill(atLeast: RecordingReader.fileMagic.count) > 0 {
            if input.buffered.starts(with: RecordingReader.fileMagic) {
                try reader.readFileHeader(&input, into: &sink)
            } else {
                try reader.readBlock(&input, into: &sink)
            }
        }
        try reader.finish(&sink)
    }
}

/// What a recording's blocks need to know of what was before them.
private struct RecordingReader {
    static let fileMagic: [UInt8] = [0x8a, 0x43, 0x52, 0x45, 0x43, 0x0d, 0x0a, 0x1a]
    private static let blockMagic: [UInt8] = [0x8b, 0x42, 0x4c, 0x4b]
    private static let fileHeaderBytes = 48
    private static let blockHeaderBytes = 36
    /// The most bytes of a block after its header.
    private static let payloadMax = 1 << 16

    private struct FileHeader {
        var number: UInt64
        var secretID: UInt64
        var hasTenants: Bool
    }

    private var file: FileHeader?
    private var cutFiles = 0
    private var lost: UInt64 = 0
    private var gaps = 0
    private var sizes = UnknownSizes()
    private var withSize = 0
    private var withoutSize = 0
    private var reads = 0
    private var hits = 0
    private var tenants: [UInt64: UInt16] = [:]

    // MARK: Files

    mutating func readFileHeader<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        let count = try input.fill(atLeast: Self.fileHeaderBytes)
        let bytes = input.buffered
        guard bytes.starts(with: Self.fileMagic) else {
            throw AssayError(
                .badInput,
                "A recording begins with the bytes 8a 43 52 45 43 0d 0a 1a, and this file does not. "
                    + "Name its format with --format.", at: input.location)
        }
        guard count >= Self.fileHeaderBytes else {
            throw AssayError(
                .badInput, "The file ends in its header, after \(count) of \(Self.fileHeaderBytes) bytes.",
                at: input.location)
        }
        guard Self.checksum(bytes, 0..<44) == Self.word(bytes, 44, UInt32.self) else {
            throw AssayError(
                .badInput, "The file's header is damaged: its checksum is not that of its bytes. Copy the file again.",
                at: input.location)
        }
        guard bytes[8] == 1 else {
            throw AssayError(
                .badInput, "The recording has version \(bytes[8]), and this program reads version 1. Take a newer one.",
                at: input.location)
        }
        let header = FileHeader(
            number: Self.word(bytes, 16, UInt64.self), secretID: Self.word(bytes, 32, UInt64.self),
            hasTenants: bytes[9] & 1 != 0)
        if let file { try check(header, after: file, input, into: &sink) }
        file = header
        input.consume(Self.fileHeaderBytes)
    }

    private func check<Sink: TraceSink & ~Copyable>(
        _ header: FileHeader, after file: FileHeader, _ input: borrowing ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        let place = "file \(header.number) follows file \(file.number)"
        guard header.secretID == file.secretID else {
            throw AssayError(
                .badInput,
                "Here \(place), and their keys were hashed under different secrets, so that one key has two hashes. "
                    + "Read the files of each run alone, and give the recorder a secret.", at: input.location)
        }
        guard header.hasTenants == file.hasTenants else {
            throw AssayError(
                .badInput, "Here \(place), and only one of them has tenants. Read them alone.", at: input.location)
        }
        if header.number != file.number &+ 1 {
            sink.note("Files are missing or out of order: \(place).")
        }
    }

    // MARK: Blocks

    mutating func readBlock<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        let count = try input.fill(atLeast: Self.blockHeaderBytes)
        var bytes = input.buffered
        let hasHeader =
            count >= Self.blockHeaderBytes && bytes.starts(with: Self.blockMagic)
            && Self.checksum(bytes, 0..<32) == Self.word(bytes, 32, UInt32.self)
        let payload = hasHeader ? Int(Self.word(bytes, 4, UInt32.self)) : 0
        guard hasHeader, payload <= Self.payloadMax else {
            let isCut = count < Self.blockHeaderBytes && Self.blockMagic.starts(with: bytes.prefix(4))
            return try skip(&input, Self.blockHeaderBytes, isCut: isCut, "header", into: &sink)
        }
        let whole = Self.blockHeaderBytes + payload
        let isCut = try input.fill(atLeast: whole) < whole
        bytes = input.buffered
        guard !isCut, Self.checksum(bytes, Self.blockHeaderBytes..<whole) == Self.word(bytes, 12, UInt32.self) else {
            return try skip(&input, whole, isCut: isCut, "content", into: &sink)
        }
        let lost = Self.word(bytes, 16, UInt64.self)
        if lost > 0 {
            self.lost = saturatingSum(self.lost, lost)
            gaps += 1
        }
        let requests = Self.word(bytes, 8, UInt32.self)
        var time = Self.word(bytes, 24, UInt64.self)
        var fields = RecordedFields(UnsafeRawBufferPointer(rebasing: bytes[Self.blockHeaderBytes..<whole]))
        for index in 0..<requests {
            guard let request = fields.next(&time, hasTenant: file?.hasTenants == true) else {
                try sink.refuse(
                    AssayError(
                        .badInput,
                        "Request \(index + 1) of the block is malformed, although the block's checksum is right.",
                        at: input.location))
                return input.consume(whole)
            }
            if let leaving = sizes.exchange(request) { try append(leaving, into: &sink) }
        }
        if !fields.isAtEnd {
            try sink.refuse(
                AssayError(
                    .badInput, "The block has more bytes than its \(requests) requests take.", at: input.location))
        }
        input.consume(whole)
    }

    private mutating func append<Sink: TraceSink & ~Copyable>(
        _ request: RecordedFields.Request, into sink: inout Sink
    ) throws(AssayError) {
        var attributes = request.attributes
        if let tenant = request.tenant {
            attributes.tenant = tenants[tenant]
            if attributes.tenant == nil {
                let number = try withBytes(Array(String(tenant).utf8)) { (name) throws(AssayError) in
                    try sink.tenant(named: name)
                }
                tenants[tenant] = number
                attributes.tenant = number
            }
        }
        try sink.append(integer: request.key, attributes)
        if attributes.operation != .remove {
            if attributes.sizeBytes == 0 { withoutSize += 1 } else { withSize += 1 }
        }
        if attributes.operation == .read, request.outcome == 1 || request.outcome == 2 {
            reads += 1
            if request.outcome == 1 { hits += 1 }
        }
    }

    /// Goes past a block that cannot be read, of at most `extent` bytes: to the file that follows, if it was cut off, or else, where damage is
    /// skipped, to what next looks like the start of a block or file.
    private mutating func skip<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, _ extent: Int, isCut: Bool, _ part: String, into sink: inout Sink
    ) throws(AssayError) {
        let reach = extent + Self.fileMagic.count - 1
        _ = try input.fill(atLeast: reach)
        let bytes = input.buffered
        if let next = Self.find([Self.fileMagic], in: bytes.prefix(reach)) {
            cutFiles += 1
            return input.consume(next)
        }
        if isCut {
            cutFiles += 1
            return input.consume(bytes.count)
        }
        try sink.refuse(
            AssayError(
                .badInput,
                "The block's \(part) is damaged: its checksum is not that of its bytes. Copy the file again.",
                at: input.location))
        input.consume(1)
        while try input.fill(atLeast: 1 << 16) > 0 {
            let bytes = input.buffered
            if let next = Self.find([Self.blockMagic, Self.fileMagic], in: bytes[...]) { return input.consume(next) }
            // The last bytes may be the beginning of one.
            let isEnd = bytes.count < 1 << 16
            input.consume(isEnd ? bytes.count : bytes.count - Self.fileMagic.count)
        }
    }

    /// Appends what waits, and tells what is to be known of the recording beside its requests.
    mutating func finish<Sink: TraceSink & ~Copyable>(_ sink: inout Sink) throws(AssayError) {
        while let leaving = sizes.removeFirst() { try append(leaving, into: &sink) }
        if lost > 0 {
            sink.note(
                "The recorder lost \(lost) requests, told of in \(gaps) \(gaps == 1 ? "block" : "blocks"): "
                    + "its writer was behind, or the disk was full.")
        }
        if cutFiles > 0 {
            let files = cutFiles == 1 ? "The last block of a file is" : "The last blocks of \(cutFiles) files are"
            sink.note(
                "\(files) cut off, as a recorder leaves it that was killed or is still writing; what is before it was read."
            )
        }
        if withoutSize > 0, withSize > 0 {
            sink.note(
                "\(withoutSize) reads and writes have no size, and none of the \(UnknownSizes.requestsMax) requests after them says it. "
                    + "It is 0 here, so that byte hit ratios do not count them.")
        }
        if reads > 0 { sink.note("The recorded cache hit \(hits) of the \(reads) reads whose outcome was recorded.") }
    }

    // MARK: Bytes

    private static func find(_ magics: [[UInt8]], in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        bytes.indices.first { index in
            bytes[index] & 0xfe == 0x8a && magics.contains { bytes[index...].starts(with: $0) }
        }
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> UInt32 {
        let start = bytes.baseAddress?.advanced(by: range.lowerBound).assumingMemoryBound(to: UInt8.self)
        return UInt32(truncatingIfNeeded: crc32(0, start, UInt32(range.count)))
    }

    private static func word<Number: FixedWidthInteger>(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int, _: Number.Type
    ) -> Number {
        Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}
