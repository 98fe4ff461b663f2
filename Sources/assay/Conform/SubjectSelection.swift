import CacheConformance
import CacheCore
import CacheHarness
import CacheMutants

/// A subject of `assay conform` as it is named on the command line.
struct SubjectSelection {
    /// Where a subject runs.
    enum Place {
        /// In a process of its own already: nothing it does ends this one.
        case elsewhere
        /// In a child process that serves check after check until one ends it.
        case child
        /// In a new child process for each check, since it keeps memory for good.
        case childEach
    }

    let subject: any CacheSubject
    let place: Place
    /// What it is asked.
    let suite: ConformanceSuite
    /// Whether it is a bare store, of which only the sections of stores are asked unless others are named.
    var isStore: Bool { suite.name == ConformanceSuite.storage.name }

    /// What `exec:COMMAND` begins with.
    private static let exec = "exec:"
    /// What the reference with a defect begins with.
    private static let defect = "reference:"

    /// Finds a subject, with other claims than its own if some are given.
    ///
    /// - Throws: `AssayError` with code `usage` for a name that nothing has.
    init(_ name: String, claims: Claims?, answerSeconds: Double) throws(AssayError) {
        if name.hasPrefix(Self.exec) {
            let command = String(name.dropFirst(Self.exec.count))
            guard !command.allSatisfy(\.isWhitespace) else {
                throw AssayError(.usage, "exec: names no command. Write 'exec:python3 adapter.py'.")
            }
            subject = ProcessSubject(
                command: command, claims: claims, answerSeconds: answerSeconds, policies: Registry.policies)
            (place, suite) = (.elsewhere, .cache)
            return
        }
        let own: any CacheSubject
        if name == "reference" || name.hasPrefix(Self.defect) {
            let id = name.dropFirst(Self.defect.count)
            let bug = Mutant.allCases.first { $0.rawValue == id }
            guard bug != nil || name == "reference" else {
                throw AssayError(
                    .usage, "The reference has no defect '\(id)'. Say --mutants to see them all.")
            }
            own = ReferenceSubject(bug, policies: Registry.policies)
            (place, suite) = (.child, .cache)
        } else if let system = Registry.system(named: name) {
            own = system.subject
            (place, suite) = (.child, system.suite)
        } else {
            let selected = try Selection.backends([name])
            guard selected.count == 1 else {
                let names = Registry.backends.map(\.descriptor.name).joined(separator: ", ")
                throw AssayError(
                    .usage, "Name one subject: reference, exec:COMMAND, a system, or one backend of \(names).")
            }
            own = StorageSubject(selected[0].entry, parameters: selected[0].parameters)
            place = selected[0].entry.descriptor.needsOwnProcess ? .childEach : .child
            // Claims that were made for it may be those of a whole cache.
            suite = claims == nil ? .storage : .cache
        }
        subject = claims.map { ClaimedSubject(own, claims: $0) } ?? own
    }
}
