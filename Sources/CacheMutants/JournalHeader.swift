/// What begins a file of version 2 and later: a word that begins no record, the version, and a checksum of that.
enum JournalHeader {
    static let byteCount = 24
    private static let word = -0x4A4F_5552

    static func bytes(_ version: Int) -> [UInt8] {
        var header = RecordWriter()
        header.add(word)
        header.add(version)
        header.add(RecordReader.sum(of: version))
        return header.bytes
    }

    /// The version of a file; nil for one without a header, or with one that does not check.
    static func version(of bytes: [UInt8]) -> Int? {
        var reader = RecordReader(bytes: bytes)
        guard reader.number() == word, let version = reader.number(), reader.number() == RecordReader.sum(of: version)
        else { return nil }
        return version
    }
}
