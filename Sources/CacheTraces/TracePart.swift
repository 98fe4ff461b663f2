internal import CacheCore

/// One of the files that make a trace, or standard input.
struct TracePart {
    /// What stands for standard input among paths.
    static let standardInput = "-"
    /// The name that errors give standard input.
    static let standardInputName = "standard input"

    let path: String
    /// The file, and how it is read; nil for standard input, which is known only while it is read.
    private let known: (reading: SourceReading, plan: InputPlan)?
    /// How many bytes standard input has given.
    private let streamed: StreamedBytes

    /// What was found out of a part by reading it.
    struct Finding {
        /// The digest of its bytes.
        var digest: String
        /// What tells readings of the same bytes apart.
        var reading: String
    }

    /// Looks at a file, or at standard input not yet.
    init(
        _ path: String, _ digests: SourceDigests, _ choice: FormatChoice, _ limit: ExpansionLimit,
        recognised: (String, TraceFormatSelection) -> Void
    ) throws(AssayError) {
        self.path = path
        streamed = StreamedBytes()
        guard path != Self.standardInput else {
            known = nil
            return
        }
        var input = try TraceInput.open(path, hashingInto: nil, limit)
        let plan = try InputPlan(&input, choice)
        if case .file(let selected) = plan { recognised(path, selected) }
        known = (try SourceReading(of: path, digests), plan)
    }

    /// What the part is called where several make a trace.
    var name: String { known == nil ? Self.standardInputName : path }

    /// Its length in bytes, of standard input what was read so far.
    var sizeBytes: Int { known?.reading.sizeBytes ?? streamed.count }

    /// What is known without reading it; nil where that does not suffice.
    func finding(_ choice: FormatChoice) -> Finding? {
        guard let known, let digest = known.reading.found else { return nil }
        return Finding(digest: digest, reading: known.plan.identity(choice))
    }

    /// Reads everything into the compiler.
    func compile(
        into compiler: inout TraceCompiler, _ digests: SourceDigests, _ choice: FormatChoice, _ limit: ExpansionLimit,
        recognised: @escaping (String, TraceFormatSelection) -> Void
    ) throws(AssayError) -> Finding {
        let reader = PartReader(choice: choice, limit: limit, recognised: recognised)
        guard let known else {
            let hash = digests.algorithm.makeHash()
            let file = HashedFile(try PosixFile(standardInputAs: name), hash)
            let streamed = streamed
            let warnings = Warnings()
            var input = try TraceInput.open(
                named: name,
                { (buffer) throws(AssayError) in
                    let count = try file.read(into: buffer)
                    streamed.count += count
                    return count
                }, bytesMax: limit.contentBytes(ofFileBytes:), warn: warnings.append)
            guard try input.fill(atLeast: 1) > 0 else {
                throw AssayError(
                    .badInput, "Standard input is empty. Check the command before the pipe.", at: input.location)
            }
            let plan = try InputPlan(&input, choice)
            if case .file(let selected) = plan { recognised(name, selected) }
            try reader.read(input, plan, into: &compiler)
            for text in warnings.texts { compiler.note(text) }
            return Finding(digest: hash.text, reading: plan.identity(choice))
        }
        let digest = try known.reading.digest { (hash) throws(AssayError) in
            let warnings = Warnings()
            let input = try TraceInput.open(path, hashingInto: hash, limit, warn: warnings.append)
            try reader.read(input, known.plan, into: &compiler)
            for text in warnings.texts { compiler.note(text) }
        }
        return Finding(digest: digest, reading: known.plan.identity(choice))
    }

    private final class StreamedBytes {
        var count = 0
    }
}

/// What a decompressor warns of.
private final class Warnings {
    private(set) var texts: [String] = []

    func append(_ text: String) { texts.append(text) }
}

/// Reads one input to its end.
private struct PartReader {
    let choice: FormatChoice
    let limit: ExpansionLimit
    let recognised: (String, TraceFormatSelection) -> Void

    func read(
        _ input: consuming ByteStream, _ plan: InputPlan, into compiler: inout TraceCompiler
    ) throws(AssayError) {
        switch plan {
        case .file(let selected):
            let name = input.name
            try selected.compile(&input, into: &compiler)
            try compiler.endPart(named: name, hasBytes: input.offset > 0)
        case .archive:
            try readMembers(TarArchive(input), into: &compiler)
        }
    }

    private func readMembers(_ archive: TarArchive, into compiler: inout TraceCompiler) throws(AssayError) {
        var count = 0
        while let member = try archive.next() {
            count += 1
            let warnings = Warnings()
            var input = try TraceInput.open(
                named: "\(archive.name):\(member.name)",
                { (buffer) throws(AssayError) in try archive.read(into: buffer) },
                bytesMax: { _ in limit.contentBytes(ofFileBytes: member.sizeBytes) }, warn: warnings.append)
            // An empty file has no content to recognise, and no requests.
            if try input.fill(atLeast: 1) > 0 {
                let selected = try choice.selection(&input)
                recognised(input.name, selected)
                try selected.compile(&input, into: &compiler)
            }
            for text in warnings.texts { compiler.note("\(member.name): \(text)") }
            try compiler.endPart(named: input.name, hasBytes: true)
        }
        for text in try archive.finish() { compiler.note(text) }
        if count == 0 { compiler.note("The archive has no files.") }
    }
}
