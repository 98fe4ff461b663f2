import AssayCommand
import CacheConformance
import CacheCore
import CacheMutants
import CacheReference

extension SubjectEntry {
    /// The reference cache as `reference`; of a kind or with a defect if that stands after a colon: `reference:tiered`,
    /// `reference:M74`.
    static let reference = SubjectEntry(ReferenceSubject(policies: policies)) { name in
        if let mutation = Mutation.named(name) { return .success(mutation.subject(policies: policies)) }
        guard let flavour = ReferenceSubject.Flavour(rawValue: name) else {
            let kinds = ReferenceSubject.Flavour.allCases.map(\.rawValue).joined(separator: ", ")
            return .failure(
                AssayError(
                    .usage,
                    "The reference has no defect '\(name)', and its kinds are \(kinds). "
                        + "See 'assay-dev mutants' for the defects."
                ))
        }
        return .success(ReferenceSubject(flavour: flavour, policies: policies))
    }

    /// A poor cache that breaks no promise, as `harmless`, or of another kind, as `harmless:oneSlot`: no check may fail it.
    static let harmless = SubjectEntry(HarmlessCache.Subject(.neverStores)) { name in
        if let kind = HarmlessCache.Kind(rawValue: name) { return .success(HarmlessCache.Subject(kind)) }
        let kinds = HarmlessCache.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        return .failure(AssayError(.usage, "There is no harmless cache '\(name)'. There are \(kinds)."))
    }

    /// The policies that its order may be compared with.
    private static let policies = Plugins.builtin.policies
}
