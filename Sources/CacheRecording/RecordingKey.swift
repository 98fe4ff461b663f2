/// A key that can be recorded.
///
/// ### Purpose
/// A recorder hashes bytes. `Hashable` does not do: its hashes differ from run to run.
///
/// ### Implementers' notes
/// Give the same bytes for equal keys, in every run. Called for every request: do not allocate.
///
/// ```swift
/// extension PageKey: RecordingKey {
///     func withRecordingBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
///         number.withRecordingBytes(body)
///     }
/// }
/// ```
public protocol RecordingKey {
    /// Calls `body` with the key's bytes, which are borrowed for the call.
    func withRecordingBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

extension String: RecordingKey {
    /// The text in UTF-8.
    @inlinable @inline(__always)
    public func withRecordingBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
        return Array(utf8).withUnsafeBytes(body)
    }
}

extension [UInt8]: RecordingKey {
    /// The bytes.
    @inlinable
    public func withRecordingBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(body)
    }
}

extension FixedWidthInteger where Self: RecordingKey {
    /// Eight bytes, the lowest first: an integer of any width is the same key.
    @inlinable
    public func withRecordingBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: UInt64(truncatingIfNeeded: self).littleEndian, body)
    }
}

extension Int: RecordingKey {}
extension Int32: RecordingKey {}
extension Int64: RecordingKey {}
extension UInt: RecordingKey {}
extension UInt32: RecordingKey {}
extension UInt64: RecordingKey {}
