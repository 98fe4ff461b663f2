public import CacheCore

/// Writes one key a line, as the format `plain` reads it.
public struct PlainTraceWriter: TraceWriter {
    /// Name and meaning.
    public let descriptor = TraceWriterDescriptor(
        name: "plain", summary: "One key a line.", fileExtensions: ["txt", "plain", "keys"])

    /// A writer.
    public init() {}

    /// Writes every key.
    ///
    /// - Throws: `AssayError` with code `unavailable` for a key that no line can hold.
    public func write(_ trace: CompiledTrace, to path: String) throws(AssayError) {
        try TextKeys.requireNoEmptyKey(trace, "plain")
        try TraceOutput.create(path) { (output) throws(AssayError) in
            for id in trace.columns.ids {
                if let key = trace.integerKey(of: id) {
                    try output.write(Array(String(key).utf8))
                } else {
                    let key = trace.key(of: id)
                    guard !key.contains(0x0a), key.last != 0x0d else {
                        throw AssayError(
                            .unavailable,
                            "A key has a line feed, or ends in a carriage return, which plain cannot hold. Write csv or assay."
                        )
                    }
                    try output.write(key)
                }
                try output.write(0x0a as UInt8)
            }
        }
    }

    /// Everything but the keys is left out.
    public func losses(of trace: CompiledTrace) -> [String] {
        [trace.leftOut(byFormatWith: []), TextKeys.numberLikeKeys(trace)].compactMap(\.self)
    }

    /// Plain, because what a line of keys looks like may be something else.
    public func readingFormat(of trace: CompiledTrace) -> String? { "plain" }
}

/// What text formats do to keys.
enum TextKeys {
    /// Refuses a key of no bytes. O(objects).
    static func requireNoEmptyKey(_ trace: CompiledTrace, _ format: String) throws(AssayError) {
        for id in 0..<UInt32(trace.objects) where trace.integerKey(of: id) == nil && trace.key(of: id).isEmpty {
            throw AssayError(.unavailable, "A key has no bytes, which \(format) cannot hold. Write assay.")
        }
    }

    /// The sentence that says how many keys are bytes that read as a number; nil for none. O(objects).
    static func numberLikeKeys(_ trace: CompiledTrace) -> String? {
        let count = (0..<UInt32(trace.objects)).count { id in
            trace.integerKey(of: id) == nil
                && trace.key(of: id).withUnsafeBytes { Fields.canonicalInteger($0) != nil }
        }
        return count == 0 ? nil : "\(count) keys are bytes that read as numbers: readers take them for numbers."
    }
}
