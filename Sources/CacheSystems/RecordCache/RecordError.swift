/// Why a record could not be stored or read, where the store has not failed.
public enum RecordError: Error, Sendable, Hashable {
    /// The fields of a type are not those that were recorded for its version: raise the version, and add a step for those that were
    /// removed, renamed or given another type.
    case fieldsChanged(type: String, version: Int, added: [String], missing: [String])
    /// What is stored is of another type than was asked for; it stays.
    case wrongType(stored: String, asked: String)
    /// What is stored is of the version that was asked for, and cannot be made a value of its type; it stays.
    case undecodable(type: String, reason: String)
    /// What is stored was written by a newer version of its type, which is to be left alone.
    case newer(type: String, version: Int)
    /// A record's schema is not in the store, so that its fields have no names; it stays until its type is written again.
    case unknownSchema
    /// Bytes that are no value.
    case damaged
}
