import CacheCore
import CachePolicies
import Synchronization

@testable import CacheHarness

/// A short trace in memory with everything that a sweep or a live run wants of it.
struct MemoryTrace: Sendable {
    let columns: RequestColumns
    let keys: [[UInt8]]
    let sweepTrace: SweepTrace

    private final class Storage: Sendable {
        nonisolated(unsafe) let ids: UnsafeMutableBufferPointer<ObjectID>
        nonisolated(unsafe) let sizes: UnsafeMutableBufferPointer<UInt32>
        nonisolated(unsafe) let next: UnsafeMutableBufferPointer<UInt32>
        nonisolated(unsafe) let operations: UnsafeMutableBufferPointer<UInt8>

        init(_ ids: [ObjectID], _ sizes: [UInt32], _ operations: [TraceOperation]) {
            self.operations = .allocate(capacity: operations.count)
            _ = self.operations.initialize(from: operations.map(\.rawValue))
            next = .allocate(capacity: ids.count)
            var following: [ObjectID: UInt32] = [:]
            for position in ids.indices.reversed() {
                next.initializeElement(at: position, to: following[ids[position]] ?? .max)
                following[ids[position]] = UInt32(position)
            }
            self.ids = .allocate(capacity: ids.count)
            _ = self.ids.initialize(from: ids)
            self.sizes = .allocate(capacity: sizes.count)
            _ = self.sizes.initialize(from: sizes)
        }

        deinit {
            ids.deallocate()
            sizes.deallocate()
            next.deallocate()
            operations.deallocate()
        }
    }

    /// A trace of dense ids; without sizes every object has one byte, without operations every request reads.
    init(name: String = "memory", ids: [ObjectID], sizes: [UInt32] = [], operations: [TraceOperation] = []) {
        let storage = Storage(ids, sizes, operations)
        let objects = Int((ids.max() ?? 0)) + 1
        let column = sizes.isEmpty ? nil : RecordedSizes(UnsafeBufferPointer(storage.sizes))
        columns = RequestColumns(
            ids: UnsafeBufferPointer(storage.ids), sizes: column, next: UnsafeBufferPointer(storage.next),
            operations: operations.isEmpty ? nil : UnsafeBufferPointer(storage.operations),
            objects: ObjectSpace(count: objects), owner: storage)
        keys = (0..<objects).map { [UInt8]("key-\($0)".utf8) }
        let bytes = sizes.isEmpty ? ids.count : sizes.reduce(0) { $0 + Int($1) }
        var largest: [ObjectID: Int] = [:]
        for (id, size) in zip(ids, sizes) { largest[id] = max(largest[id] ?? 0, Int(size)) }
        let footprint = sizes.isEmpty ? objects : largest.values.reduce(0, +)
        var description = TraceDescription(
            name: name, argument: name, format: "memory", digest: "0", requests: ids.count, objects: objects,
            bytesRequested: bytes, footprintBytes: footprint, hasSizes: !sizes.isEmpty)
        description.note(columns)
        let (columns, described) = (columns, description)
        sweepTrace = SweepTrace(description: described, columns: columns) { () throws(AssayError) in columns }
    }

    /// A seeded skewed trace of reads, writes and deletes; only writes change sizes of 0 to 99 bytes unless reads do too.
    static func withOperations(requests: Int = 1500, objects: Int = 60, readsChange: Bool, seed: UInt64 = 1)
        -> MemoryTrace
    {
        var generator = SeededGenerator(seed: seed)
        var sizes = (0..<objects).map { _ in UInt32(generator.next(below: 100)) }
        var trace: [(id: ObjectID, size: UInt32, operation: TraceOperation)] = []
        for _ in 0..<requests {
            let id = ObjectID(Double(objects) * generator.nextUnit() * generator.nextUnit())
            let draw = generator.next(below: 10)
            let operation: TraceOperation = draw < 6 ? .read : draw < 9 ? .write : .remove
            // Now and then as large as can never fit.
            if operation == .write || (operation == .read && readsChange), generator.next(below: 3) == 0 {
                sizes[Int(id)] = UInt32(generator.next(below: 20) == 0 ? 1000 : generator.next(below: 100))
            }
            trace.append((id, operation == .read && !readsChange ? 0 : sizes[Int(id)], operation))
        }
        return MemoryTrace(ids: trace.map(\.id), sizes: trace.map(\.size), operations: trace.map(\.operation))
    }

    /// A seeded skewed trace with sizes of 0 to 99 bytes that change from request to request, unless objects keep theirs.
    static func skewed(
        requests: Int = 3000, objects: Int = 100, seed: UInt64 = 1, keepingSizes: Bool = false
    ) -> MemoryTrace {
        var generator = SeededGenerator(seed: seed)
        let ids = (0..<requests).map { _ in ObjectID(Double(objects) * generator.nextUnit() * generator.nextUnit()) }
        if keepingSizes {
            let sizes = (0..<objects).map { _ in UInt32(generator.next(below: 100)) }
            return MemoryTrace(ids: ids, sizes: ids.map { sizes[Int($0)] })
        }
        return MemoryTrace(ids: ids, sizes: ids.map { _ in UInt32(generator.next(below: 100)) })
    }
}

/// A backend in a dictionary, with one defect if a test asks for it.
final class SpoiledBackend: StorageBackend {
    enum Defect: String, Sendable, CaseIterable {
        case none, flipsABit, shortens, forgets, returnsPreviousVersion, returnsAnotherKeysValue, throwsOnPut
    }

    static let descriptor = BackendDescriptor(
        name: "spoiled", summary: "A dictionary with a defect.", citation: "",
        parameters: [.init("defect", .choice(default: "none", Defect.allCases.map(\.rawValue)), "what goes wrong")],
        needsDirectory: false)

    let claims = StorageClaims()
    private let defect: Defect
    private let entries = Mutex<[[UInt8]: [StoredEntry]]>([:])

    init(_ configuration: BackendConfiguration) throws(StoreError) {
        defect = Defect(rawValue: configuration.parameters.text("defect")) ?? .none
    }

    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        entries.withLock { entries in
            guard var entry = entries[key]?.last else { return nil }
            switch defect {
            case .flipsABit: if !entry.value.isEmpty { entry.value[entry.value.count / 2] ^= 1 }
            case .shortens: entry.value = Array(entry.value.dropLast())
            case .forgets: return nil
            case .returnsPreviousVersion: entry = entries[key]?.dropLast().last ?? entry
            case .returnsAnotherKeysValue: entry = entries.first { $0.key != key }?.value.last ?? entry
            case .none, .throwsOnPut: break
            }
            return entry
        }
    }

    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        if defect == .throwsOnPut { throw StoreError(.full, "no space is left") }
        entries.withLock { $0[key, default: []].append(entry) }
    }

    func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        // The defect of old versions needs them after a removal too.
        defect == .returnsPreviousVersion ? true : entries.withLock { $0.removeValue(forKey: key) != nil }
    }

    func removeAll() throws(StoreError) { entries.withLock { $0 = [:] } }
    func count() throws(StoreError) -> Int { entries.withLock { $0.count } }
    func keys() throws(StoreError) -> [[UInt8]] { entries.withLock { Array($0.keys) } }
    func close() throws(StoreError) {}
}
