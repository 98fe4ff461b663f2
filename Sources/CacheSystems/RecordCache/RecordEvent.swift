public import CacheEngine

/// What became of a read or a write of a ``RecordCache``.
public enum RecordEvent: String, Sendable, Hashable, Codable, CaseIterable {
    /// A read found a value.
    case hit
    /// A read found nothing; why, where something is stored all the same, is told before.
    case miss
    /// A record was of an older version, and was migrated.
    case migrated
    /// A migrated record was stored in its new form.
    case writtenBack
    /// A migrated record could not be stored in its new form; the next read migrates it again.
    case writeBackFailed
    /// A migration step refused a record, or left one that its type cannot read.
    case refused
    /// A record is of a newer version, and stays for the newer program.
    case newer
    /// A record's schema is not in the store, and it stays.
    case unknownSchema
    /// An entry was damaged, and was removed.
    case damaged
    /// A value was stored.
    case stored
    /// A value could not be stored: there is none under its key if it was refused, and the one before or none if the store failed.
    case storeFailed
    /// A value was removed.
    case removed
    /// A group was cleared.
    case cleared
}

/// How often each event has happened: exact counts since the cache was opened.
public typealias RecordStatistics = EventCounts<RecordEvent>

/// Where something is stored: a key, and the group in which it lies.
public typealias RecordPlace = GroupedKey<String>
