public import CacheCore

/// A form of file that histories are kept in.
public struct HistoryFormat: Sendable {
    /// The name in messages.
    public let name: String
    /// What the file holds, in a sentence.
    public let summary: String
    /// Whether a text of this kind begins like this one.
    let recognises: @Sendable (UnsafeRawBufferPointer) -> Bool
    let read: @Sendable (UnsafeRawBufferPointer, _ source: String) throws(AssayError) -> History

    /// The forms that come with Assay, in the order in which they are tried.
    public static let all: [HistoryFormat] = [
        JSONHistoryFormat.format, EDNHistoryFormat.format, JepsenLogFormat.format,
    ]
}

extension History {
    /// The longest history that is read, in bytes: 1 GiB.
    public static let bytesMax = 1 << 30

    /// Reads a history in whichever form of ``HistoryFormat/all`` it is, told by its content.
    ///
    /// - Parameter source: the file's name, for messages.
    /// - Throws: `AssayError` with code `badInput`, and the line, for what cannot be understood, and for more than
    ///   ``bytesMax`` bytes.
    public init(_ bytes: [UInt8], source: String) throws(AssayError) {
        guard bytes.count <= Self.bytesMax else {
            throw AssayError(
                .badInput,
                "The history has more than \(Self.bytesMax >> 20) MiB. Keys do not depend on each other: give fewer.",
                at: .init(source))
        }
        self = try bytes.withRawBytes { (bytes) throws(AssayError) in
            guard let format = HistoryFormat.all.first(where: { $0.recognises(bytes) }) else {
                let forms = HistoryFormat.all.map { "\($0.name) (\($0.summary))" }.joined(separator: ", ")
                throw AssayError(
                    .badInput, "This is no history in a known form. Known are \(forms).", at: .init(source, line: 1))
            }
            return try format.read(bytes, source)
        }
    }
}
