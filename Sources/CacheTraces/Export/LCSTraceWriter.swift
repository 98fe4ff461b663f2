public import CacheCore

/// Writes libCacheSim's LCS format: a header of 8,192 bytes with statistics, and records.
///
/// Version 1, of 24 bytes a record, where the trace states neither operations nor tenants nor times to live and each size fits 32
/// bits; otherwise version 3, of 36 bytes. Keys that are numbers stay; others are hashed to 64 bits. Times and times to live are in
/// whole seconds, of which the latter are at least 1. The tables of most frequent values and the skew are left 0.
public struct LCSTraceWriter: TraceWriter {
    /// Name and meaning.
    public let descriptor = TraceWriterDescriptor(
        name: "lcs",
        summary: "libCacheSim's LCS, version 1 or 3: number keys, seconds, sizes, operations, tenants, TTLs.",
        fileExtensions: ["lcs"])

    private static let magic: UInt64 = 0x1234_5678_9abc_def0
    private static let statisticsBytes = 8000
    private static let held: Set<TraceAttribute> = [.sizes, .times, .timesToLive, .operations, .tenants]

    /// A writer.
    public init() {}

    /// Writes the header and every request.
    ///
    /// - Throws: `AssayError` with code `unavailable` if a time does not fit 32 bits, or the trace has 2^32 - 1 requests or more.
    public func write(_ trace: CompiledTrace, to path: String) throws(AssayError) {
        let columns = try trace.columnsWithFuture()
        let keys = NumberKeys(trace).keys
        let seconds = WholeSeconds(trace, format: "LCS")
        let isWide = needsWideRecords(trace, columns)
        try TraceOutput.create(path) { (output) throws(AssayError) in
            try writeHeader(trace, columns, seconds, version: isWide ? 3 : 1, to: &output)
            for position in 0..<trace.requests {
                let request = columns.request(at: position)
                try output.write(try seconds.value(at: position))
                try output.write(keys[Int(request.id)])
                if isWide {
                    try output.write(Int64(request.size))
                    let tenant = columns.tenants.map { UInt32($0[position]) } ?? 0
                    try output.write(Self.code(columns.operation(at: position)) | tenant << 8)
                    try output.write(Self.seconds(timeToLive: request.timeToLiveNanoseconds))
                } else {
                    try output.write(UInt32(request.size))
                }
                try output.write(request.nextIndex == Request.never ? -1 : Int64(request.nextIndex) + 1)
            }
        }
    }

    /// Costs, names of tenants, keys that are bytes and parts of seconds are lost; readers drop requests for 0 bytes.
    public func losses(of trace: CompiledTrace) -> [String] {
        let isLong = trace.columns.timesToLive?.contains { $0 / 1_000_000_000 >= Int64(UInt32.max) } == true
        return [
            OracleGeneralWriter.zeroSized(trace), isLong ? "Times to live of 2^32 - 1 s and more have no end." : nil,
            trace.leftOut(byFormatWith: Self.held), NumberKeys(trace).loss, WholeSeconds.loss(of: trace),
            trace.columns.tenants == nil
                ? nil : "Tenants are numbered in the order of their first request, without names.",
        ].compactMap(\.self)
    }

    private func needsWideRecords(_ trace: CompiledTrace, _ columns: RequestColumns) -> Bool {
        if columns.operations != nil || columns.tenants != nil || columns.timesToLive != nil { return true }
        guard let sizes = columns.sizes else { return columns.uniformSize > Int(UInt32.max) }
        return (0..<trace.requests).contains { sizes.size(at: $0) > Int(UInt32.max) }
    }

    /// The operation as libCacheSim numbers it: get, set, delete.
    private static func code(_ operation: TraceOperation) -> UInt32 {
        switch operation {
        case .read: 1
        case .write: 3
        case .remove: 9
        }
    }

    private static func seconds(timeToLive nanoseconds: Int64) -> UInt32 {
        guard nanoseconds > 0 else { return 0 }
        return UInt32(clamping: max(1, nanoseconds / 1_000_000_000))
    }

    private func writeHeader(
        _ trace: CompiledTrace, _ columns: RequestColumns, _ seconds: WholeSeconds, version: UInt64,
        to output: inout TraceOutput
    ) throws(AssayError) {
        try output.write(Self.magic)
        try output.write(version)
        let statistics = try Self.statistics(trace, columns, seconds)
        try output.write(statistics + [UInt8](repeating: 0, count: Self.statisticsBytes - statistics.count))
        try output.write([UInt8](repeating: 0, count: 21 * 8))
        try output.write(Self.magic)
    }

    /// The block of statistics as far as it is filled.
    private static func statistics(
        _ trace: CompiledTrace, _ columns: RequestColumns, _ seconds: WholeSeconds
    ) throws(AssayError) -> [UInt8] {
        let requests = trace.requests
        let (writes, deletes) = columns.operationCounts
        let sizes = (0..<requests).lazy.map { columns.sizes?.size(at: $0) ?? columns.uniformSize }
        let (first, last) = requests == 0 ? (0, 0) : (try seconds.value(at: 0), try seconds.value(at: requests - 1))
        let numbers: [Int64] = [
            1, Int64(requests), Int64(trace.objects), Int64(trace.bytesRequested), Int64(trace.footprintBytes),
            Int64(first), Int64(last), Int64(requests - writes - deletes), Int64(writes), Int64(deletes),
            Int64(sizes.min() ?? 0), Int64(sizes.max() ?? 0),
        ]
        var bytes = numbers.flatMap { Self.bytes($0) }
        // Two tables of 16 numbers with ratios, and one of frequencies of objects, then the skew.
        bytes += [UInt8](repeating: 0, count: 16 * (8 + 4) + 16 * 8 + 16 * (4 + 4) + 8)
        bytes += Self.bytes(Int32(trace.tenantNameBytes.count))
        bytes += [UInt8](repeating: 0, count: 16 * (4 + 4))
        var lives: Set<UInt32> = []
        for position in 0..<requests {
            guard let timeToLive = columns.timesToLive?[position], timeToLive > 0 else { continue }
            lives.insert(Self.seconds(timeToLive: timeToLive))
        }
        for number in [lives.count, Int(lives.min() ?? 0), Int(lives.max() ?? 0)] {
            bytes += Self.bytes(Int32(clamping: number))
        }
        return bytes
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}

/// The times of a trace as whole seconds of 32 bits; 0 where it states none. Negative times are moved so that the first is 0.
struct WholeSeconds {
    private let times: UnsafeBufferPointer<Int64>?
    private let origin: Int64
    private let format: String

    /// The times of a trace, for a format of that name.
    init(_ trace: CompiledTrace, format: String) {
        times = trace.timesNanoseconds
        origin = min(times?.min() ?? 0, 0)
        self.format = format
    }

    /// The time of a request.
    ///
    /// - Throws: `AssayError` with code `unavailable` if it does not fit 32 bits.
    @inline(__always)
    func value(at position: Int) throws(AssayError) -> UInt32 {
        guard let times else { return 0 }
        // The difference of two 64-bit times may need 65 bits, and is never negative.
        let seconds = UInt64(bitPattern: times[position] &- origin) / 1_000_000_000
        guard let value = UInt32(exactly: seconds) else {
            throw AssayError(
                .unavailable,
                "Request \(position + 1) has a time beyond 32 bits of seconds, which \(format) cannot hold.")
        }
        return value
    }

    /// The sentence that says that times lose their parts of seconds, or their origin; nil if they do not. O(requests).
    static func loss(of trace: CompiledTrace) -> String? {
        let columns = trace.columns
        let all = [trace.timesNanoseconds, columns.timesToLive].compactMap(\.self)
        if let origin = trace.timesNanoseconds?.min(), origin < 0 {
            return "Times are in whole seconds, from the first of the trace, because some are below 0."
        }
        guard all.contains(where: { $0.contains { $0 % 1_000_000_000 != 0 } }) else { return nil }
        return trace.columns.timesToLive == nil
            ? "Times are cut to whole seconds."
            : "Times are cut to whole seconds, and times to live to one at least."
    }
}
