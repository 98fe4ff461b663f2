public import CacheCore

/// The storage backends that come with Assay and need no other library: one line each, sorted by name.
public enum BuiltinStorage {
    /// Every built-in backend of this module.
    public static let all: [BackendEntry] = [
        BackendEntry(DictionaryStorage.self),
        BackendEntry(FileStorage.self),
        BackendEntry(LogStorage.self),
        BackendEntry(MmapStorage.self),
        BackendEntry(SlabStorage.self),
    ]
}
