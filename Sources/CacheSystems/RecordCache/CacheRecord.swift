/// A type whose values outlive the program that wrote them: its versions have numbers, and it says how to come from one to the next.
///
/// ```swift
/// struct Person: CacheRecord, Equatable {
///     static let timeline = RecordTimeline(version: 3)
///         .migrating(from: 1) { $0.rename("name", to: "fullName") }
///         .migrating(from: 2) { $0.retype("age") { $0.text.flatMap { Int($0) }.map { .integer(Int128($0)) } } }
///     var fullName: String
///     var age: Int?
/// }
/// ```
///
/// ### Implementers' notes
/// `encode(to:)` must name the same fields each time, as the one does that the compiler writes. Raise the version when fields come,
/// go, or change their types: a ``RecordCache`` refuses values whose fields are not those that were recorded for their version.
/// A new field that is optional needs no step. A class has a timeline for its own fields, and each superclass that is a record for its.
public protocol CacheRecord: Codable, Sendable {
    /// The name under which values are kept: it must stay when the type is renamed. By default the type's own.
    static var recordName: String { get }
    /// The version, and the steps that lead to it. By default version 1 without steps.
    static var timeline: RecordTimeline { get }
}

extension CacheRecord {
    /// The type's own name.
    public static var recordName: String { String(describing: Self.self) }
    /// Version 1 without steps.
    public static var timeline: RecordTimeline { RecordTimeline(version: 1) }
}

/// The versions of a ``CacheRecord``, and the steps from each to the next.
public struct RecordTimeline: Sendable {
    /// Brings the fields of one version to those of the next.
    public typealias Step = @Sendable (inout RecordData) throws -> Void

    /// What becomes of a record that a newer program wrote.
    public enum NewerRule: Sendable, Hashable {
        /// It is not read, and stays for the newer program.
        case refuse
        /// It is read as it is: fields that this version does not have are left out. A write by this version replaces it.
        case passThrough
    }

    /// The version that is written, at least 1.
    public let version: Int
    /// Names that the type had before: their records are its own.
    public let formerNames: Set<String>
    /// What becomes of a record that a newer program wrote.
    public let newer: NewerRule
    private var steps: [Int: Step] = [:]

    /// A timeline up to a version, without steps.
    public init(version: Int, formerNames: Set<String> = [], newer: NewerRule = .refuse) {
        self.version = version
        self.formerNames = formerNames
        self.newer = newer
    }

    /// The timeline with a step from a version to the one after it. Versions without a step have the fields of the one before.
    ///
    /// A step that throws refuses the record: ``RecordRefusal`` says what becomes of it; any other error removes it. A value that was
    /// stored before its type was a record is of version 0. A step may use the cache.
    public func migrating(from version: Int, _ step: @escaping Step) -> RecordTimeline {
        var timeline = self
        timeline.steps[version] = step
        return timeline
    }

    /// The step from a version, if it needs one.
    package func step(from version: Int) -> Step? { steps[version] }

    /// Brings the fields of a record of an older version to this one, step by step.
    func migrate(_ data: inout RecordData) throws {
        while data.version < version {
            do { try step(from: data.version)?(&data) } catch let refusal as RecordRefusal { throw refusal } catch {
                throw RecordRefusal.remove("\(error)")
            }
            data.version += 1
        }
    }
}

/// What a migration step throws for a record that it does not migrate: that entry alone is not read.
public enum RecordRefusal: Error, Sendable, Hashable {
    /// The entry is removed; for a reason.
    case remove(String)
    /// The entry stays as it is, for a later program; for a reason.
    case keep(String)
}

extension RecordData {
    /// A nested record as a living type would read it today: migrated to the version that the type has now.
    ///
    /// For a step that moves something out of a child, which may have been written by any version of the child's type.
    ///
    /// - Throws: ``RecordRefusal`` from the type's steps; ``RecordError`` for a record of another type or of a newer version.
    public func migrated(to type: any CacheRecord.Type) throws -> RecordData {
        try RecordDecoder.migrated(.record(self), to: type, RecordDecoding()).record ?? self
    }
}
