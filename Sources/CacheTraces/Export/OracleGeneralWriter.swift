public import CacheCore

/// Writes a trace as libCacheSim's raw 24-byte records, so that other simulators can replay the same requests.
///
/// An object's number is its dense id plus 1. The next access is the position of the object's next request counted from
/// 1, -1 for never, as in the files that libCacheSim ships. Sizes are the recorded ones, and 1 where there are none.
public struct OracleGeneralWriter: Sendable {
    private static let blockCount = 1 << 14

    /// A writer.
    public init() {}

    /// Writes the whole trace to a file that must not exist yet. O(requests).
    ///
    /// - Throws: `AssayError` with code `unavailable` if a size or a time does not fit its 32 bits, `inputOutput` if the
    ///   file exists or writing failed.
    public func write(_ trace: CompiledTrace, to path: String) throws(AssayError) {
        let file = try PosixFile(creating: path, isShared: true)
        do throws(AssayError) {
            try write(trace, to: file)
        } catch {
            FileTree.remove(path)
            throw error
        }
    }

    /// What a written file does not say of a trace, and what its readers make of it: a sentence each. O(requests).
    ///
    /// Zero-sized requests are written, and dropped by whoever reads them as libCacheSim does.
    public func losses(of trace: CompiledTrace) -> [String] {
        let columns = trace.columns
        let empty = columns.sizes.map { sizes in (0..<columns.ids.count).count { sizes.size(at: $0) == 0 } } ?? 0
        let isAllEmpty = columns.sizes == nil && columns.uniformSize == 0
        let zeroSized = isAllEmpty ? columns.ids.count : empty
        let unsaid = [
            columns.costs == nil ? nil : "costs", columns.timesToLive == nil ? nil : "times to live",
            columns.operations == nil ? nil : "operations",
        ].compactMap(\.self)
        return [
            zeroSized == 0
                ? nil
                : "\(zeroSized) requests are for 0 bytes: readers drop them, Assay too without 'zero-sized=keep'.",
            unsaid.isEmpty ? nil : "The format has no place for \(unsaid.joined(separator: ", ")), which are left out.",
        ].compactMap(\.self)
    }

    private func write(_ trace: CompiledTrace, to file: borrowing PosixFile) throws(AssayError) {
        let columns = try trace.columnsWithFuture()
        let times = trace.timesNanoseconds
        let origin = times?.min() ?? 0
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 24 * Self.blockCount, alignment: 16)
        defer { block.deallocate() }
        var used = 0
        for position in 0..<columns.ids.count {
            let size = columns.sizes?.size(at: position) ?? columns.uniformSize
            // The difference of two 64-bit times may need 65 bits, and is never negative.
            let seconds = times.map { UInt64(bitPattern: $0[position] &- min(origin, 0)) / 1_000_000_000 } ?? 0
            guard let size = UInt32(exactly: size), let seconds = UInt32(exactly: seconds) else {
                throw AssayError(
                    .unavailable,
                    "Request \(position + 1) has a size or a time beyond 32 bits, which oracleGeneral cannot hold.")
            }
            let next = columns.next.map { $0[position] } ?? .max
            store(
                seconds, UInt64(columns.ids[position]) + 1, size, next == .max ? -1 : Int64(next) + 1, in: block, used)
            used += 24
            if used == block.count {
                try file.write(UnsafeRawBufferPointer(block))
                used = 0
            }
        }
        try file.write(UnsafeRawBufferPointer(rebasing: block[..<used]))
    }

    private func store(
        _ seconds: UInt32, _ object: UInt64, _ size: UInt32, _ next: Int64, in block: UnsafeMutableRawBufferPointer,
        _ offset: Int
    ) {
        block.storeBytes(of: seconds.littleEndian, toByteOffset: offset, as: UInt32.self)
        block.storeBytes(of: object.littleEndian, toByteOffset: offset + 4, as: UInt64.self)
        block.storeBytes(of: size.littleEndian, toByteOffset: offset + 12, as: UInt32.self)
        block.storeBytes(of: next.littleEndian, toByteOffset: offset + 16, as: Int64.self)
    }
}
