public import CacheCore

/// A JSON object a line, whose members say what it asks for: `json-lines:key=request.uri,size=size,time=ts`.
///
/// Where no key is named, usual names are looked for in the first line that has one, among them those of Caddy, Envoy, nginx,
/// Traefik, Cloudflare and Google Cloud, and it is told which were taken. Lines without the key are passed over. Lines with a
/// status or a method are judged as all web logs are.
public struct JSONLinesTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "json-lines", aliases: ["jsonl", "ndjson", "json"],
        summary:
            "A JSON object a line: key=request.uri,size=size,time=ts,op=request.method,status=status; usual names are found.",
        citation: "RFC 8259", parameters: JSONMembers.parameters + WebRules.parameters,
        fileExtensions: ["jsonl", "ndjson"])

    /// How many lines without a usual name are passed over before the file is refused.
    private static let guessesMax = 200
    /// In how many lines behind the one by which the members were guessed others are looked for.
    private static let checksMax = 1000

    private var requests: JSONRequests?
    private let given: JSONMembers
    private let rules: WebRules
    /// The parameters that are given and must have something to act on.
    private let asked: Set<String>
    private var guesses = 0
    private var found: [String] = []
    private var guess: JSONMembers?
    private var checks = 0
    private var unread: Set<String> = []

    /// Takes the members.
    ///
    /// - Throws: `AssayError` with code `usage` for members without a key, and statuses that are none.
    public init(_ parameters: ParameterValues) throws(AssayError) {
        given = JSONMembers(parameters)
        rules = try WebRules(parameters, format: "json-lines")
        asked = Set(["time-unit", "ttl-unit", "statuses", "writes"].filter(parameters.isGiven))
        if given.key.isEmpty {
            guard given.others.allSatisfy({ $0 == nil }) else {
                throw AssayError(
                    .usage,
                    "json-lines: members are named and the key is not. Add key=NAME, or name none to have all guessed.")
            }
        } else {
            if let idle = idle(given) { throw AssayError(.usage, "json-lines: \(idle).") }
            requests = JSONRequests(given, rules)
        }
    }

    /// Which parameter was given and acts on nothing, and how to mend that; nil for none.
    private func idle(_ members: JSONMembers) -> String? {
        let isWeb = members.isWeb || members.key == ["request"]
        for (name, acts, what) in [
            ("time-unit", members.time != nil, "the member of time=NAME"),
            ("ttl-unit", members.timeToLive != nil, "the member of ttl=NAME"),
            ("statuses", members.status != nil, "the member of status=NAME"),
            ("writes", isWeb, "lines with status=NAME, or op=NAME whose name ends in method or verb"),
        ] where asked.contains(name) && !acts {
            return "\(name)= acts on \(what), and there is none; name the key too, by key=NAME"
        }
        return nil
    }

    /// A server goes on writing while its log is copied.
    public static var isLog: Bool { true }

    /// Recognises lines in braces, of which one of the first has a usual name for its object.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        guard sample.areLogLines({ $0.first == 0x7b && $0.last == 0x7d }),
            let first = sample.lines.first(where: { $0.first == 0x7b })
        else { return nil }
        var reader = JSONLineReader([])
        guard (try? reader.read(first)) != nil else { return nil }
        let isKnown = sample.lines.prefix(20).contains { (try? JSONMembers.guess($0)).flatMap(\.self) != nil }
        return Recognition(isKnown ? .certain : .likely)
    }

    /// Reads a line.
    public mutating func read(
        _ line: UnsafeRawBufferPointer, into requests: inout LineRequests
    ) throws(LineFault) {
        if self.requests == nil {
            guard var guess = try JSONMembers.guess(line) else { return try passOverUnknown(line, &requests) }
            if let idle = idle(guess) { throw LineFault(expected: "what the format's parameters are for: \(idle)") }
            if asked.contains("time-unit") { guess.timeDecimals = given.timeDecimals }
            if asked.contains("ttl-unit") { guess.timeToLiveDecimals = given.timeToLiveDecimals }
            self.requests = JSONRequests(guess, rules)
            self.guess = guess
            requests.note(
                "The members were guessed from their names: \(guess.description.replacing("\t", with: " ")). "
                    + "Name others as --format json-lines:key=NAME.")
        }
        if let guess, checks < Self.checksMax { try check(guess, line) }
        try self.requests?.read(line, into: &requests)
    }

    /// Looks for members that mean something and that the line lacked by which the others were guessed.
    private mutating func check(_ guess: JSONMembers, _ line: UnsafeRawBufferPointer) throws(LineFault) {
        checks += 1
        guard let here = try JSONMembers.guess(line) else { return }
        guard here.key == guess.key || here.keyRank > guess.keyRank else {
            throw LineFault(
                expected:
                    "the object in the member '\(guess.key[0])', as in an earlier line; here it is rather '\(here.key[0])'. "
                    + "Say which by --format json-lines:key=NAME")
        }
        for (name, (old, new)) in zip(JSONMembers.roles, zip(guess.others, here.others)) where old == nil {
            if let new { unread.insert("\(name)=\(new)") }
        }
    }

    private mutating func passOverUnknown(
        _ line: UnsafeRawBufferPointer, _ requests: inout LineRequests
    ) throws(LineFault) {
        if found.isEmpty {
            var reader = JSONLineReader([], keepsFound: true)
            try reader.read(line)
            found = reader.found
        }
        guesses += 1
        guard guesses < Self.guessesMax else { throw unknown }
        requests.passOver("no member names an object")
    }

    private var unknown: LineFault {
        LineFault(
            expected:
                "a member that names the object, as key, url or request.uri. Name it with --format json-lines:key=NAME; "
                + "the members are \(found.joined(separator: ", "))")
    }

    /// Refuses a file of which no line has the key.
    public mutating func finish(_ requests: inout LineRequests) throws(LineFault) {
        guard let read = self.requests else {
            if guesses > 0 { throw unknown }
            return
        }
        if let missing = read.neverSeen {
            throw LineFault(
                expected: "the member '\(missing.member)' in at least one line. "
                    + "Name the right one with \(missing.parameter)=NAME")
        }
        if let guess, !unread.isEmpty {
            let names = unread.sorted().joined(separator: ",")
            requests.note(
                "Members that the line lacked by which the others were guessed are not read. With them it is "
                    + "--format json-lines:\(guess.description.replacing("\t", with: " ")),\(names).")
        }
    }
}
