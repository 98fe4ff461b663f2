import ArgumentParser
import CacheCore
import CacheTraces

/// `assay trace print`: the requests of a trace as text.
struct TracePrintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print", abstract: "Print the first requests of a trace.")

    @Argument(help: TraceReadingOptions.argument)
    var trace: String

    @Option(name: [.customShort("n"), .customLong("requests")], help: ArgumentHelp("How many.", valueName: "number"))
    var count = 10

    @Option(help: ArgumentHelp("How many requests to leave out before the first.", valueName: "number"))
    var skip = 0

    @Flag(help: "Print comma-separated values, as 'assay trace convert --to csv' writes them.")
    var csv = false

    @OptionGroup var reading: TraceReadingOptions

    func validate() throws {
        guard count >= 1 else { throw ValidationError("-n must be at least 1.") }
        guard skip >= 0 else { throw ValidationError("--skip must be at least 0.") }
    }

    func run() throws {
        let opened = try reading.open(trace).compiled
        let rows = TraceRows(opened)
        let positions = min(skip, opened.requests)..<min(saturatingSum(skip, count), opened.requests)
        if csv { Console.print(Self.text(rows.header), terminator: "") }
        for position in positions {
            if csv {
                Console.print(Self.text(rows.row(at: position)), terminator: "")
            } else {
                let fields = zip(rows.names, rows.fields(at: position)).map { "\($0)=\(Self.text($1))" }
                Console.print("\(position + 1) " + fields.joined(separator: " "))
            }
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
