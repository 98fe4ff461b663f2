/// The trace formats that come with Assay: one line each, sorted by name.
public enum BuiltinTraceFormats {
    /// Every built-in format.
    public static let all: [TraceFormatEntry] = [
        TraceFormatEntry(AdaptSizeTraceFormat.self),
        TraceFormatEntry(AddressTraceFormat.self),
        TraceFormatEntry(ARCTraceFormat.self),
        TraceFormatEntry(Cache2kTraceFormat.self),
        TraceFormatEntry(CloudPhysicsTraceFormat.self),
        TraceFormatEntry(CloudFrontTraceFormat.self),
        TraceFormatEntry(CombinedTraceFormat.self),
        TraceFormatEntry(CordaTraceFormat.self),
        TraceFormatEntry(CSVTraceFormat.self),
        TraceFormatEntry(FastlyTraceFormat.self),
        TraceFormatEntry(JSONLinesTraceFormat.self),
        TraceFormatEntry(LIRSTraceFormat.self),
        TraceFormatEntry(MemcachedWatchTraceFormat.self),
        TraceFormatEntry(OracleGeneralTraceFormat.self),
        TraceFormatEntry(PlainTraceFormat.self),
        TraceFormatEntry(RedisMonitorTraceFormat.self),
        TraceFormatEntry(SquidTraceFormat.self),
        TraceFormatEntry(TSVTraceFormat.self),
    ]
}
