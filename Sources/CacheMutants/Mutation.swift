import CEmbeddedFiles
import CacheConformance
import CacheCore
public import CacheReference

/// One defect: an operator that is put around operations of the reference cache. A row of `mutants.tsv`.
public struct Mutation: Sendable, Hashable {
    /// What is wrong. The words after an operator in the table are its arguments.
    public enum Operator: String, CaseIterable, Sendable {
        // Facets of the entries that an operation is about
        /// The facet is as before the operation.
        case keeps
        /// The facet is reset.
        case loses
        /// The facet is as if the entry were stored or used now.
        case renews
        /// The facet of the old entry is added to that of the new.
        case adds
        /// The deadline or the total of costs is off by so much.
        case shifts
        // What is beside the entries
        /// A table has again what the operation took from it.
        case restores
        /// A table loses what is in it.
        case empties
        /// A table never has more than the first thing that was put into it.
        case once
        // What others are told
        case tells
        case counts
        case writes
        case answers
        // The operation as a whole
        /// It answers as if it had been done.
        case ignores
        /// The writer's failure is answered, and yet it is done.
        case applies
        /// It is another operation.
        case becomes
        /// It handles so many of its keys.
        case limits
        /// It finds what has expired.
        case seesDead
        /// Some entries stay or come back.
        case spares
        /// Some entries are evicted besides.
        case evicts
        /// It looks at no bound.
        case unbounded
        /// It never ends.
        case sticks
        /// It answers what was answered before.
        case repeats
        // Names, values and numbers
        case key
        case group
        case tag
        case value
        case cost
        case life
        case room
        // Several threads
        /// It looks, waits for another thread and writes whatever it finds by then.
        case tears
        /// Loads run beside loads of the same key, or after all others.
        case loads
        /// Writes are done late, when another operation comes.
        case queues
        /// The operation shares state between threads or instances that it must not.
        case shares
        /// Objects are never let go of.
        case holds
        // The disk
        case journal
        case opens
        /// An eviction policy is wrong, and not the cache.
        case policy

        /// Whether the schedule of threads decides when it shows.
        var isRace: Bool { [.tears, .loads, .queues, .shares].contains(self) }
    }

    /// When an operator applies; all that are named must hold.
    public enum Condition: String, CaseIterable, Sendable {
        case live, new, dead, absent, refreshing, lower, mortal, own, large
        case equal, changed, failing, refused, failed, full, heavy, lifeless
        case plain, worn, slash, long, empty, some, meanwhile, cleared, removed
        case restored, fails, reenters, no, busy, allPinned, bytes, loading
        case removing
    }

    /// The catalogue's name: those that begin with M are bugs that real caches had.
    public let id: String
    /// The order of eviction of the reference that has the defect.
    public let order: String
    /// Which of the exclusive capabilities that reference has.
    public let flavour: ReferenceSubject.Flavour
    /// What is wrong.
    public let `operator`: Operator
    /// The words of the operations that are wrong; `group:` stands before those in a group, `any` is every one.
    public let operations: Set<String>
    /// The operator's arguments: facets, tables, counters, numbers.
    public let arguments: [String]
    /// When it applies.
    public let conditions: [Condition]
    /// The checks that may be expected to notice it: one of them must.
    public let checks: [String]
    /// The public report or the promise that it stands for.
    public let source: String

    /// A row of the table, which has a column for each: id, reference, operator, operations, arguments, checks, source.
    ///
    /// An argument that begins with a question mark is a condition.
    init?(row: Substring) {
        let fields = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 7, let kind = Operator(rawValue: fields[2]), !fields[6].isEmpty else { return nil }
        let words = fields[4].split(separator: " ").map(String.init)
        let conditions = words.filter { $0.hasPrefix("?") }.map { Condition(rawValue: String($0.dropFirst())) }
        guard !conditions.contains(nil) else { return nil }
        let flavour = ReferenceSubject.Flavour(rawValue: fields[1])
        id = fields[0]
        order = flavour == nil && !fields[1].isEmpty ? fields[1] : "lru"
        self.flavour = flavour ?? .plain
        self.operator = kind
        operations = Set(fields[3].split(separator: ",").map(String.init))
        arguments = words.filter { !$0.hasPrefix("?") }
        self.conditions = conditions.compactMap(\.self)
        checks = fields[5].split(separator: ",").map(String.init)
        source = fields[6]
    }

    /// Every row of the table. One that cannot be read is a mistake of whoever wrote it.
    public static let all: [Mutation] = embedded_mutants_tsv().text
        .split(separator: "\n").dropFirst().map { row in
            guard let mutation = Mutation(row: row) else { preconditionFailure("mutants.tsv: \(row)") }
            return mutation
        }

    /// The mutation of that id.
    public static func named(_ id: String) -> Mutation? { all.first { $0.id == id } }

    /// Whether its checks need a process that was made ready for them: one whose calls can be made to fail, or that may mount
    /// a device. `assay conform` starts such processes.
    public var needsReadyProcess: Bool { Set(["FLT-4", "FLT-5", "FLT-11", "FLT-12"]).isSuperset(of: checks) }

    /// What is wrong, in the words of the table.
    public var text: String {
        ([`operator`.rawValue, operations.sorted().joined(separator: ",")] + arguments + conditions.map { "?\($0)" })
            .joined(separator: " ")
    }

    var argument: String { arguments.first ?? "" }
    /// The last number among the arguments.
    var number: Int { arguments.last.flatMap { Int($0) } ?? 1 }

    func concerns(_ operation: CacheOperation) -> Bool {
        operations.contains("any") || operations.contains(operation.word)
    }
}

extension CacheOperation {
    /// The operation's name, after `group:` for one in a group.
    var word: String {
        if case .within = self { "group:" + name } else { name }
    }

    /// The operation itself, and its group.
    var inner: (operation: CacheOperation, group: String?) {
        if case .within(let group, let inner) = self { (inner, group) } else { (self, nil) }
    }

    /// The terms with which what is put is stored.
    var terms: PutTerms? { OperationLine(self).terms }

    /// The operation with its parts changed, that of a group too.
    func mapping(
        key: ([UInt8]) -> [UInt8] = { $0 }, group: (String) -> String = { $0 }, tag: (String) -> String? = { $0 },
        value: ([UInt8]) -> [UInt8] = { $0 }, terms: (PutTerms) -> PutTerms = { $0 }
    ) -> CacheOperation {
        func changed(_ line: OperationLine) -> OperationLine {
            var new = line
            func renamed(_ name: HexBytes) -> HexBytes { HexBytes(key(name.bytes)) }
            new.key = line.key.map(renamed)
            new.other = line.other.map(renamed)
            if ["getMany", "removeMany"].contains(line.operation) { new.keys = line.keys?.map(renamed) }
            let name = line.key?.bytes ?? []
            // What an origin has is not what the cache was given.
            if !["load", "update"].contains(line.operation), let payload = line.payload {
                new.payload = .bytes(value(payload.bytes(for: name)))
            }
            if let expected = line.expectedPayload { new.expectedPayload = .bytes(expected.bytes(for: name)) }
            if ["put", "putIfAbsent", "replace", "load"].contains(line.operation), line.payload != nil {
                var written = terms(line.terms ?? .plain)
                written.tags = written.tags.compactMap(tag)
                new.terms = written
            }
            if line.operation == "touch" {
                new.amount = terms(PutTerms(timeToLiveNanoseconds: line.amount)).timeToLiveNanoseconds ?? 1 << 61
            }
            new.group = line.group.map(group)
            new.tag = line.tag.map { line.operation == "limitGroup" ? group($0) : tag($0) ?? $0 }
            if line.operation == "putMany" { new.items = line.items?.map(changed) }
            return new
        }
        return changed(OperationLine(self)).read() ?? self
    }
}
