import AssayCommand
import CacheCore
import CacheMutants

extension SubjectEntry {
    /// The reference cache as `reference`; of a kind or with a defect if that stands after a colon: `reference:tiered`,
    /// `reference:M74`.
    static let reference = SubjectEntry(ReferenceSubject(policies: policies)) { name in
        let bug = Mutant(rawValue: name)
        let flavour = ReferenceSubject.Flavour(rawValue: name)
        guard bug != nil || flavour != nil else {
            let kinds = ReferenceSubject.Flavour.allCases.map(\.rawValue).joined(separator: ", ")
            return .failure(
                AssayError(
                    .usage,
                    "The reference has no defect '\(name)', and its kinds are \(kinds). "
                        + "See 'assay-dev mutants' for the defects."
                ))
        }
        return .success(ReferenceSubject(bug, flavour: flavour, policies: policies))
    }

    /// The policies that its order may be compared with.
    private static let policies = Plugins.builtin.policies
}
