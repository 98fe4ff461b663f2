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

#if LightGBM
    @_exported public import LearnedPolicies
#endif

extension BuiltinPolicies {
    /// Every built-in policy, sorted by family and name.
    public static let all: [PolicyEntry] =
        recency + frequency + segmented + interReference + adaptive + sketch + sizeAware + random + bounds

    /// The policies that learn, where the trait `LightGBM` is on: not among ``all``, since a replay takes many times as long and needs a
    /// library that is opened at run time.
    public static var learning: [PolicyEntry] {
        #if LightGBM
            learned
        #else
            []
        #endif
    }
}
