internal import CAssayPlugin
internal import CacheCore
internal import Synchronization

/// An eviction policy of a plug-in: what it is, and its functions.
struct PluginPolicyDescription: @unchecked Sendable {
    // The table holds pointers into a library that stays loaded, and functions that any thread may call.
    let table: assay_policy
    let descriptor: PolicyDescriptor
    let parameters: PluginParameters
    /// The library's file.
    let path: String

    /// Whether it remembers objects that are not resident.
    var keepsGhosts: Bool { table.flags & ASSAY_KEEPS_GHOSTS != 0 }

    /// Reads a description.
    ///
    /// - Throws: `AssayError` with code `badInput` that says what is wrong with it.
    init(_ table: assay_policy, number: Int, of path: String) throws(AssayError) {
        guard let name = PluginText.name(table.name) else {
            throw AssayError(.badInput, "Policy \(number) has no name that can be written. \(PluginText.nameRule)")
        }
        let owner = "The policy \(name)"
        guard table.create != nil, table.destroy != nil, table.miss != nil, table.remove != nil else {
            throw AssayError(.badInput, "\(owner) lacks a function: create, destroy, miss and remove must be there.")
        }
        guard let family = PluginText.read(table.family), Self.families.contains(family) else {
            throw AssayError(
                .badInput, "\(owner) has no family. Name one of \(Self.families.joined(separator: ", ")).")
        }
        guard let summary = PluginText.read(table.summary) else {
            throw AssayError(.badInput, "\(owner) has no summary.")
        }
        guard table.flags & ~(ASSAY_RANDOM | ASSAY_KEEPS_GHOSTS) == 0 else {
            throw AssayError(.badInput, "\(owner) has flags that this version of Assay does not know.")
        }
        parameters = try PluginParameters(table.parameters, count: table.parameter_count, of: owner)
        descriptor = PolicyDescriptor(
            name: name, family: family, summary: summary, citation: PluginText.read(table.citation) ?? "",
            parameters: parameters.specifications, isDeterministic: table.flags & ASSAY_RANDOM == 0,
            objectsOnly: PluginText.read(table.objects_only), memory: try Self.memory(table, owner))
        self.table = table
        self.path = path
    }

    /// The families of policies that can drive a cache.
    private static let families = PolicyDescriptor.families.filter {
        !["bound", "admission", "prefetch"].contains($0)
    }

    private static func memory(_ table: assay_policy, _ owner: String) throws(AssayError) -> MemoryCost? {
        guard let stated = table.memory?.pointee else { return nil }
        let rates = [
            stated.per_object, stated.per_object_in_bytes, stated.per_resident, stated.per_ghost, stated.ghosts,
        ]
        guard rates.allSatisfy({ (0...1e9).contains($0) }) else {
            throw AssayError(.badInput, "\(owner) states memory that is not from 0 to 1e9.")
        }
        // The ledger has a bit for each object, one for ghosts, and a weight in bytes.
        let bits = stated.ghosts > 0 ? 0.25 : 0.125
        let inBytes = stated.per_object_in_bytes > 0 ? stated.per_object_in_bytes : stated.per_object
        return MemoryCost(
            perObject: stated.per_object + bits, perResident: stated.per_resident, perGhost: stated.per_ghost,
            ghosts: stated.ghosts, perObjectInBytes: inBytes + bits + MemoryCost.perSize,
            perResidentInBytes: stated.per_resident, perGhostInBytes: stated.per_ghost)
    }

    /// The policy as a registry holds it.
    var entry: PolicyEntry {
        PolicyEntry(
            PolicyEntry(unit: PluginPolicy<UnitSizes>.self, bytes: PluginPolicy<ByteSizes>.self), as: descriptor
        ) { PluginPolicyContext(self) }
    }
}

/// What one cache of a plug-in's policy is made from, and why it failed.
final class PluginPolicyContext: PolicyContext {
    let policy: PluginPolicyDescription
    private let first = Mutex<AssayError?>(nil)

    init(_ policy: PluginPolicyDescription) { self.policy = policy }

    /// Why the policy decides nothing any more; nil while it works.
    var failure: AssayError? { first.withLock { $0 } }

    /// Notes what the policy did wrong, as the end of a sentence that begins with its name. The first failure stays.
    func fail(_ deed: String) {
        let error = AssayError(.verdict, "The policy \(policy.descriptor.name) \(deed).", at: .init(policy.path))
        first.withLock { $0 = $0 ?? error }
    }
}
