public import CacheCore
import Synchronization

/// Keeps entries in a lower store and those that were used lately also in an upper one that is bounded and faster.
///
/// A get that only the lower store can answer promotes the entry. With `write=through` a put goes to the lower store before
/// it returns; with `write=back` only when the entry leaves the upper store, at ``flush()`` and at ``close()``. A removal goes
/// to both at once. Entries leave the upper store in order of arrival, those that were read since after another round.
/// Expiry travels with the entry. Claims are the lower store's, but no more than `exit` with `write=back`, and the lesser
/// limit of both where both must take an entry.
///
/// A store is named as on the command line, with `+` between its parameters: `tiered:lower=log:durability=power+segment-bytes=65536`.
/// Operations run one at a time and cost what the two stores cost; ``count()`` and ``keys()`` with `write=back` also ask the
/// lower store for every entry that it may not have yet.
public final class TieredStorage: StorageBackend {
    /// The lower store's, but no more than `exit` with `write=back`.
    public let claims: StorageClaims
    private let limits: StorageLimits
    private let writesBack: Bool
    private let state: Mutex<State?>

    private struct State {
        var upper: UpperTier
        let lower: any StorageBackend
    }

    /// Four parameters: the two stores, when the lower one is written, and the size of the upper one.
    public static var descriptor: BackendDescriptor { descriptor(over: BuiltinStorage.embedded) }

    /// Opens a store over two backends of this module.
    public convenience init(_ configuration: BackendConfiguration) throws(StoreError) {
        try self.init(configuration, over: BuiltinStorage.embedded)
    }

    /// The backend over any of `entries`: what a registry with more backends than this module's lists.
    public static func entry(over entries: [BackendEntry]) -> BackendEntry {
        BackendEntry(descriptor(over: entries)) { (configuration) throws(StoreError) in
            try TieredStorage(configuration, over: entries)
        }
    }

    private static func descriptor(over entries: [BackendEntry]) -> BackendDescriptor {
        let names = entries.map(\.descriptor.name).joined(separator: ", ")
        return BackendDescriptor(
            name: "tiered", summary: "A bounded store in memory over any other.",
            citation: "F. J. Corbató, A Paging Experiment with the Multics System, 1968 (CLOCK)",
            parameters: [
                ParameterSpecification(
                    "upper", .text(default: "dictionary"),
                    "The store in memory: the name of a backend without directory, with + between its parameters."),
                ParameterSpecification(
                    "lower", .text(default: "file"), "The store below: one of \(names), with + between its parameters."),
                ParameterSpecification(
                    "write", .choice(default: "through", ["through", "back"]),
                    "When a put reaches the lower store: at once, or when the entry leaves the upper one."),
                ParameterSpecification(
                    "upper-bytes", .integer(default: 64 << 20, 1...(1 << 40)),
                    "The keys and values that the upper store holds, in bytes."),
            ], needsDirectory: true)
    }

    /// Opens both stores; the lower one in the configured directory.
    private convenience init(
        _ configuration: BackendConfiguration, over entries: [BackendEntry]
    ) throws(StoreError) {
        let parameters = configuration.parameters
        let upper = try NamedBackend(parameters.text("upper"), of: "tiered", parameter: "upper", among: entries)
        guard !upper.entry.descriptor.needsDirectory else {
            throw StoreError(
                .unavailable, "tiered: upper=\(upper.text) is not a store in memory; use dictionary or slab")
        }
        let lower = try NamedBackend(parameters.text("lower"), of: "tiered", parameter: "lower", among: entries)
        let lowerStore = try lower.open(directory: configuration.directory)
        do throws(StoreError) {
            try self.init(
                upper: try upper.open(directory: nil), lower: lowerStore,
                upperBytesMax: parameters.integer("upper-bytes"), writesBack: parameters.text("write") == "back")
        } catch {
            try? lowerStore.close()
            throw error
        }
    }

    /// A store over two that are open and empty above; they belong to it from now on.
    public init(
        upper: any StorageBackend, lower: any StorageBackend, upperBytesMax: Int, writesBack: Bool
    ) throws(StoreError) {
        var claims = lower.claims
        claims.isConcurrent = true
        if writesBack { claims.durability = min(claims.durability, .exit) }
        self.claims = claims
        self.writesBack = writesBack
        limits = StorageLimits(claims)
        state = Mutex(State(upper: UpperTier(upper, bytesMax: upperBytesMax), lower: lower))
    }

    /// The entry under a key, from the upper store if it is there; otherwise it is promoted.
    public func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        try withState { (state) throws(StoreError) in
            if let entry = try state.upper.get(key) { return entry }
            guard let entry = try state.lower.get(key) else { return nil }
            // The answer is right whether or not the upper store has room.
            try? raise(entry, key, isDirty: false, &state)
            return entry
        }
    }

    /// Stores an entry. Whatever the reason why a value cannot be stored, the upper store forgets the old one under its key.
    public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        try withState { (state) throws(StoreError) in
            try limits.check(key: key)
            guard limits.accepts(value: entry.value) else {
                try state.upper.remove(key)
                _ = try state.lower.remove(key)
                throw limits.refusal(of: entry.value)
            }
            if writesBack, state.upper.fits(entry, key) {
                do throws(StoreError) { return try raise(entry, key, isDirty: true, &state) } catch {
                    // Straight to the lower store, then.
                }
            }
            try state.upper.remove(key)
            try state.lower.put(entry, for: key)
            if !writesBack { try? raise(entry, key, isDirty: false, &state) }
        }
    }

    /// Removes the entry under a key from both stores.
    public func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        try withState { (state) throws(StoreError) in
            let wasAbove = state.upper.contains(key)
            let wasBelow = try state.lower.remove(key)
            try state.upper.remove(key)
            return wasAbove || wasBelow
        }
    }

    /// Removes every entry from both stores.
    public func removeAll() throws(StoreError) {
        try withState { (state) throws(StoreError) in
            try state.upper.removeAll()
            try state.lower.removeAll()
        }
    }

    /// The number of entries.
    public func count() throws(StoreError) -> Int {
        try withState { (state) throws(StoreError) in
            try state.lower.count() + Self.unknownBelow(state).count
        }
    }

    /// Every key.
    public func keys() throws(StoreError) -> [[UInt8]] {
        try withState { (state) throws(StoreError) in
            try state.lower.keys() + Self.unknownBelow(state)
        }
    }

    /// Whether there is an entry under a key in either store.
    public func contains(_ key: [UInt8]) throws(StoreError) -> Bool {
        try withState { (state) throws(StoreError) in
            if state.upper.contains(key) { return true }
            return try state.lower.contains(key)
        }
    }

    /// Writes what the lower store does not have yet, and makes it durable there.
    public func flush() throws(StoreError) {
        try withState { (state) throws(StoreError) in
            try writeBack(&state)
            try state.lower.flush()
        }
    }

    /// Writes what the lower store does not have yet and closes both, even if something cannot be written.
    public func close() throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            guard var open = state else { return }
            state = nil
            var failure: StoreError?
            do throws(StoreError) { try writeBack(&open) } catch { failure = error }
            try open.upper.store.close()
            try open.lower.close()
            if let failure { throw failure }
        }
    }

    /// The keys that only the upper store has.
    private static func unknownBelow(_ state: State) throws(StoreError) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        for key in state.upper.dirtyKeys {
            if try !state.lower.contains(key) { keys.append(key) }
        }
        return keys
    }

    /// Puts an entry into the upper store, from which others leave for it.
    private func raise(
        _ entry: StoredEntry, _ key: [UInt8], isDirty: Bool, _ state: inout State
    ) throws(StoreError) {
        guard state.upper.fits(entry, key) else { return }
        while let victim = state.upper.victim(for: entry, key) {
            try write(victim, &state)
            try state.upper.remove(victim)
        }
        try state.upper.put(entry, key, isDirty: isDirty)
    }

    /// Writes one entry to the lower store if that does not have it.
    private func write(_ key: [UInt8], _ state: inout State) throws(StoreError) {
        guard state.upper.isDirty(key), let entry = try state.upper.store.get(key) else { return }
        try state.lower.put(entry, for: key)
        state.upper.clean(key)
    }

    /// Writes every entry that the lower store does not have; goes on after a failure, and throws the first.
    private func writeBack(_ state: inout State) throws(StoreError) {
        var failure: StoreError?
        for key in state.upper.dirtyKeys {
            do throws(StoreError) { try write(key, &state) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func withState<Result: Sendable>(
        _ body: (inout State) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try state.withLock { (state) throws(StoreError) in
            if state == nil { throw .closed }
            return try body(&state!)
        }
    }
}
