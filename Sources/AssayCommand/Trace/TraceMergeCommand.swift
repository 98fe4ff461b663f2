import ArgumentParser
import CacheCore
import CacheTraces

/// `assay trace merge`: writes several traces as one, in the order of time.
struct TraceMergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Write several traces as one, in the order of their times.",
        discussion: """
            All must state times, by the same clock. Equal keys are one object. Requests of equal times stay in the order of the \
            traces. What not every trace states is left out, which is said; where one states operations, those of the others are \
            reads.
            """)

    @Argument(help: ArgumentHelp("The traces, and the file to write as the last.", valueName: "trace ... file"))
    var paths: [String]

    @OptionGroup var writing: TraceWritingOptions
    @OptionGroup var reading: TraceReadingOptions

    func validate() throws {
        guard paths.count >= 3 else {
            throw ValidationError("Give at least two traces, and the file to write as the last.")
        }
    }

    func run() throws {
        let file = paths[paths.count - 1]
        _ = try writing.writer(for: file)
        var traces: [CompiledTrace] = []
        for path in paths.dropLast() {
            let trace = try reading.open(path).compiled
            guard trace.timesNanoseconds != nil else {
                throw AssayError(
                    .usage, "The trace states no times, or all are equal: it has no order among others.",
                    at: .init(path))
            }
            traces.append(trace)
        }
        let stated = traces.map(\.attributes)
        let any = stated.reduce(into: Set()) { $0.formUnion($1) }
        var kept = stated.dropFirst().reduce(stated[0]) { $0.intersection($1) }
        // A missing time to live is none, and a missing operation a read.
        kept.formUnion(any.intersection([.operations, .timesToLive]))
        let lost = TraceAttribute.allCases.filter { any.contains($0) && !kept.contains($0) }.map(\.rawValue)
        if !lost.isEmpty {
            Console.error("assay: Not every trace states \(lost.joined(separator: ", ")), which are left out.")
        }
        let merged = try reading.make("merge") { (builder) throws(AssayError) in
            try Self.merge(traces.map { TraceSource($0, keeping: kept) }, into: &builder)
        }
        let backwards =
            merged.timesNanoseconds.map { times in times.indices.dropFirst().count { times[$0] < times[$0 - 1] } } ?? 0
        if backwards > 0 { Console.error("assay: Times go back at \(backwards) requests, as they do within a trace.") }
        try writing.write(merged, to: file)
    }

    /// Appends the earliest of the traces' next requests until there are none.
    private static func merge(_ sources: [TraceSource], into builder: inout TraceBuilder) throws(AssayError) {
        var sources = sources
        var positions = [Int](repeating: 0, count: sources.count)
        while true {
            var earliest: (source: Int, time: Int64)?
            for (index, source) in sources.enumerated() where positions[index] < source.trace.requests {
                guard let time = source.columns.times?[positions[index]] else { continue }
                if time < earliest?.time ?? .max || earliest == nil { earliest = (index, time) }
            }
            guard let next = earliest?.source else { return }
            try builder.append(positions[next], of: &sources[next])
            positions[next] += 1
        }
    }
}
