public import CCacheRecording

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Records the requests of a cache into rotating files.
///
/// ```swift
/// let recorder = try CacheRecorder(path: "/var/log/shop/pages")
/// recorder.record(.read, path, sizeBytes: page.count, outcome: .hit)
/// ```
///
/// ### Concurrency
/// Any thread may record at any time. Recording never waits: where there is no room, because the writer is behind or the disk is full, the
/// request is lost and counted (``statistics``), and the count is in the next block of the file.
///
/// ### Files
/// `path-0000000001.recording` and so on, at most ``RecordingOptions/files`` of at most ``RecordingOptions/fileBytes`` bytes. What was written
/// before a crash of the process can be read. `docs/recording.md` has the layout.
public final class CacheRecorder: @unchecked Sendable {
    // The C recorder may be used by several threads.
    @usableFromInline let recorder: OpaquePointer

    /// Starts a recorder; its folder must be there. A process that forks makes its recorders afterwards.
    ///
    /// - Throws: ``RecordingError`` for options out of range, a path that another recorder has, and what the file system says.
    public init(path: String, _ options: RecordingOptions = RecordingOptions()) throws(RecordingError) {
        var recorder: OpaquePointer?
        let status = options.withCOptions { options in cache_recording_open(path, &options, &recorder) }
        guard status == 0, let recorder else { throw RecordingError(path: path, errno: status) }
        self.recorder = recorder
    }

    deinit { cache_recording_free(recorder) }

    /// Records a request. Takes 15 to 30 ns and never waits.
    ///
    /// - Parameters:
    ///   - operation: What the request does.
    ///   - key: The key, which is written as a hash under the secret.
    ///   - sizeBytes: The size of the object, 0 where it is not known.
    ///   - outcome: What came of it.
    ///   - timeToLive: How long the object stays valid, rounded up to milliseconds and at least 1; nil for without end.
    ///   - tenant: Who asks. Written only with ``RecordingOptions/tenants``.
    @inlinable
    public func record(
        _ operation: RecordedOperation, _ key: some RecordingKey, sizeBytes: Int = 0,
        outcome: RecordedOutcome = .notSaid, timeToLive: Duration? = nil, tenant: UInt16 = 0
    ) {
        let request = cache_recording_request(
            size_bytes: UInt64(max(0, sizeBytes)), ttl_milliseconds: timeToLive.map(Self.milliseconds) ?? 0,
            tenant: tenant, operation: operation.rawValue, outcome: outcome.rawValue)
        // The pointer alone, so that no reference is counted.
        let recorder = recorder
        key.withRecordingBytes { cache_recording_log(recorder, $0.baseAddress, $0.count, request) }
    }

    /// The hash under which a key is recorded: SipHash-2-4 under the secret.
    public func hash(of key: some RecordingKey) -> UInt64 {
        key.withRecordingBytes { cache_recording_hash(recorder, $0.baseAddress, $0.count) }
    }

    /// Waits until every request that was recorded before is in the file or counted as lost.
    public func flush() { cache_recording_flush(recorder) }

    /// Writes what waits and ends the recording. Requests that come afterwards are lost, and counted. Calling it again does nothing.
    public func close() { cache_recording_close(recorder) }

    /// What the recorder has done so far.
    public var statistics: RecordingStatistics { RecordingStatistics(cache_recording_read_statistics(recorder)) }

    @usableFromInline
    static func milliseconds(_ time: Duration) -> UInt64 {
        let (seconds, attoseconds) = time.components
        guard seconds >= 0, attoseconds >= 0 else { return 1 }
        let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
        return overflows ? .max : max(1, whole &+ UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

/// What a request does.
public enum RecordedOperation: UInt8, Sendable, Hashable, CaseIterable {
    /// Asks for the object.
    case read = 0
    /// Stores the object.
    case write = 1
    /// Takes the object away.
    case remove = 2
}

/// What came of a request.
public enum RecordedOutcome: UInt8, Sendable, Hashable, CaseIterable {
    /// Nobody said.
    case notSaid = 0
    /// The key had a value.
    case hit = 1
    /// The key had no value.
    case miss = 2
    /// The value was stored.
    case stored = 3
    /// The value was not stored.
    case refused = 4
}

/// What a recorder has done.
public struct RecordingStatistics: Sendable, Hashable {
    /// Requests in the files, also in those that were removed since.
    public let written: UInt64
    /// Requests that were lost: the writer was behind, a write failed, or the recorder was closed.
    public let lost: UInt64
    /// Bytes written.
    public let bytes: UInt64
    /// The `errno` of the last write, nil if it succeeded.
    public let error: Int32?

    init(_ statistics: cache_recording_statistics) {
        written = statistics.written
        lost = statistics.lost
        bytes = statistics.bytes
        error = statistics.error == 0 ? nil : statistics.error
    }
}

/// Why a recorder could not be started.
public struct RecordingError: Error, Hashable, CustomStringConvertible {
    /// The path that was asked for.
    public let path: String
    /// What the system says: `EINVAL` for options out of range, `EBUSY` for a path that another recorder has.
    public let errno: Int32

    /// The path, what is wrong and what to do.
    public var description: String {
        switch errno {
        case EINVAL: "\(path): the recorder's options are out of range. See RecordingOptions for the ranges."
        case EBUSY:
            "\(path): another recorder writes there. Give each one a path of its own, with the process's number for instance."
        default: "\(path): the recording cannot be started: \(String(cString: strerror(errno)))."
        }
    }
}
