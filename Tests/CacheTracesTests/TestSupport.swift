import CacheCore
import CacheTraces
import Foundation

/// A folder that is removed with its owner.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file into the folder and returns its path.
    func write(_ name: String, _ bytes: some Collection<UInt8>) throws -> String {
        let file = path + "/" + name
        try Data(bytes).write(to: URL(filePath: file))
        return file
    }

    var store: TraceStore { TraceStore(directory: path + "/store") }
}

/// Keeps every record.
struct RecordList: TraceSink {
    var records: [TraceRecord] = []

    mutating func append(integer key: UInt64, _ attributes: RequestAttributes) {
        records.append(TraceRecord(.integer(key), attributes))
    }

    mutating func append(bytes key: UnsafeRawBufferPointer, _ attributes: RequestAttributes) {
        records.append(TraceRecord(.bytes(Array(key)), attributes))
    }
}

/// Reads bytes in a format as on the command line.
func records(_ format: String, _ bytes: [UInt8]) throws(AssayError) -> [TraceRecord] {
    let selected = try TraceFormatSelection(parsing: format)
    var input = ByteStream(name: "input", bytes: bytes)
    var sink = RecordList()
    try selected.entry.makeFormat(selected.parameters).read(&input, into: &sink)
    return sink.records
}

func records(_ format: String, _ text: String) throws(AssayError) -> [TraceRecord] {
    try records(format, Array(text.utf8))
}

/// The error that a body throws, nil if it throws none.
func assayError(_ body: () throws(AssayError) -> Void) -> AssayError? {
    do throws(AssayError) {
        try body()
        return nil
    } catch {
        return error
    }
}

func number(_ key: UInt64, size: UInt64? = nil, time: Int64? = nil) -> TraceRecord {
    TraceRecord(.integer(key), RequestAttributes(sizeBytes: size, timeNanoseconds: time))
}

func word(_ key: String, size: UInt64? = nil, time: Int64? = nil) -> TraceRecord {
    TraceRecord(.bytes(Array(key.utf8)), RequestAttributes(sizeBytes: size, timeNanoseconds: time))
}

/// The little-endian or big-endian bytes of numbers, one after another.
func bytes<Number: FixedWidthInteger>(_ numbers: Number...) -> [UInt8] {
    numbers.flatMap { value in withUnsafeBytes(of: value) { Array($0) } }
}

/// One oracleGeneral record.
func oracleRecord(time: UInt32, key: UInt64, size: UInt32, next: Int64 = -1) -> [UInt8] {
    bytes(time.littleEndian) + bytes(key.littleEndian) + bytes(size.littleEndian) + bytes(next.littleEndian)
}
