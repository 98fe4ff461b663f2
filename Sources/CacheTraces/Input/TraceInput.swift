public import CacheCore

/// Opens trace files, compressed or not.
public enum TraceInput {
    /// The content of a file as a stream; gzip, zstd, xz and bzip2 are told apart by their first bytes.
    ///
    /// The stream throws `AssayError` with code `badInput` where compressed data is damaged or ends early.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if the file cannot be read, `usage` if it is not a regular file,
    ///   `badInput` if its name promises a compression that its first bytes are not.
    public static func open(_ path: String) throws(AssayError) -> ByteStream {
        try open(path, hashingInto: nil, ExpansionLimit.standard())
    }

    /// As the other, takes the file's bytes, compressed or not, into a hash as they are read, and tells `warn` what the compression's
    /// own tool would warn of, a sentence each.
    static func open(
        _ path: String, hashingInto hash: (any FileHash)?,
        _ limit: ExpansionLimit = ExpansionLimit(factor: ExpansionLimit.standardFactor),
        warn: @escaping (String) -> Void = { _ in }
    ) throws(AssayError) -> ByteStream {
        let file = try PosixFile(reading: path)
        let size = try file.regularIdentity().sizeBytes
        let source = HashedFile(file, hash)
        return try open(
            named: path, { (buffer) throws(AssayError) in try source.read(into: buffer) },
            bytesMax: { _ in limit.contentBytes(ofFileBytes: size) }, warn: warn)
    }

    /// The content of bytes that a source gives, compressed or not, which may become as many as `bytesMax` says of those that were read.
    static func open(
        named name: String, _ source: @escaping ByteStream.Source, bytesMax: @escaping (Int) -> Int,
        warn: @escaping (String) -> Void
    ) throws(AssayError) -> ByteStream {
        let peeked = try PeekedSource(source, peeking: Compression.magicBytes)
        guard let compression = peeked.peeked.withUnsafeBytes(Compression.detect) else {
            try refuseMisnamed(name)
            return ByteStream(name: name) { (buffer) throws(AssayError) in try peeked.read(into: buffer) }
        }
        let decoder: any Decoder
        do throws(DecodingFailure) {
            decoder = try compression.makeDecoder()
        } catch {
            throw AssayError(.internalError, error.reason, at: AssayError.Location(name))
        }
        let decoding = DecodingSource(
            named: name, { (buffer) throws(AssayError) in try peeked.read(into: buffer) }, decoder, bytesMax: bytesMax,
            warn: warn)
        return ByteStream(name: name) { (buffer) throws(AssayError) in try decoding.read(into: buffer) }
    }

    /// A name that promises compression over bytes that are none is a file cut short, or one that was renamed.
    private static func refuseMisnamed(_ path: String) throws(AssayError) {
        guard let kind = Compression.allCases.first(where: { path.lowercased().hasSuffix("." + $0.fileExtension) })
        else {
            return
        }
        throw AssayError(
            .badInput,
            "The name ends in .\(kind.fileExtension), but the file does not begin as \(kind) data does. "
                + "Copy or download it again, or take the ending off if it is not compressed.",
            at: AssayError.Location(path, offsetBytes: 0))
    }

    /// A file name without its folder and its compression ending: `OLTP.lis` for `traces/OLTP.lis.zst`.
    static func contentName(_ path: String) -> String {
        var name = path.split(separator: "/").last.map(String.init) ?? path
        for kind in Compression.allCases where name.lowercased().hasSuffix("." + kind.fileExtension) {
            name.removeLast(kind.fileExtension.count + 1)
            break
        }
        return name
    }
}
