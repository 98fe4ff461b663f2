internal import CCacheRecording

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// How a recorder behaves.
public struct RecordingOptions: Sendable, Hashable {
    /// The most bytes of a file, from 2^17 to 2^40.
    public var fileBytes = 64 << 20
    /// The most files, from 1 to 2^20. The oldest one is removed before a new one is made; those of earlier runs count too.
    public var files = 8
    /// The time after which a request is in the file, from a millisecond to a day.
    public var flushInterval: Duration = .seconds(1)
    /// The memory for requests that wait for the writer, from 2^16 to 2^36 bytes.
    public var bufferBytes = 8 << 20
    /// The 16 bytes under which keys are hashed; nil draws them at random. They are never written.
    ///
    /// Hashes of different secrets cannot be compared: give one to record over several runs or machines.
    public var secret: [UInt8]?
    /// Whether the tenants of requests are written.
    public var tenants = false

    /// The defaults: at most 512 MiB of files, a second, and a random secret.
    public init() {}

    /// Does something with the options as C has them, or returns `EINVAL` for numbers that C has no room for.
    func withCOptions(_ body: (inout cache_recording_options) -> Int32) -> Int32 {
        let milliseconds = CacheRecorder.milliseconds(flushInterval)
        guard flushInterval > .zero, let interval = UInt32(exactly: milliseconds), let files = UInt32(exactly: files),
            files > 0, let fileBytes = UInt64(exactly: fileBytes), fileBytes > 0,
            let bufferBytes = UInt64(exactly: bufferBytes), bufferBytes > 0, secret?.count ?? 16 == 16
        else {
            return EINVAL
        }
        var options = cache_recording_options(
            file_bytes: fileBytes, files: files, flush_milliseconds: interval, buffer_bytes: bufferBytes, secret: nil,
            tenants: tenants ? 1 : 0)
        guard let secret else { return body(&options) }
        return secret.withUnsafeBufferPointer { secret in
            options.secret = secret.baseAddress
            return body(&options)
        }
    }
}
