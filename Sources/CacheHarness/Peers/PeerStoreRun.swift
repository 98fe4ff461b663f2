public import CacheCore
internal import CacheEngine
internal import Foundation

/// The operations of diskcache's own benchmark on one of the engine's stored caches, for `scripts/peers-live`.
///
/// The benchmark (`tests/benchmark_core.py` of diskcache 5.6.3) makes 100 000 operations on 100 keys: 90 % reads, 9 % writes
/// of values that are a number repeated 1 to 99 times, 1 % removals.
public struct PeerStoreRun: Sendable {
    /// What was found out.
    public struct Figures: Codable, Sendable, Hashable {
        /// Operations that were made.
        public var operations: Int
        /// Reads that found a value.
        public var hits: Int
        /// How long they took, in seconds; making values is outside.
        public var seconds: Double
        /// The medians, in nanoseconds.
        public var getNanoseconds: Int?
        /// Of writes.
        public var setNanoseconds: Int?
        /// Of removals.
        public var deleteNanoseconds: Int?
    }

    /// One operation of the file: 8 bytes, little-endian.
    private struct Operation {
        /// 0 reads, 1 writes, 2 removes.
        let kind: UInt8
        let key: UInt8
        /// How often the number is repeated.
        let repeats: Int
        let number: UInt32

        init(_ record: ArraySlice<UInt8>) {
            let bytes = Array(record)
            kind = bytes[0]
            key = bytes[1]
            repeats = Int(bytes[2]) | Int(bytes[3]) << 8
            number = (4..<8).reversed().reduce(0) { $0 << 8 | UInt32(bytes[$1]) }
        }

        var keyBytes: [UInt8] { Array(String(key).utf8) }
        var valueBytes: [UInt8] { Array(String(repeating: String(number), count: repeats).utf8) }
    }

    private let cache: StoredCache<[UInt8], [UInt8]>
    private let operations: [Operation]

    /// A cache of 10 000 entries with that policy over a store in `directory`, and the operations of a file.
    ///
    /// - Throws: `AssayError`: `badInput` for a file that is none of operations, `inputOutput` or `unavailable` if the
    ///   store cannot be opened.
    public init(
        policy: PolicyEntry, backend: BackendEntry, parameters: ParameterValues, directory: String,
        operations path: String
    ) throws(AssayError) {
        guard let file = FileManager.default.contents(atPath: path), file.count.isMultiple(of: 8), !file.isEmpty else {
            throw AssayError(.badInput, "not a file of operations of 8 bytes", at: AssayError.Location(path))
        }
        let bytes = [UInt8](file)
        operations = stride(from: 0, to: bytes.count, by: 8).map { Operation(bytes[$0..<$0 + 8]) }
        do {
            let store = try backend.open(directory: directory, parameters: parameters)
            cache = try StoredCache(
                CacheOptions(capacity: .objects(10_000)), policy: policy, storage: store, codec: .bytes)
        } catch {
            throw AssayError(
                .inputOutput, "\(backend.descriptor.name) could not be opened", cause: error.description)
        }
    }

    /// Makes the operations and times each.
    ///
    /// - Throws: `AssayError`: `inputOutput` if the store fails, `verdict` if it returns what was not written.
    public func run() throws(AssayError) -> Figures {
        do { return try timed() } catch {
            throw AssayError(
                error.code == .corrupt ? .verdict : .inputOutput, "an operation failed", cause: error.description)
        }
    }

    private func timed() throws(StoreError) -> Figures {
        var times = [LatencyCollector(), LatencyCollector(), LatencyCollector()]
        var (nanoseconds, hits): (UInt64, Int) = (0, 0)
        var written: [UInt8: [UInt8]] = [:]
        for operation in operations {
            let (key, value) = (operation.keyBytes, operation.kind == 1 ? operation.valueBytes : [])
            let start = MonotonicClock.nowNanoseconds()
            var found: [UInt8]?
            switch operation.kind {
            case 0: found = try cache.value(for: key)
            case 1: try cache.put(value, for: key)
            default: try cache.remove(key)
            }
            let time = MonotonicClock.nowNanoseconds() &- start
            nanoseconds &+= time
            times[Int(min(operation.kind, 2))].record(time)
            switch operation.kind {
            case 0:
                guard found == written[operation.key] else {
                    throw StoreError(.corrupt, "key \(operation.key) returned what was not written")
                }
                if found != nil { hits += 1 }
            case 1: written[operation.key] = value
            default: written[operation.key] = nil
            }
        }
        try cache.close()
        let medians = times.map { $0.distribution().summary.p50Nanoseconds }
        return Figures(
            operations: operations.count, hits: hits, seconds: Double(nanoseconds) / 1e9, getNanoseconds: medians[0],
            setNanoseconds: medians[1], deleteNanoseconds: medians[2])
    }
}
