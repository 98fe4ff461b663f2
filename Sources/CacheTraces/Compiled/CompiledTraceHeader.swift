internal import CacheCore

/// The first page of a compiled trace: what is in the file and where, with checksums of itself and of the rest.
struct CompiledTraceHeader: Equatable {
    /// The length of the header, in bytes.
    static let byteCount = 4096
    /// Changes whenever the file's layout, the meaning of a column or the way that a format is read does, so that older
    /// files are compiled again.
    static let version: UInt64 = 13
    private static let magic: UInt64 = 0x3154_5941_5353_4121
    private static let textOffset = 512
    private static let checksumOffset = 4088

    /// A column's place in the file, in bytes.
    struct Extent: Equatable {
        var offset = 0
        var length = 0
    }

    /// The columns, in the order of the file.
    enum Column: Int, CaseIterable {
        case ids, sizes, wideSizes, times, timesToLive, costs, operations, tenants, tenantNames, keys, keyKinds,
            keyBytes
    }

    var requests = 0
    var objects = 0
    var bytesRequested = 0
    var footprintBytes = 0
    var uniformSize = 1
    var smallestSize = 1
    var carriesSizes = false
    /// Requests that state another size than the one before for their object.
    var sizeChanges = 0
    var fileBytes = 0
    var bodyChecksum: UInt64 = 0
    var extents = [Extent](repeating: Extent(), count: Column.allCases.count)
    /// The trace's digest, that of its requests, that of its source, what is to be told of the file whenever it is opened, and the
    /// format's description. All but the last hold no line break, and what is told no tab.
    var digest = ""
    var contentDigest = ""
    var sourceDigest = ""
    var formatDescription = ""
    var notes: [String] = []

    subscript(column: Column) -> Extent {
        get { extents[column.rawValue] }
        set { extents[column.rawValue] = newValue }
    }

    private var words: [UInt64] {
        let counts = [requests, objects, bytesRequested, footprintBytes, uniformSize, smallestSize, fileBytes]
        let places = extents.flatMap { [UInt64($0.offset), UInt64($0.length)] }
        return [Self.magic, Self.version] + counts.map { UInt64($0) } + [carriesSizes ? 1 : 0, bodyChecksum] + places
            + [UInt64(sizeChanges)]
    }

    /// The header as it stands in the file.
    func encoded() -> [UInt8] {
        var bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } }
        bytes += [UInt8](repeating: 0, count: Self.textOffset - bytes.count)
        let told = notes.joined(separator: "\t")
        let text = [digest, contentDigest, sourceDigest, told, formatDescription, ""].joined(separator: "\n")
        bytes += Array(text.utf8.prefix(3000))
        bytes += [UInt8](repeating: 0, count: Self.checksumOffset - bytes.count)
        let checksum = bytes.withUnsafeBytes { Checksum64.checksum(of: $0) }
        return bytes + (0..<8).map { UInt8(truncatingIfNeeded: checksum >> (8 * UInt64($0))) }
    }

    /// 64 hexadecimal digits that stand for the requests alone, whatever file and format they were read from; `body` is the
    /// digest of what follows the header.
    func digestOfContent(body: String) -> String {
        let counts = [requests, objects, bytesRequested, footprintBytes, uniformSize, carriesSizes ? 1 : 0]
        let numbers = counts + extents.map(\.length)
        return SHA256.hexadecimal(of: "content\n\(numbers.map(String.init).joined(separator: " "))\n\(body)".utf8)
    }

    init() {}

    /// Reads a header; nil unless it is one of this version, undamaged, of a file of this length.
    init?(decoding file: UnsafeRawBufferPointer) {
        guard file.count >= Self.byteCount else { return nil }
        let page = UnsafeRawBufferPointer(rebasing: file[..<Self.checksumOffset])
        func word(_ index: Int) -> UInt64 {
            UInt64(littleEndian: file.load(fromByteOffset: 8 * index, as: UInt64.self))
        }
        guard word(0) == Self.magic, word(1) == Self.version,
            word(Self.checksumOffset / 8) == Checksum64.checksum(of: page),
            let words = Self.integers(from: (2..<9).map(word))
        else { return nil }
        (requests, objects, bytesRequested, footprintBytes) = (words[0], words[1], words[2], words[3])
        (uniformSize, smallestSize, fileBytes) = (words[4], words[5], words[6])
        carriesSizes = word(9) == 1
        bodyChecksum = word(10)
        guard fileBytes == file.count,
            let places = Self.integers(from: (11..<11 + 2 * Column.allCases.count).map(word)),
            let changes = Int(exactly: word(11 + 2 * Column.allCases.count))
        else { return nil }
        sizeChanges = changes
        for column in Column.allCases {
            let extent = Extent(offset: places[2 * column.rawValue], length: places[2 * column.rawValue + 1])
            guard extent.offset % 64 == 0, extent.length <= fileBytes, extent.offset <= fileBytes - extent.length else {
                return nil
            }
            self[column] = extent
        }
        let text = page[Self.textOffset...].prefix { $0 != 0 }
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 5, hasExpectedLengths else { return nil }
        digest = String(lines[0])
        contentDigest = String(lines[1])
        sourceDigest = String(lines[2])
        notes = lines[3].split(separator: "\t").map(String.init)
        formatDescription = lines[4...].joined(separator: "\n")
        if formatDescription.hasSuffix("\n") { formatDescription.removeLast() }
    }

    private var hasExpectedLengths: Bool {
        // Each of them has 4 bytes or more in the file.
        guard requests <= fileBytes, objects <= fileBytes else { return false }
        return self[.ids].length == 4 * requests && [0, 4 * requests].contains(self[.sizes].length)
            && [Column.times, .timesToLive, .costs].allSatisfy { [0, 8 * requests].contains(self[$0].length) }
            && [0, requests].contains(self[.operations].length) && [0, 2 * requests].contains(self[.tenants].length)
            && self[.keys].length == 8 * objects
            && [0, objects].contains(self[.keyKinds].length) && self[.wideSizes].length % 16 == 0
    }

    private static func integers(from words: [UInt64]) -> [Int]? {
        let integers = words.compactMap { Int(exactly: $0) }
        return integers.count == words.count ? integers : nil
    }
}
