@_exported public import AdaptivePolicies
@_exported public import AdmissionPolicies
public import CacheCore
@_exported public import InterReferencePolicies
@_exported public import PolicySupport
@_exported public import PriorityPolicies
@_exported public import RandomPolicies
@_exported public import RecencyPolicies
@_exported public import SegmentedPolicies
@_exported public import SketchPolicies

extension BuiltinPolicies {
    /// Every built-in policy, sorted by family and name.
    public static let all: [PolicyEntry] =
        recency + frequency + segmented + interReference + adaptive + sketch + sizeAware + random + bounds
}
