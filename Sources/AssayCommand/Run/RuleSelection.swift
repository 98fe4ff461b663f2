import ArgumentParser
import CacheCore
import CacheHarness

/// The options that say what replays make of operations and of sizes that change.
struct RuleSelection: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What a read does that finds nothing, on a trace that states operations: fill stores the object, none leaves that "
                + "to the trace's writes (default: none where there are writes, otherwise fill).",
            valueName: "fill|none"),
        transform: { try LoadSelection.choice($0, "--on-miss") })
    var onMiss: ReplayRules.MissedRead?

    @Option(
        help: ArgumentHelp(
            "What hit ratios are of: reads, or all for writes too, which hit where their object is resident. Deletes are "
                + "never counted.", valueName: "reads|all"),
        transform: { try LoadSelection.choice($0, "--count") })
    var count: ReplayRules.Counted = .reads

    @Option(
        help: ArgumentHelp(
            "What becomes of a resident whose size changes, in bytes: reweigh lets it enter anew, so that the capacity "
                + "holds; keep leaves it its old weight (default: reweigh, and keep for dialects, as their references do).",
            valueName: "reweigh|keep"),
        transform: { try LoadSelection.choice($0, "--resize") })
    var resize: ReplayRules.Resize?

    /// The rules.
    var rules: ReplayRules { ReplayRules(onMiss: onMiss, counted: count, resize: resize) }
}

extension SweepTrace {
    /// Refuses rules by which nothing would ever be stored.
    func requireWrites(for rules: ReplayRules) throws(AssayError) {
        guard rules.onMiss == .nothing, !columns.statesWrites else { return }
        throw AssayError(
            .usage,
            "\(description.name) states no writes, so nothing would ever be stored. Name its column with --format "
                + "csv:key=1,op=2 or the like, or leave --on-miss out.", at: AssayError.Location("--on-miss"))
    }
}
