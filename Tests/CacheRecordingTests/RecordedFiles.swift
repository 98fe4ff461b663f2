import CCacheRecording
import CacheCore
import CacheRecording
import CacheTraces
import Foundation

/// What lies in the files of a recorder, read as one trace.
struct RecordedFiles: TraceSink {
    struct Request: Equatable {
        var key: UInt64
        var operation: TraceOperation?
        var size: UInt64?
        var timeToLive: Int64?
        var time: Int64
        var tenant: String?
    }

    var requests: [Request] = []
    var notes: [String] = []
    private var tenants: [String] = []

    /// The paths of the recorder's files, the oldest first.
    static func paths(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".recording") }.sorted()
            .map { "\(folder)/\($0)" }
    }

    static func bytes(_ folder: String) throws -> [UInt8] {
        try paths(folder).flatMap { try [UInt8](Data(contentsOf: URL(filePath: $0))) }
    }

    init(_ folder: String) throws { try self.init(bytes: Self.bytes(folder)) }

    init(bytes: [UInt8]) throws {
        let format = try TraceFormatSelection(parsing: "recording")
        var input = ByteStream(name: "recording", bytes: bytes)
        try format.entry.makeFormat(format.parameters).read(&input, into: &self)
    }

    mutating func append(integer key: UInt64, _ attributes: RequestAttributes) {
        requests.append(
            Request(
                key: key, operation: attributes.operation, size: attributes.sizeBytes,
                timeToLive: attributes.timeToLiveNanoseconds, time: attributes.timeNanoseconds ?? -1,
                tenant: attributes.tenant.map { tenants[Int($0)] }))
    }

    mutating func append(bytes key: UnsafeRawBufferPointer, _ attributes: RequestAttributes) {
        fatalError("keys of recordings are numbers")
    }

    mutating func tenant(named name: UnsafeRawBufferPointer) -> UInt16 {
        tenants.append(String(decoding: name, as: UTF8.self))
        return UInt16(tenants.count - 1)
    }

    mutating func note(_ text: String) { notes.append(text) }

    /// The number of requests that the notes say were lost.
    var lost: UInt64 {
        notes.compactMap { $0.firstMatch(of: /lost (\d+) requests/) }.reduce(0) { $0 + (UInt64($1.output.1) ?? 0) }
    }
}

extension RecordingOptions {
    /// Options with a secret that is the same in every test.
    static func known(_ change: (inout RecordingOptions) -> Void = { _ in }) -> RecordingOptions {
        var options = RecordingOptions()
        options.secret = Array(0..<16)
        // Tests flush by themselves.
        options.flushInterval = .seconds(3600)
        change(&options)
        return options
    }
}
