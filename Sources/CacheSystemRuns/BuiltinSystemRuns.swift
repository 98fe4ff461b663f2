/// The systems that can be run under workloads: one line each.
public enum BuiltinSystemRuns {
    /// Every system, in the order of reports.
    public static let all: [SystemRunEntry] = [
        SystemRunEntry(MethodCacheRun.self),
        SystemRunEntry(ExpiringDiskCacheRun.self),
        SystemRunEntry(CallCacheRun.self),
        SystemRunEntry(RecordCacheRun.self),
        SystemRunEntry(HTTPCacheRun.self),
    ]
}
