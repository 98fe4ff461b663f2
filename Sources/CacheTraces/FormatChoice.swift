internal import CacheCore

/// How the format of each file of a trace is chosen: it is named for all, or recognised in each.
struct FormatChoice {
    /// The format that a person named; nil to go by content and ending.
    let named: TraceFormatSelection?
    /// The formats that can be recognised.
    let formats: [TraceFormatEntry]

    /// Takes a format as on the command line; nil or `auto` to recognise it.
    ///
    /// - Throws: `AssayError` with code `usage` for a format or parameters that do not exist.
    init(_ format: String?, among formats: [TraceFormatEntry]) throws(AssayError) {
        self.formats = formats
        named =
            if let format, format != "auto" { try TraceFormatSelection(parsing: format, among: formats) } else { nil }
        // A wrong parameter must show before a file is read.
        if let named { _ = try named.entry.makeFormat(named.parameters) }
    }

    /// The format of one file, whose bytes stay in the input.
    ///
    /// - Throws: `AssayError` with code `usage` if nothing tells it, `badInput` if there are no bytes to tell it.
    func selection(_ input: inout ByteStream) throws(AssayError) -> TraceFormatSelection {
        if let named { return named }
        let bytes = try ContentCheck.sample(&input)
        let sample = TraceSample(bytes, isWhole: bytes.count < ContentCheck.sampleBytes)
        let selected = try TraceFormatSelection(recognising: sample, ofFile: input.name, among: formats)
        _ = try selected.entry.makeFormat(selected.parameters)
        return selected
    }
}

/// How one input is read: in one format, or as an archive whose members have formats of their own.
enum InputPlan {
    /// A file of one format.
    case file(TraceFormatSelection)
    /// A tar archive.
    case archive

    /// Looks at the first bytes of an input, which stay in it.
    init(_ input: inout ByteStream, _ choice: FormatChoice) throws(AssayError) {
        self = try TarArchive.isOne(&input) ? .archive : .file(choice.selection(&input))
    }

    /// What tells readings of the same bytes apart.
    func identity(_ choice: FormatChoice) -> String {
        switch self {
        case .file(let selected): selected.identity
        case .archive:
            // Other formats may recognise its members otherwise.
            "tar\n"
                + (choice.named?.identity
                    ?? choice.formats.map { "\($0.descriptor.name) \($0.descriptor.revision)\n" }.joined())
        }
    }
}

extension TraceFormatSelection {
    /// The format with its revision and every parameter.
    var identity: String {
        let revision = entry.descriptor.revision == 0 ? "" : "revision \(entry.descriptor.revision)\n"
        return "\(entry.descriptor.name)\n\(parameters.description)\n\(revision)"
    }
}
