/// The trace formats that come with Assay: one line each, sorted by name.
public enum BuiltinTraceFormats {
    /// Every built-in format.
    public static let all: [TraceFormatEntry] = [
        TraceFormatEntry(AdaptSizeTraceFormat.self),
        TraceFormatEntry(AddressTraceFormat.self),
        TraceFormatEntry(ARCTraceFormat.self),
        TraceFormatEntry(Cache2kTraceFormat.self),
        TraceFormatEntry(CloudPhysicsTraceFormat.self),
        TraceFormatEntry(CordaTraceFormat.self),
        TraceFormatEntry(CSVTraceFormat.self),
        TraceFormatEntry(LIRSTraceFormat.self),
        TraceFormatEntry(OracleGeneralTraceFormat.self),
        TraceFormatEntry(PlainTraceFormat.self),
        TraceFormatEntry(TSVTraceFormat.self),
    ]
}
