/// The beginning of a trace, by which a format recognises its own.
///
/// The memory is borrowed: it is valid only while a format looks at it.
public struct TraceSample {
    /// The most lines that are looked at.
    public static let linesMax = 200

    /// The first bytes, after decompression; at most 64 KiB.
    public let bytes: UnsafeRawBufferPointer
    /// Whether these are all of the trace's bytes.
    public let isWhole: Bool
    /// The first whole lines that are not empty, without their ends and without a byte order mark; at most ``linesMax``.
    public let lines: [UnsafeRawBufferPointer]

    /// A sample of the first bytes of a trace; `isWhole` if it has no more.
    public init(_ bytes: UnsafeRawBufferPointer, isWhole: Bool) {
        self.bytes = bytes
        self.isWhole = isWhole
        var lines: [UnsafeRawBufferPointer] = []
        var rest = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
        while lines.count < Self.linesMax, !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0a)
            guard end != nil || isWhole else { break }
            var line = rest[..<(end ?? rest.endIndex)]
            if line.last == 0x0d { line.removeLast() }
            if !line.isEmpty { lines.append(UnsafeRawBufferPointer(rebasing: line)) }
            rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
        }
        self.lines = lines
    }

    /// Whether at least nine of ten lines are as `isOne` says, and there is one.
    public func areLines(_ isOne: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        !lines.isEmpty && lines.count(where: isOne) * 10 >= lines.count * 9
    }
}

/// That a format recognises a trace, and how surely.
public struct Recognition: Sendable, Hashable {
    /// How surely.
    public enum Certainty: Int, Sendable, Hashable, Comparable {
        /// It could be: other formats look alike. What the file's name says goes before.
        case possible
        /// It hardly is anything else, but nothing in it says so. What the file's name says goes before.
        case likely
        /// The bytes say so themselves: by a signature, or words and punctuation that no other format has.
        case certain

        /// In the order of their declaration.
        public static func < (left: Certainty, right: Certainty) -> Bool { left.rawValue < right.rawValue }
    }

    /// How surely.
    public var certainty: Certainty
    /// The parameters to read the trace with, as on the command line; empty for none.
    public var parameters: String
    /// What to tell of the trace beside its format, no whole sentence: "columns that are not read: a, b"; nil for nothing.
    public var remark: String?

    /// A recognition, with the parameters to read the trace with, as on the command line.
    public init(_ certainty: Certainty, parameters: String = "", remark: String? = nil) {
        self.certainty = certainty
        self.parameters = parameters
        self.remark = remark
    }
}
