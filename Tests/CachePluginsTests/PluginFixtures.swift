import CacheCore
import CachePlugins
import CachePolicies
import Testing
import _CacheTestSupport

/// The plug-ins of `Examples` and of these tests, each compiled and loaded once.
enum Plugins {
    static let fifo = Result { try PluginLibrary(SharedLibrary.c("Examples/CPolicy/fifo.c")) }
    static let lru = Result { try PluginLibrary(SharedLibrary.c("Examples/CPolicy/lru.c")) }
    static let map = Result { try PluginLibrary(SharedLibrary.c("Examples/CBackend/map.c")) }
    static let sieve = Result { try PluginLibrary(SharedLibrary.rust("Examples/RustPolicy/sieve.rs")) }
    static let liars = Result { try PluginLibrary(SharedLibrary.c("Tests/CachePluginsTests/Plugins/liars.c")) }
}

/// A policy of a plug-in beside the built-in one that it must equal.
enum Pair: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case fifo, lru, sieve, ghostly

    /// Those whose compilers are here.
    static let compiled = allCases.filter { $0 == .sieve ? SharedLibrary.hasRust : SharedLibrary.hasC }

    var testDescription: String { rawValue }

    var plugin: PolicyEntry {
        get throws {
            switch self {
            case .fifo: try Plugins.fifo.get().policies[0]
            case .lru: try Plugins.lru.get().policies[0]
            case .sieve: try Plugins.sieve.get().policies[0]
            case .ghostly: try Plugins.liars.get().policies[1]
            }
        }
    }

    var builtin: PolicyEntry {
        get throws {
            let name = self == .ghostly ? "fifo" : rawValue
            return try #require(BuiltinPolicies.all.first { $0.descriptor.name == name })
        }
    }
}

/// A seeded trace in memory, with ids `0..<objects` of which the last is never asked for.
struct PluginTrace {
    let columns: RequestColumns
    let keys: [[UInt8]]

    private final class Storage: Sendable {
        nonisolated(unsafe) let ids: UnsafeMutableBufferPointer<ObjectID>
        nonisolated(unsafe) let sizes: UnsafeMutableBufferPointer<UInt32>
        nonisolated(unsafe) let operations: UnsafeMutableBufferPointer<UInt8>

        init(count: Int) {
            ids = .allocate(capacity: count)
            sizes = .allocate(capacity: count)
            operations = .allocate(capacity: count)
        }

        deinit {
            ids.deallocate()
            sizes.deallocate()
            operations.deallocate()
        }
    }

    /// What a trace states beside its objects.
    enum Kind: CaseIterable {
        /// Nothing: each request is a read of one byte.
        case uniform
        /// Sizes that objects keep, of 0 to 99 bytes.
        case sized
        /// Sizes that change, writes and deletes.
        case operations
    }

    init(_ kind: Kind, requests: Int = 4_000, objects: Int = 120, seed: UInt64) {
        let storage = Storage(count: requests)
        var generator = SeededGenerator(seed: seed)
        var sizes = (0..<objects).map { _ in UInt32(generator.next(below: 100)) }
        for position in 0..<requests {
            let id = Int(Double(objects - 1) * generator.nextUnit() * generator.nextUnit())
            let draw = generator.next(below: 10)
            let operation: TraceOperation = kind != .operations || draw < 6 ? .read : draw < 9 ? .write : .remove
            if operation == .write { sizes[id] = UInt32(generator.next(below: 120)) }
            storage.ids.initializeElement(at: position, to: ObjectID(id))
            storage.sizes.initializeElement(at: position, to: sizes[id])
            storage.operations.initializeElement(at: position, to: operation.rawValue)
        }
        let recorded = RecordedSizes(UnsafeBufferPointer(storage.sizes))
        columns = RequestColumns(
            ids: UnsafeBufferPointer(storage.ids), sizes: kind == .uniform ? nil : recorded,
            operations: kind == .operations ? UnsafeBufferPointer(storage.operations) : nil,
            objects: ObjectSpace(count: objects), owner: storage)
        keys = (0..<objects).map { [UInt8]("key-\($0)".utf8) }
    }

    /// A configuration with this trace's objects.
    func configuration(
        _ capacity: Capacity, _ entry: PolicyEntry, _ parameters: String = ""
    ) throws -> PolicyConfiguration {
        PolicyConfiguration(
            capacity: capacity, objects: columns.objects,
            parameters: try ParameterValues(
                parsing: parameters, for: entry.descriptor.parameters, of: entry.descriptor.name))
    }
}
