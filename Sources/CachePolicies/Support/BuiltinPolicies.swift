/// The policies that come with Assay. Each family's module adds its list, a line a policy; `all`, in CachePolicies, has them all.
public enum BuiltinPolicies {}
