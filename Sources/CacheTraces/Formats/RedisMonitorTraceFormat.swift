public import CacheCore

/// What Redis's `MONITOR` prints: `1795646250.716747 [0 127.0.0.1:55234] "GET" "user:2"`.
///
/// Each key of a command is a request: MGET of three keys is three reads. Commands without keys, scripts, and those that ask about
/// a key without touching it (TTL, TYPE, OBJECT) are passed over and counted; what a script calls is in the log by itself. EXPIRE
/// writes the key with its time to live; one that is over removes it. Keys of another database than 0 are joined to its number.
public struct RedisMonitorTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "redis-monitor", aliases: ["redis", "monitor"],
        summary: "Redis's MONITOR: 'time [db client] \"GET\" \"key\"'; each key of a command is a request.",
        citation: "Redis, MONITOR",
        parameters: [
            ParameterSpecification(
                "tenant", .choice(default: "db", ["db", "client"]),
                "Who a request is of: the database, or the client's address without its port."),
            ParameterSpecification(
                "sizes", .flag,
                "Whether SET and its kin tell sizes, their values' lengths; reads then take the last one told."),
        ])

    private let tenantIsClient: Bool
    private let hasSizes: Bool
    private var sizes = KnownSizes()
    /// The arguments of a line, decoded, one after the other, and where each one ends.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    /// Takes the parameters.
    public init(_ parameters: ParameterValues) {
        tenantIsClient = parameters.text("tenant") == "client"
        hasSizes = parameters.flag("sizes")
    }

    /// The monitor is stopped in the middle of a line.
    public static var isLog: Bool { true }

    /// Recognises the time, the database with the client, and the command in quotes.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        let isOne = sample.areLogLines { (try? Line($0)) != nil || isReply($0) }
        return isOne && sample.lines.contains { (try? Line($0)) != nil } ? Recognition(.certain) : nil
    }

    /// What the server says before its first line.
    private static func isReply(_ line: UnsafeRawBufferPointer) -> Bool {
        line.elementsEqual("OK".utf8) || line.elementsEqual("+OK".utf8)
    }

    /// Reads a line.
    public mutating func read(
        _ line: UnsafeRawBufferPointer, into requests: inout LineRequests
    ) throws(LineFault) {
        guard !Self.isReply(line) else { return }
        let line = try Line(line)
        try decode(line)
        let arguments = bytes
        let ends = ends
        try arguments.lend { (bytes) throws(LineFault) in
            try append(line, ends.count - 1, &requests) { place in
                UnsafeRawBufferPointer(rebasing: bytes[(place < 0 ? 0 : ends[place])..<ends[place + 1]])
            }
        }
    }

    /// - Parameter argument: An argument by its place from 0; the command is at -1.
    private mutating func append(
        _ line: Line, _ count: Int, _ requests: inout LineRequests, _ argument: (Int) -> UnsafeRawBufferPointer
    ) throws(LineFault) {
        guard let command = RedisCommand(argument(-1)) else { return requests.passOver(Self.shown(argument(-1))) }
        guard let places = command.places(among: count, argument) else {
            return requests.passOver("\(Self.shown(argument(-1))) without its keys")
        }
        guard places.count <= RedisCommand.keysMax else { throw LineFault(expected: "a command of at most 2^20 keys") }
        let timeToLive = command.timeToLive(among: count, now: line.timeNanoseconds, argument)
        let tenant = tenantIsClient ? line.host : line.database
        for (place, operation) in places {
            var attributes = RequestAttributes(timeNanoseconds: line.timeNanoseconds, operation: operation)
            if let timeToLive {
                if timeToLive > 0 {
                    attributes.timeToLiveNanoseconds = timeToLive
                } else {
                    attributes.operation = .remove
                }
            }
            let value = hasSizes ? command.value(of: place, among: count).map { UInt64(argument($0).count) } : nil
            let key = argument(place)
            if let database = line.otherDatabase {
                var joined = JoinedKey()
                joined.append(database)
                joined.append(key)
                joined.bytes.withUnsafeBytes { send($0, attributes, value, tenant, &requests) }
            } else if key.count > 0 {
                send(key, attributes, value, tenant, &requests)
            } else {
                requests.passOver("an empty key")
            }
        }
    }

    private mutating func send(
        _ key: UnsafeRawBufferPointer, _ attributes: RequestAttributes, _ value: UInt64?,
        _ tenant: UnsafeRawBufferPointer, _ requests: inout LineRequests
    ) {
        var attributes = attributes
        if hasSizes { attributes.sizeBytes = size(of: key, value, &requests) }
        requests.append(key, attributes, tenant: tenant)
    }

    private mutating func size(
        of key: UnsafeRawBufferPointer, _ value: UInt64?, _ requests: inout LineRequests
    ) -> UInt64 {
        if let value {
            sizes[key] = value
            return value
        }
        let known = sizes[key]
        if known == nil {
            requests.remark("No earlier line told the size, which counts as 0 bytes", "a command without a value")
        }
        return known ?? 0
    }

    private mutating func decode(_ line: Line) throws(LineFault) {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        var index = 0
        while index < line.command.count {
            guard line.command[index] == 0x22, let end = EscapedText.end(in: line.command, from: index + 1),
                end + 1 == line.command.count || line.command[end + 1] == 0x20
            else {
                throw LineFault(
                    UnsafeRawBufferPointer(rebasing: line.command[index...]),
                    expected: "arguments in quotes, each of which ends before the line does")
            }
            EscapedText.append(UnsafeRawBufferPointer(rebasing: line.command[(index + 1)..<end]), to: &bytes)
            ends.append(bytes.count)
            index = end + 2
        }
    }

    private static func shown(_ command: UnsafeRawBufferPointer) -> String {
        let isWord = command.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5a).contains($0 & 0xdf) || $0 == 0x2e
        }
        guard isWord, (1...24).contains(command.count) else { return "unknown command" }
        return String(decoding: command, as: UTF8.self).uppercased()
    }

    /// A line in its parts.
    private struct Line {
        let timeNanoseconds: Int64
        let database: UnsafeRawBufferPointer
        /// The client's address without its port; `lua` for a script.
        let host: UnsafeRawBufferPointer
        /// The command and its arguments in quotes.
        let command: UnsafeRawBufferPointer

        /// The database, unless it is 0.
        var otherDatabase: UnsafeRawBufferPointer? { database.elementsEqual([0x30]) ? nil : database }

        init(_ line: UnsafeRawBufferPointer) throws(LineFault) {
            let text = UnsafeRawBufferPointer(rebasing: line.first == 0x2b ? line.dropFirst() : line[...])
            guard let open = text.firstIndex(of: 0x5b), open > 1, text[open - 1] == 0x20,
                let time = Fields.fixedPoint(UnsafeRawBufferPointer(rebasing: text[..<(open - 1)]), decimals: 9),
                let blank = text[open...].firstIndex(of: 0x20),
                Fields.integer(UnsafeRawBufferPointer(rebasing: text[(open + 1)..<blank])) != nil,
                let close = Self.close(text, from: blank)
            else {
                throw LineFault(expected: "a line of MONITOR: 1795646250.716747 [0 127.0.0.1:55234] \"GET\" \"key\"")
            }
            timeNanoseconds = time
            database = UnsafeRawBufferPointer(rebasing: text[(open + 1)..<blank])
            let client = text[(blank + 1)..<close]
            let colon = client.starts(with: "unix:".utf8) ? nil : client.lastIndex(of: 0x3a)
            host = UnsafeRawBufferPointer(rebasing: client[..<(colon ?? close)])
            command = UnsafeRawBufferPointer(rebasing: text[(close + 2)...])
        }

        /// The bracket before the command; a client's address has brackets of its own in IPv6.
        private static func close(_ text: UnsafeRawBufferPointer, from start: Int) -> Int? {
            text[start...].indices.first { index in
                text[index] == 0x5d && index + 2 < text.count && text[index + 1] == 0x20 && text[index + 2] == 0x22
            }
        }
    }
}
