import ArgumentParser
import CacheCore
import CacheHarness

/// The option that says which requests are counted.
struct WarmUpSelection: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What fills the cache before anything is counted: requests of the trace (500), a share of them (10%) or a time of the "
                + "trace (1h).", valueName: "requests|share|time"),
        transform: Self.checked)
    var warmUp: String?

    private static func checked(_ text: String) throws -> String {
        do throws(AssayError) {
            var request = MeasureRequest()
            try request.setWarmUp(text)
            return text
        } catch { throw ValidationError(error.message) }
    }

    /// A description of what is counted.
    func request() throws(AssayError) -> MeasureRequest {
        var request = MeasureRequest()
        if let warmUp { try request.setWarmUp(warmUp) }
        return request
    }
}

/// The options that say what a run counts besides totals.
struct PartSelection: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Count hits over the time of the trace too: in so many windows of equally many requests (100), or in windows of a time "
                + "(1h). They are in windows.csv and in a chart.", valueName: "number|time"),
        transform: Self.windows)
    var windows: TraceExtent?

    @Flag(help: "Count hits by tenant too, for traces that state tenants. They are in tenants.csv and in a table.")
    var byTenant = false

    private static func windows(_ text: String) throws -> TraceExtent {
        switch TraceExtent(parsing: text) {
        case .requests(let count)? where count > 0: return .requests(count)
        case .time(let nanoseconds)?: return .time(nanoseconds: nanoseconds)
        default: throw ValidationError("'\(text)' says no windows; write how many (100) or how long each is (1h).")
        }
    }
}

extension MeasureRequest {
    /// Takes a warm-up as it is written.
    ///
    /// - Throws: `AssayError` with code `usage` for anything else.
    mutating func setWarmUp(_ text: String) throws(AssayError) {
        guard let extent = TraceExtent(parsing: text) else {
            throw AssayError(
                .usage,
                "'\(text)' is no warm-up; write requests (500), a share of them (10%) or a time of the trace (1h, of ns, us, ms, "
                    + "s, min, h or d)", at: .init("--warm-up"))
        }
        (warmUp, warmUpText) = (extent, text)
    }
}
