internal import AdmissionPolicies
public import CacheCore
internal import SketchPolicies

/// The admission policies that come with Assay: one line each, sorted by name. `always` is to have none.
public enum BuiltinAdmissions {
    /// Every built-in admission policy.
    public static let all: [AdmissionEntry] = [
        AdmissionEntry(AdaptSizeAdmission.self),
        AdmissionEntry(ClairvoyantAdmission.self),
        AdmissionEntry(PredicateAdmission.self),
        AdmissionEntry(ProbabilityAdmission.self),
        AdmissionEntry(SecondHitAdmission.self),
        AdmissionEntry(SizeAdmission.self),
        AdmissionEntry(SizeProbabilityAdmission.self),
        AdmissionEntry(TinyLFUAdmission.self),
    ]
}
