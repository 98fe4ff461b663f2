public import CacheCore

/// The storage backends that come with Assay and need no other library: one line each, sorted by name.
public enum BuiltinStorage {
    /// Every built-in backend of this module.
    public static let all: [BackendEntry] = embedded + [TieredStorage.entry(over: embedded)]

    /// Those that stand on no other backend.
    public static let embedded: [BackendEntry] = [
        BackendEntry(DictionaryStorage.self),
        BackendEntry(FileStorage.self),
        BackendEntry(LogStorage.self),
        BackendEntry(MmapStorage.self),
        BackendEntry(SlabStorage.self),
    ]
}
