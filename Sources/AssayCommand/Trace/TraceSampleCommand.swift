import ArgumentParser
import CacheCore
import CacheTraces

/// `assay trace sample`: writes a part of a trace.
struct TraceSampleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample",
        abstract: "Write a sample of a trace: of its objects, of its requests, or its beginning.",
        discussion: """
            --rate takes a share of the objects by a hash of their keys with every request for them, as SHARDS does: a cache of \
            the same share of the capacity hits about as often. --every takes each so manieth request, and --first the beginning.
            """)

    @Argument(help: TraceReadingOptions.argument)
    var trace: String

    @Argument(help: "The file to write.")
    var file: String

    @Option(
        help: ArgumentHelp("The share of the objects, above 0 and below 1, as 10% or 0.1.", valueName: "share"),
        transform: Selection.share)
    var rate: Double?

    @Option(help: ArgumentHelp("With --rate: another seed takes other objects.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Each so manieth request, beginning with the first.", valueName: "number"))
    var every: Int?

    @Option(help: ArgumentHelp("So many requests from the beginning.", valueName: "number"))
    var first: Int?

    @OptionGroup var writing: TraceWritingOptions
    @OptionGroup var reading: TraceReadingOptions

    func validate() throws {
        guard [rate != nil, every != nil, first != nil].count(where: \.self) == 1 else {
            throw ValidationError("Give one of --rate, --every and --first.")
        }
        if rate == nil, seed != 1 { throw ValidationError("--seed is for --rate.") }
        if let rate, !(rate > 0 && rate < 1) { throw ValidationError("--rate is a share above 0 and below 1.") }
        if let every, every < 2 { throw ValidationError("--every must be at least 2.") }
        if let first, first < 1 { throw ValidationError("--first must be at least 1.") }
    }

    func run() throws {
        _ = try writing.writer(for: file)
        let opened = try reading.open(trace).compiled
        let columns = opened.columns
        let sample: CompiledTrace
        if let rate {
            let chosen = KeySample(rate: rate, seed: seed).objects(of: opened)
            sample = try reading.make("sample:rate=\(rate)", of: opened) { chosen[Int(columns.ids[$0])] }
        } else if let every {
            sample = try reading.make("sample:every=\(every)", of: opened) { $0 % every == 0 }
        } else {
            let first = first ?? 0
            sample = try reading.make("sample:first=\(first)", of: opened) { $0 < first }
        }
        try writing.write(sample, to: file)
    }
}
