public import CacheCore
internal import Synchronization

/// An eviction policy as a subject of ``ConformanceSuite/policy``.
///
/// A policy keeps ids and no bytes, so that a cache's programs cannot be put to it; put those to a cache that it drives.
public struct PolicySubject: CacheSubject {
    /// The name in reports: the policy's, with the parameters that were set.
    public let name: String
    let entry: PolicyEntry
    let parameters: ParameterValues
    let twin: PolicyEntry?
    let deviations: PolicyDeviations
    /// The first finding against each rule, by seed: one audit answers the checks of all rules.
    private let audits = Audits()

    /// A registered policy, with the default parameters unless others are given.
    ///
    /// A twin is the same rule written down in the plainest way, with arrays and searches; it gets the same parameters. The suite
    /// asks whether both evict the same objects in the same order.
    public init(_ entry: PolicyEntry, parameters: ParameterValues? = nil, twin: PolicyEntry? = nil) {
        let values = parameters ?? ParameterValues(defaults: entry.descriptor.parameters)
        name = selectionText(entry.descriptor.name, values)
        self.entry = entry
        self.parameters = values
        self.twin = twin
        deviations = entry.descriptor.deviations(with: values)
    }

    /// Nothing that a cache claims: which of its checks are due follows from the policy's descriptor.
    public func claims() throws(StoreError) -> Claims { Claims(StorageClaims(retains: false, iterates: false)) }

    /// Always throws: a policy holds nothing.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        throw StoreError(.unsupported, "a policy holds no entries; open a cache that it drives")
    }

    /// Whether the policy's seed may matter.
    var isRandom: Bool { !entry.descriptor.isDeterministic }

    /// Opens the policy for a trial.
    func open(_ trial: PolicyTrial, seed: UInt64 = 1) throws(AssayError) -> any SteppedPolicy {
        try entry.open(trial.configuration(parameters, seed: seed))
    }

    /// A trial with what an audit found in it.
    typealias AuditedTrial = (trial: PolicyTrial, finding: PolicyAudit.Finding)

    /// What an audit of the standard trials found first against a rule; nil if nothing.
    func finding(against rule: PolicyRule, seed: UInt64) throws(AssayError) -> AuditedTrial? {
        if let known = audits.known(seed) { return known[rule] }
        var first: [PolicyRule: AuditedTrial] = [:]
        for trial in PolicyTrial.standard(for: entry, seed: seed) {
            for finding in try audit(trial) where first[finding.rule] == nil {
                first[finding.rule] = (trial, finding)
            }
        }
        audits.keep(first, seed)
        return first[rule]
    }

    /// What an audit of one trial finds.
    func audit(_ trial: PolicyTrial) throws(AssayError) -> [PolicyAudit.Finding] {
        var audit = PolicyAudit(
            try open(trial), trial.capacity, objects: trial.objectCount, excepting: deviations)
        for (index, step) in trial.steps.enumerated() {
            audit.step = index
            switch step {
            case .request(let request): audit.request(request)
            case .remove(let id): audit.remove(id)
            }
        }
        return audit.findings
    }

    private final class Audits: Sendable {
        private let found = Mutex<[UInt64: [PolicyRule: AuditedTrial]]>([:])

        func known(_ seed: UInt64) -> [PolicyRule: AuditedTrial]? { found.withLock { $0[seed] } }
        func keep(_ first: [PolicyRule: AuditedTrial], _ seed: UInt64) { found.withLock { $0[seed] = first } }
    }
}
