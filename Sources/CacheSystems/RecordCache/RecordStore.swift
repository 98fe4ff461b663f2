internal import CacheCore
internal import CacheEngine
internal import Synchronization

/// The entries and schemas of a ``RecordCache``.
///
/// ### What wins
/// Writers of a key hold the lock of its stripe. What a read wants to store or remove, it does under that lock and only if the entry is
/// still the one that it has read: so a migrated record is never written over a newer one, and never brings back what was removed.
final class RecordStore: Sendable {
    /// Serialises the writers of some keys.
    private final class Stripe: Sendable {
        let writing = Mutex<Void>(())
    }

    let tiers: TieredCache<RecordPlace, RecordEntry>
    let schemas: RecordSchemas
    private let records: NamespaceStorage
    let monitor: EventMonitor<RecordEvent, RecordPlace>
    private let writesBack: Bool
    private let stripes: [Stripe]

    init(_ options: RecordCacheOptions, policy: PolicyEntry, storage: any StorageBackend) throws {
        let name = CanonicalNode.text(options.name)
        func part(_ part: String, closes: Bool = false) -> NamespaceStorage {
            NamespaceStorage(of: storage, prefix: name + CanonicalNode.text(part), closesLower: closes)
        }
        let room = max(1, options.memoryBytesMax)
        // A task goes on in any thread: only one order of all reads is the order of its reads.
        var memory = CacheOptions<RecordPlace, RecordEntry>(capacity: .bytes(room))
        memory.order = .strict
        memory.weigher = { [most = options.memoryEntryBytesMax] _, entry in
            // What may not be in memory is too heavy for it.
            entry.keepsInMemory && entry.bytes.count <= most ? entry.weight : room + 1
        }
        schemas = try RecordSchemas(in: part("schemas"))
        records = part("records", closes: options.closesStore)
        tiers = try TieredCache(memory, policy: policy, over: records, codec: RecordEntry.codec)
        monitor = EventMonitor(options.monitor)
        writesBack = options.writesBack
        stripes = (0..<16).map { _ in Stripe() }
        try keepVersion(options, in: part("program"))
    }

    /// Empties what a program of another version has left, and only then says that this one has been here.
    private func keepVersion(_ options: RecordCacheOptions, in settings: NamespaceStorage) throws {
        guard let version = options.programVersion else { return }
        var old: String?
        do { old = try settings.get([]).map { String(decoding: $0.value, as: UTF8.self) } } catch {
            // A damaged version is another one.
            guard error.code == .corrupt else { throw error }
        }
        guard old != version else { return }
        if old.map({ !options.compatibleProgramVersions.contains($0) }) ?? true {
            for place in try places(in: [])
            where !options.protectedGroups.contains(where: { place.path.starts(with: $0) }) {
                _ = try tiers.remove(place)
            }
        }
        try settings.put(StoredEntry(Array(version.utf8)), for: [])
    }

    func requireOpen() throws(StoreError) { if tiers.isClosed { throw .closed } }

    /// Everything in a group and in the groups inside it, also what memory alone has left of a store that evicts. O(entries), and
    /// no read.
    func places(in path: [String]) throws(StoreError) -> [RecordPlace] {
        try requireOpen()
        let stored = try records.keys(beginningWith: RecordKey.bytes(ofGroup: path)).compactMap {
            try? RecordKey.place(of: $0)
        }
        return Array(Set(stored).union(tiers.memoryKeys.filter { $0.path.starts(with: path) }))
    }

    private func stripe(_ place: RecordPlace) -> Stripe { stripes[(place.hashValue >> 8) & (stripes.count - 1)] }

    private func alone<Result>(_ place: RecordPlace, _ body: () throws -> Result) throws -> Result {
        try stripe(place).writing.withLock { _ in try body() }
    }

    /// Stores a value; one that cannot be stored leaves none under its key, so that nobody reads the one before as the last.
    func put<Value: Encodable & Sendable>(_ value: Value, _ place: RecordPlace, keepsInMemory: Bool) throws {
        try requireOpen()
        let encoded = Result { try RecordEncoder.encoded(value) }
        do {
            try alone(place) {
                let entry: RecordEntry
                do { entry = try self.entry(encoded.get(), value, keepsInMemory: keepsInMemory) } catch {
                    _ = try tiers.remove(place)
                    throw error
                }
                try tiers.put(entry, for: place)
            }
        } catch {
            monitor.note(.storeFailed, place)
            throw error
        }
        monitor.note(.stored, place)
    }

    /// The binary form of a value, once its schemas are recorded.
    func bytes(of encoded: RecordEncoder.Encoded) throws -> [UInt8] {
        try schemas.record(encoded.shapes)
        var writer = RecordWriter(schemas)
        try writer.write(encoded.value)
        return writer.bytes
    }

    /// The entry of a value.
    ///
    /// It holds the value too, unless there are objects in that: who changed one would change what the next reader gets.
    private func entry(
        _ encoded: RecordEncoder.Encoded, _ value: some Sendable, keepsInMemory: Bool
    ) throws -> RecordEntry {
        let entry = RecordEntry(try bytes(of: encoded), keepsInMemory: keepsInMemory)
        if !encoded.hasObjects { entry.remember(value) }
        return entry
    }

    func value<Value: Decodable & Encodable & Sendable>(_ place: RecordPlace, as type: Value.Type) throws -> Value? {
        guard let entry = try entry(place), let value = try value(of: entry, place, as: type) else {
            monitor.note(.miss, place)
            return nil
        }
        monitor.note(.hit, place)
        return value
    }

    /// The entry of a key; one that is damaged is none, and is removed.
    private func entry(_ place: RecordPlace) throws -> RecordEntry? {
        do { return try tiers.value(for: place) } catch {
            guard error.code == .corrupt else { throw error }
            removeDamaged(place)
            return nil
        }
    }

    private func value<Value: Decodable & Encodable & Sendable>(
        of entry: RecordEntry, _ place: RecordPlace, as type: Value.Type
    ) throws -> Value? {
        if let known = entry.known(as: type) { return known }
        let decoding = RecordDecoding()
        do {
            let parts = try RecordReader.value(of: entry.bytes[...], schemas)
            let value = try RecordDecoder.decoded(parts, as: type, decoding)
            if !decoding.hasObjects { entry.remember(value) }
            if decoding.hasMigrated {
                monitor.note(.migrated, place)
                // What a newer program has written would be lost by that.
                if writesBack, !decoding.hasNewer { writeBack(value, place, instead: entry) }
            }
            return value
        } catch {
            try giveUp(entry, place, after: error, "\(type)")
            return nil
        }
    }

    /// Does with an entry that gives no value what its error says; throws the error that the reader must see.
    private func giveUp(
        _ entry: RecordEntry, _ place: RecordPlace, after error: any Error, _ type: String
    ) throws {
        switch error {
        case RecordError.unknownSchema: monitor.note(.unknownSchema, place)
        case RecordError.newer: monitor.note(.newer, place)
        case RecordError.damaged: removeDamaged(place)
        case RecordRefusal.keep: monitor.note(.refused, place)
        case RecordRefusal.remove: try refuse(entry, place)
        case is DecodingError: throw RecordError.undecodable(type: type, reason: "\(error)")
        default: throw error
        }
    }

    /// Stores a migrated record in its new form, if its old one is still there. A failure costs the next reader a migration.
    private func writeBack(_ value: some Encodable & Sendable, _ place: RecordPlace, instead old: RecordEntry) {
        do {
            let encoded = try RecordEncoder.encoded(value)
            let isStored = try alone(place) {
                guard try tiers.peek(place)?.bytes == old.bytes else { return false }
                try tiers.put(entry(encoded, value, keepsInMemory: old.keepsInMemory), for: place)
                return true
            }
            if isStored { monitor.note(.writtenBack, place) }
        } catch { monitor.note(.writeBackFailed, place) }
    }

    /// Removes an entry that no migration leads from, unless there is another under its key by now.
    private func refuse(_ entry: RecordEntry, _ place: RecordPlace) throws {
        monitor.note(.refused, place)
        try alone(place) {
            guard try tiers.peek(place)?.bytes == entry.bytes else { return }
            _ = try tiers.remove(place)
        }
    }

    /// Removes what cannot be read, if it still cannot.
    private func removeDamaged(_ place: RecordPlace) {
        monitor.note(.damaged, place)
        _ = try? alone(place) {
            let isDamaged: Bool
            do {
                if let entry = try tiers.peek(place) { _ = try RecordReader.value(of: entry.bytes[...], schemas) }
                isDamaged = false
            } catch {
                isDamaged = error as? RecordError == .damaged || (error as? StoreError)?.code == .corrupt
            }
            if isDamaged { _ = try tiers.remove(place) }
        }
    }

    func remove(_ place: RecordPlace) throws(StoreError) -> Bool {
        try Self.stored(Result { try alone(place) { try tiers.remove(place) } })
    }

    /// Removes every entry of a group and of the groups in it, each by itself; returns how many that were.
    func clear(_ path: [String]) throws(StoreError) -> Int {
        var removed = 0
        for place in try places(in: path) where try remove(place) { removed += 1 }
        return removed
    }

    /// Removes every entry in one step, and the schemas where that is wanted.
    func removeAll(schemas removesSchemas: Bool, from number: Int = 0) throws {
        guard number < stripes.count else {
            try tiers.removeAll()
            if removesSchemas { try schemas.removeAll() }
            return
        }
        try stripes[number].writing.withLock { _ in try removeAll(schemas: removesSchemas, from: number + 1) }
    }

    /// What only a store can have failed at.
    static func stored<Value>(_ result: Result<Value, any Error>) throws(StoreError) -> Value {
        switch result {
        case .success(let value): return value
        case .failure(let error as StoreError): throw error
        case .failure(let error): throw StoreError(.inputOutput, "\(error)")
        }
    }
}
