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
        let bytesMax = limit.contentBytes(ofFileBytes: try file.regularIdentity().sizeBytes)
        var start = [UInt8](repeating: 0, count: Compression.magicBytes)
        let seen = try readStart(file, &start)
        try file.seek(to: 0)
        let kind = start.withUnsafeBytes { Compression.detect(UnsafeRawBufferPointer(rebasing: $0[..<seen])) }
        guard let compression = kind else {
            try refuseMisnamed(path)
            let source = HashedFile(file, hash)
            return ByteStream(name: path) { (buffer) throws(AssayError) in try source.read(into: buffer) }
        }
        let decoder: any Decoder
        do throws(DecodingFailure) {
            decoder = try compression.makeDecoder()
        } catch {
            throw AssayError(.internalError, error.reason, at: AssayError.Location(path))
        }
        let source = DecodingSource(HashedFile(file, hash), decoder, bytesMax: bytesMax, warn: warn)
        return ByteStream(name: path) { (buffer) throws(AssayError) in try source.read(into: buffer) }
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

    private static func readStart(_ file: borrowing PosixFile, _ start: inout [UInt8]) throws(AssayError) -> Int {
        var seen = 0
        while seen < start.count {
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: start.count - seen, alignment: 1)
            defer { block.deallocate() }
            let count = try file.read(into: block)
            if count == 0 { break }
            for index in 0..<count { start[seen + index] = block[index] }
            seen += count
        }
        return seen
    }
}
