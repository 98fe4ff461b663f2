internal import CacheCore

/// Reads a tar archive member by member as it streams by: ustar, pax, and GNU's long names.
final class TarArchive {
    /// A regular file in an archive.
    struct Member {
        /// Its path in the archive.
        var name: String
        /// Its length, in bytes.
        var sizeBytes: Int
    }

    private static let blockBytes = 512
    /// The longest name or pax header that is read, in bytes.
    private static let headerBytesMax = 1 << 20

    /// The archive's name, which errors give.
    let name: String
    private var input: ByteStream
    /// What is left of the member, and of the padding behind it.
    private var rest = 0
    private var padding = 0
    private var passedOver: [(kind: String, count: Int)] = []

    /// An archive that begins where a stream is.
    init(_ input: consuming ByteStream) {
        name = input.name
        self.input = input
    }

    /// Whether a file begins with the header of an archive.
    static func isOne(_ input: inout ByteStream) throws(AssayError) -> Bool {
        guard try input.fill(atLeast: blockBytes) >= blockBytes else { return false }
        let header = UnsafeRawBufferPointer(rebasing: input.buffered.prefix(blockBytes))
        return header.dropFirst(257).starts(with: Array("ustar".utf8)) && isSound(header)
    }

    /// Goes to the next regular file; nil at the end.
    ///
    /// - Throws: `AssayError` with code `badInput` for a damaged archive or one that is cut short.
    func next() throws(AssayError) -> Member? {
        var longName: String?
        var longSize: Int?
        while let header = try nextHeader() {
            switch header.kind {
            case 0x4c:
                longName = String(decoding: try content(header).prefix { $0 != 0 }, as: UTF8.self)
            case 0x78:
                let records = try pax(try content(header))
                longName = records["path"] ?? longName
                longSize = try records["size"].map { (text) throws(AssayError) in
                    guard let size = Int(text), size >= 0 else { throw damaged("states the size '\(text)'") }
                    return size
                }
                if records.keys.contains(where: { $0.hasPrefix("GNU.sparse.") }) {
                    throw sparse(longName ?? header.name)
                }
            case 0, 0x30, 0x37:
                let member = Member(name: longName ?? header.name, sizeBytes: longSize ?? header.sizeBytes)
                begin(member.sizeBytes)
                if !Self.isMetadata(member.name) { return member }
                passOver("file of another system's metadata")
                (longName, longSize) = (nil, nil)
            case 0x53: throw sparse(longName ?? header.name)
            default:
                begin(longSize ?? header.sizeBytes)
                if let kind = Self.kinds[header.kind] { passOver(kind) }
                if ![0x67, 0x4b].contains(header.kind) { (longName, longSize) = (nil, nil) }
            }
        }
        return nil
    }

    /// Fills the buffer with what is left of the member; 0 at its end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(AssayError) -> Int {
        guard rest > 0, buffer.count > 0 else { return 0 }
        guard try input.fill(atLeast: 1) > 0 else { throw cutShort }
        let count = min(rest, buffer.count, input.buffered.count)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: input.buffered.prefix(count)))
        input.consume(count)
        rest -= count
        return count
    }

    /// Reads on to the end of the file and returns what is to be told of the archive, a sentence each.
    func finish() throws(AssayError) -> [String] {
        var isFollowed = false
        while try input.fill(atLeast: 1) > 0 {
            isFollowed = isFollowed || input.buffered.contains { $0 != 0 }
            input.consume(input.buffered.count)
        }
        var notes: [String] = []
        if !passedOver.isEmpty {
            let kinds = passedOver.map { "\($0.count) (\($0.kind))" }.joined(separator: ", ")
            notes.append("Members of the archive that are no regular files were passed over: \(kinds).")
        }
        if isFollowed { notes.append("What follows the end of the archive is ignored, as tar does.") }
        return notes
    }

    // MARK: - Headers

    private struct Header {
        var name: String
        var sizeBytes: Int
        var kind: UInt8
    }

    /// The next header; nil at the archive's end, which is a block of zeros or the end of the file.
    private func nextHeader() throws(AssayError) -> Header? {
        try skip(rest)
        rest = 0
        try skip(padding)
        padding = 0
        let available = try input.fill(atLeast: Self.blockBytes)
        if available == 0 { return nil }
        guard available >= Self.blockBytes else { throw cutShort }
        let block = UnsafeRawBufferPointer(rebasing: input.buffered.prefix(Self.blockBytes))
        let isEnd = block.allSatisfy { $0 == 0 }
        let header = isEnd ? nil : Self.header(block)
        guard isEnd || header != nil else { throw damaged("has no sound header") }
        input.consume(Self.blockBytes)
        return header
    }

    private static func header(_ block: UnsafeRawBufferPointer) -> Header? {
        guard isSound(block), let size = number(block[124..<136]) else { return nil }
        func text(_ range: Range<Int>) -> String {
            String(decoding: block[range].prefix { $0 != 0 }, as: UTF8.self)
        }
        // GNU's own headers have other things where ustar has the folder.
        let isUSTAR = block[257..<263].elementsEqual(Array("ustar\0".utf8))
        let folder = isUSTAR ? text(345..<500) : ""
        return Header(
            name: folder.isEmpty ? text(0..<100) : folder + "/" + text(0..<100), sizeBytes: size, kind: block[156])
    }

    /// Whether a header's checksum agrees: the sum of its bytes, with blanks for the checksum itself.
    private static func isSound(_ block: UnsafeRawBufferPointer) -> Bool {
        let sum = block.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 0x20 : Int($1.element)) }
        return number(block[148..<156]) == sum
    }

    /// A number in octal digits, or in base 256 where its first bit says so; nil for anything else or beyond 2^62.
    private static func number(_ field: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard let first = field.first else { return nil }
        if first == 0x80 {
            guard field.dropFirst().dropLast(8).allSatisfy({ $0 == 0 }) else { return nil }
            let value = field.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return value < 1 << 62 ? Int(value) : nil
        }
        let digits = field.drop { $0 == 0x20 }.prefix { $0 != 0x20 && $0 != 0 }
        guard digits.allSatisfy({ (0x30...0x37).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 << 3 | Int($1 - 0x30) }
    }

    private func begin(_ size: Int) {
        rest = size
        padding = (Self.blockBytes - size % Self.blockBytes) % Self.blockBytes
    }

    /// The whole content of a member that describes the next one.
    private func content(_ header: Header) throws(AssayError) -> [UInt8] {
        guard header.sizeBytes <= Self.headerBytesMax else {
            throw damaged("has a name or a header of \(header.sizeBytes) bytes, more than \(Self.headerBytesMax)")
        }
        begin(header.sizeBytes)
        guard try input.fill(atLeast: rest) >= rest else { throw cutShort }
        let content = Array(input.buffered.prefix(rest))
        try skip(rest)
        rest = 0
        return content
    }

    /// The records of a pax header, `length name=value` and a line feed each.
    private func pax(_ content: [UInt8]) throws(AssayError) -> [String: String] {
        var records: [String: String] = [:]
        var rest = content[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0 != 0x20 }
            guard let length = Int(String(decoding: digits, as: UTF8.self)), length > digits.count + 1,
                length <= rest.count, rest[rest.startIndex + length - 1] == 0x0a
            else { throw damaged("has a pax header that cannot be read") }
            let record = rest.prefix(length - 1).dropFirst(digits.count + 1)
            let parts = record.split(separator: 0x3d, maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw damaged("has a pax header that cannot be read") }
            records[String(decoding: parts[0], as: UTF8.self)] = String(decoding: parts[1], as: UTF8.self)
            rest = rest.dropFirst(length)
        }
        return records
    }

    private func skip(_ count: Int) throws(AssayError) {
        var left = count
        while left > 0 {
            guard try input.fill(atLeast: 1) > 0 else { throw cutShort }
            let step = min(left, input.buffered.count)
            input.consume(step)
            left -= step
        }
    }

    // MARK: - What is passed over

    /// Kinds of members that hold no bytes of their own; folders go without a word.
    private static let kinds: [UInt8: String] = {
        var kinds: [UInt8: String] = [:]
        for (kind, name) in [(0x31, "link"), (0x32, "link"), (0x33, "device"), (0x34, "device"), (0x36, "pipe")]
            as [(UInt8, String)]
        {
            kinds[kind] = name
        }
        for kind in UInt8(0x41)...0x5a where ![0x44, 0x4b].contains(kind) { kinds[kind] = "another kind" }
        return kinds
    }()

    /// Files that macOS puts beside each file.
    private static func isMetadata(_ name: String) -> Bool {
        name.split(separator: "/").last?.hasPrefix("._") == true
    }

    private func passOver(_ kind: String) {
        if let index = passedOver.firstIndex(where: { $0.kind == kind }) {
            passedOver[index].count += 1
        } else {
            passedOver.append((kind, 1))
        }
    }

    private var cutShort: AssayError {
        AssayError(
            .badInput, "The tar archive ends in the middle: the file was cut short. Copy or download it again.",
            at: input.location)
    }

    private func damaged(_ what: String) -> AssayError {
        AssayError(
            .badInput, "The tar archive \(what), so it is damaged. Copy or download it again; 'tar -t' tests it.",
            at: input.location)
    }

    private func sparse(_ name: String) -> AssayError {
        AssayError(
            .badInput,
            "The member \(Fields.shown(name)) is stored with holes, which is not read. Pack it without --sparse.",
            at: input.location)
    }
}
