internal import CacheCore

/// The header of libCacheSim's LCS format: 8,192 bytes with a version, and counts of what follows.
struct LCSHeader {
    static let width = 8192
    static let magic: UInt64 = 0x1234_5678_9abc_def0
    /// The bytes of a record, by version from 1.
    private static let widths = [24, 28, 36, 40, 44, 52, 68, 100]

    /// The version, from 1 to 8.
    let version: Int
    /// The bytes of a record.
    let recordBytes: Int
    private let stated: [Field: Int64]

    /// What the header counts and reading does as well, with its offset in the header.
    private enum Field: Int, CaseIterable {
        case requests = 24
        case bytes = 40
        case firstSecond = 56
        case lastSecond = 64
        case reads = 72
        case writes = 80
        case deletes = 88

        var words: String {
            switch self {
            case .requests: "requests"
            case .bytes: "bytes requested"
            case .firstSecond: "seconds at the start"
            case .lastSecond: "seconds at the end"
            case .reads: "reads"
            case .writes: "writes"
            case .deletes: "deletes"
            }
        }
    }

    /// Reads and checks the header, and consumes it.
    ///
    /// - Throws: `AssayError` with code `badInput` for a header that is cut short or of another format or version.
    init(_ input: inout ByteStream) throws(AssayError) {
        let available = try input.fill(atLeast: Self.width)
        guard available >= Self.width, let base = input.buffered.baseAddress else {
            throw AssayError(
                .badInput, "The header has \(available) of \(Self.width) bytes. The file was cut short.",
                at: AssayError.Location(input.name, offsetBytes: 0))
        }
        let marks = [0, Self.width - 8].map { ($0, base.little($0, UInt64.self)) }
        if let wrong = marks.first(where: { $0.1 != Self.magic }) {
            throw AssayError(
                .badInput,
                "Found no mark of LCS at the \(wrong.0 == 0 ? "start" : "end") of the header. "
                    + "The file is damaged or of another format.",
                at: AssayError.Location(input.name, offsetBytes: wrong.0))
        }
        let version = base.little(8, UInt64.self)
        guard version >= 1, version <= Self.widths.count else {
            throw AssayError(
                .badInput, "The file is of version \(version) of LCS; versions 1 to \(Self.widths.count) are read.",
                at: AssayError.Location(input.name, offsetBytes: 8))
        }
        self.version = Int(version)
        recordBytes = Self.widths[Int(version) - 1]
        stated = Dictionary(
            uniqueKeysWithValues: Field.allCases.map { ($0, base.little($0.rawValue, Int64.self)) })
        input.consume(Self.width)
    }

    /// Whether a header states operations of its records, which version 1 has none of.
    var hasOperations: Bool { version >= 2 }

    /// What the records are found to be.
    struct Tally {
        var requests: Int64 = 0
        var bytes: Int64 = 0
        var firstSecond: Int64 = 0
        var lastSecond: Int64 = 0
        var reads: Int64 = 0
        var writes: Int64 = 0
        var deletes: Int64 = 0
    }

    /// Where the header says other than was found, a sentence; nil if it agrees or has no counts.
    func difference(from tally: Tally) -> String? {
        guard let requests = stated[.requests], requests != 0 else { return nil }
        var found: [(Field, Int64)] = [
            (.requests, tally.requests), (.bytes, tally.bytes), (.firstSecond, tally.firstSecond),
            (.lastSecond, tally.lastSecond),
        ]
        if hasOperations, [.reads, .writes, .deletes].contains(where: { (stated[$0] ?? 0) != 0 }) {
            found += [(.reads, tally.reads), (.writes, tally.writes), (.deletes, tally.deletes)]
        }
        let differences = found.compactMap { field, count in
            stated[field].flatMap { $0 == count ? nil : "\($0) \(field.words), and \(count) were read" }
        }
        return differences.isEmpty ? nil : "The header states other counts: \(differences.joined(separator: "; "))."
    }
}
