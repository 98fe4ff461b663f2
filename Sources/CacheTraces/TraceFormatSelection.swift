public import CacheCore

/// A format with its parameters, as asked for or as told by a file's name.
public struct TraceFormatSelection: Sendable {
    /// The format.
    public let entry: TraceFormatEntry
    /// Its parameters.
    public let parameters: ParameterValues
    /// Who decided.
    public let origin: Origin
    /// What to tell of the trace beside its format, no whole sentence; nil for nothing.
    public let remark: String?

    /// Who decided on a format.
    public enum Origin: Sendable, Hashable {
        /// A person named it.
        case named
        /// The ending of the file's name.
        case ending
        /// The first bytes of the trace.
        case content
    }

    /// The format that a text like `csv:key=2,size=3,header` names.
    ///
    /// - Throws: `AssayError` with code `usage` for an unknown name or parameter; the message suggests the nearest.
    public init(
        parsing text: String, among formats: [TraceFormatEntry] = BuiltinTraceFormats.all
    ) throws(AssayError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].lowercased()
        let found = formats.first { $0.descriptor.name == name || $0.descriptor.aliases.contains(name) }
        guard let found else {
            let names = formats.flatMap { [$0.descriptor.name] + $0.descriptor.aliases }
            let near = nearestName(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
            throw AssayError(
                .usage, "No trace format is named '\(parts[0])'. The formats are \(Self.list(formats)).\(near)",
                at: AssayError.Location("--format"))
        }
        entry = found
        parameters = try ParameterValues(
            parsing: parts.count > 1 ? parts[1] : "", for: found.descriptor.parameters, of: found.descriptor.name)
        origin = .named
        remark = nil
    }

    /// The format that a file's name tells, once its compression ending is taken off; the longest ending wins.
    ///
    /// - Throws: `AssayError` with code `usage` if the name tells none.
    public init(
        forFile path: String, among formats: [TraceFormatEntry] = BuiltinTraceFormats.all
    ) throws(AssayError) {
        let name = TraceInput.contentName(path).lowercased()
        var best: (length: Int, entry: TraceFormatEntry)?
        for entry in formats {
            for ending in entry.descriptor.fileExtensions where name.hasSuffix("." + ending) {
                if ending.count > best?.length ?? 0 { best = (ending.count, entry) }
            }
        }
        guard let best else {
            throw AssayError(
                .usage,
                "Neither the content nor the name of the file tells its format. Name it with --format: \(Self.list(formats)).",
                at: AssayError.Location(path))
        }
        entry = best.entry
        parameters = ParameterValues(defaults: best.entry.descriptor.parameters)
        origin = .ending
        remark = nil
    }

    /// Endings that many formats have: what the content hardly can be other than goes before them.
    private static let vagueEndings: Set<String> = ["trace", "trc"]

    /// The format of a trace that begins with these bytes: what the bytes say for certain goes before the ending of the file's
    /// name, and that before what they could be. The parameters are those with which the format recognises them.
    ///
    /// - Throws: `AssayError` with code `usage` if nothing tells the format, or several are as sure.
    public init(
        recognising sample: TraceSample, ofFile path: String,
        among formats: [TraceFormatEntry] = BuiltinTraceFormats.all
    ) throws(AssayError) {
        let found = formats.compactMap { entry in entry.recognise(sample).map { (entry: entry, recognition: $0) } }
        let certainty = found.map(\.recognition.certainty).max()
        let best = found.filter { $0.recognition.certainty == certainty }
        let byEnding = Result { () throws(AssayError) in try TraceFormatSelection(forFile: path, among: formats) }
        if case .success(let selected) = byEnding {
            let name = selected.entry.descriptor.name
            let isAmongBest = best.contains { $0.entry.descriptor.name == name }
            let isOverruled = certainty == .certain || certainty == .likely && Self.hasVagueEnding(path)
            if !isOverruled || isAmongBest {
                let recognised = found.first { $0.entry.descriptor.name == name }?.recognition
                self = try selected.reading(as: recognised)
                return
            }
        }
        guard let first = best.first else {
            do throws(AssayError) { self = try byEnding.get() } catch {
                var error = error
                error.message = ContentCheck.objection(sample.bytes) ?? error.message
                throw error
            }
            return
        }
        guard best.count == 1 else {
            let names = best.map { "--format \($0.entry.descriptor.name)" }.joined(separator: " or ")
            throw AssayError(
                .usage, "The content may be of several formats. Say which: \(names).", at: AssayError.Location(path))
        }
        self.init(
            first.entry, try Self.parameters(first.recognition, of: first.entry), .content, first.recognition.remark)
    }

    private init(_ entry: TraceFormatEntry, _ parameters: ParameterValues, _ origin: Origin, _ remark: String?) {
        self.entry = entry
        self.parameters = parameters
        self.origin = origin
        self.remark = remark
    }

    private static func hasVagueEnding(_ path: String) -> Bool {
        vagueEndings.contains(
            TraceInput.contentName(path).lowercased().split(separator: ".").last.map(String.init) ?? "")
    }

    private static func parameters(
        _ recognition: Recognition, of entry: TraceFormatEntry
    ) throws(AssayError) -> ParameterValues {
        try ParameterValues(
            parsing: recognition.parameters, for: entry.descriptor.parameters, of: entry.descriptor.name)
    }

    /// The same format, with the parameters that the content tells.
    private func reading(as recognition: Recognition?) throws(AssayError) -> TraceFormatSelection {
        guard let recognition, !recognition.parameters.isEmpty else { return self }
        return TraceFormatSelection(entry, try Self.parameters(recognition, of: entry), .content, recognition.remark)
    }

    /// The format as it can be written again: `csv:key=2,header=true`.
    public var description: String {
        let given = parameters.givenDescription
        return entry.descriptor.name + (given.isEmpty ? "" : ":" + given)
    }

    /// Reads a whole input into the compiler.
    func compile(_ input: inout ByteStream, into compiler: inout TraceCompiler) throws(AssayError) {
        var toolOutput: String?
        do throws(AssayError) {
            let isPlain = entry.descriptor.name == PlainTraceFormat.descriptor.name
            if origin == .ending || origin == .content && isPlain { toolOutput = try checkGuess(&input) }
            try entry.compile(parameters, &input, into: &compiler)
            // A format may have ended before the file does.
            while try input.fill(atLeast: 1) > 0 { input.consume(input.buffered.count) }
        } catch {
            throw explaining(error.located(at: input.location), toolOutput)
        }
    }

    /// Refuses as keys what is surely none, since nobody has said that it is. Returns which tool's output the content is, nil if it is of
    /// none that is known.
    private func checkGuess(_ input: inout ByteStream) throws(AssayError) -> String? {
        let isPlain = entry.descriptor.name == PlainTraceFormat.descriptor.name
        if isPlain { try ContentCheck.requireText(&input) }
        let sample = try ContentCheck.sample(&input)
        let isWhole = sample.count < ContentCheck.sampleBytes
        guard isPlain else {
            let readsObjects = entry.descriptor.name == JSONLinesTraceFormat.descriptor.name
            return KnownText.toolOutput(sample, isWhole: isWhole, readsObjects: readsObjects)
        }
        guard let objection = KnownText.objectionToKeys(sample, isWhole: isWhole) else { return nil }
        throw AssayError(.badInput, objection, at: AssayError.Location(input.name, line: 1))
    }

    /// Says in a reader's error that the format was a guess, if it was.
    private func explaining(_ error: AssayError, _ toolOutput: String?) -> AssayError {
        // Damaged compression has a cause, and no other format would mend it.
        guard origin != .named, error.code == .badInput, error.cause == nil else { return error }
        var copy = error
        let says = error.message.contains("--format") ? "" : "; --format names another"
        copy.message +=
            " The file's \(origin == .ending ? "ending" : "content") was taken to mean '\(entry.descriptor.name)'\(says)."
        if let toolOutput { copy.message += " " + toolOutput }
        return copy
    }

    private static func list(_ formats: [TraceFormatEntry]) -> String {
        formats.map(\.descriptor.name).sorted().joined(separator: ", ")
    }
}
