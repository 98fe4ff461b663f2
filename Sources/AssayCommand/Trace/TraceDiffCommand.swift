import ArgumentParser
import CacheCore
import CacheTraces

/// `assay trace diff`: whether two traces hold the same requests.
struct TraceDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Compare two traces request by request.",
        discussion: """
            Prints the first request that differs and how many do. The exit status is 0 when all are the same, and 2 when one \
            differs. --ignore leaves attributes out: keys, sizes, times, ttl, costs, operations, tenants. Without keys two requests \
            are for the same object when the same earlier requests are, so that a trace with other names for its objects is the same.
            """)

    /// What may be left out.
    enum Part: String, ExpressibleByArgument, CaseIterable {
        case keys, sizes, times, ttl, costs, operations, tenants

        var attribute: TraceAttribute? {
            switch self {
            case .keys: nil
            case .sizes: .sizes
            case .times: .times
            case .ttl: .timesToLive
            case .costs: .costs
            case .operations: .operations
            case .tenants: .tenants
            }
        }
    }

    @Argument(help: TraceReadingOptions.argument)
    var first: String

    @Argument(help: "Another one.")
    var second: String

    @Option(parsing: .upToNextOption, help: ArgumentHelp("What need not be the same.", valueName: "attribute"))
    var ignore: [Part] = []

    @Option(
        help: ArgumentHelp(
            "The format of the second trace, where --format names that of the first.", valueName: "format"),
        completion: .formats)
    var secondFormat: String?

    @OptionGroup var reading: TraceReadingOptions

    func run() throws {
        let left = try reading.open(first).compiled
        let right = try reading.opener().open(parts: [second], format: secondFormat).compiled
        let ignored = Set(ignore.compactMap(\.attribute))
        let stated = (left.attributes.subtracting(ignored), right.attributes.subtracting(ignored))
        let comparesKeys = !ignore.contains(.keys)
        let rows = (TraceRows(left, without: ignored), TraceRows(right, without: ignored))
        var lines = [(first, left), (second, right)].map { "\($0): \($1.requests) requests for \($1.objects) objects" }
        let onlyOne = TraceAttribute.allCases.filter { stated.0.contains($0) != stated.1.contains($0) }
        for attribute in onlyOne {
            lines.append("only \(stated.0.contains(attribute) ? first : second) states \(attribute.rawValue)")
        }
        var (differing, firstDifferent): (Int, Int?) = (0, nil)
        for position in 0..<min(left.requests, right.requests) {
            let isSame = rows.0.isSame(at: position, as: rows.1, comparesKeys: comparesKeys)
            if !isSame {
                differing += 1
                firstDifferent = firstDifferent ?? position
            }
        }
        let shared = min(left.requests, right.requests)
        if let firstDifferent {
            lines.append("\(differing) of \(shared) requests differ, the first is request \(firstDifferent + 1):")
            for rows in [rows.0, rows.1] {
                let fields = zip(rows.names, rows.fields(at: firstDifferent)).map {
                    "\($0)=\(String(decoding: $1, as: UTF8.self))"
                }
                lines.append("  " + fields.joined(separator: " "))
            }
        } else if left.requests != right.requests {
            lines.append("the first \(shared) requests are the same")
        }
        for line in lines { Console.print(line) }
        guard differing == 0, left.requests == right.requests, onlyOne.isEmpty else {
            throw AssayError(.verdict, "The traces differ.")
        }
        Console.print("The traces hold the same requests.")
    }
}
