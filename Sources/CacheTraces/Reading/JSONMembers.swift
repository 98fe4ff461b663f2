internal import CacheCore

/// Which members of a JSON object mean what.
struct JSONMembers: Sendable {
    /// The members that make the key, joined; empty if nobody has said.
    var key: [String] = []
    var size, time, timeToLive, cost, operation, tenant, status: String?
    /// What the numbers of times and of times to live count, as powers of ten of a second below one.
    var timeDecimals = 9
    var timeToLiveDecimals = 9

    static let parameters: [ParameterSpecification] = [
        ParameterSpecification(
            "key", .text(default: ""),
            "The member that names the object, with dots as request.uri; several joined by '+' make one key."),
        ParameterSpecification("size", .text(default: ""), "The member of the size in bytes."),
        ParameterSpecification("time", .text(default: ""), "The member of the time: a number, or a date and a time."),
        ParameterSpecification(
            "time-unit", .choice(default: "s", ["s", "ms", "us", "ns"]), "What a time that is a number counts."),
        ParameterSpecification(
            "ttl", .text(default: ""), "The member of the time to live; 0, less or nothing is without end."),
        ParameterSpecification(
            "ttl-unit", .choice(default: "s", ["s", "ms", "us", "ns"]), "What the time to live counts."),
        ParameterSpecification("cost", .text(default: ""), "The member of what a miss costs, in any unit."),
        ParameterSpecification(
            "op", .text(default: ""), "The member of the operation (get, set, delete and their kin) or the HTTP method."
        ),
        ParameterSpecification("tenant", .text(default: ""), "The member that says who asks."),
        ParameterSpecification("status", .text(default: ""), "The member of the HTTP status."),
    ]

    init() {}

    init(_ parameters: ParameterValues) {
        key = parameters.text("key").split(separator: "+").map(String.init)
        func member(_ name: String) -> String? { parameters.text(name).isEmpty ? nil : parameters.text(name) }
        func decimals(_ name: String) -> Int { ["s": 9, "ms": 6, "us": 3][parameters.text(name)] ?? 0 }
        (size, time, timeToLive, cost) = (member("size"), member("time"), member("ttl"), member("cost"))
        (operation, tenant, status) = (member("op"), member("tenant"), member("status"))
        (timeDecimals, timeToLiveDecimals) = (decimals("time-unit"), decimals("ttl-unit"))
    }

    /// Whether a line is a request over HTTP, which the rules of web logs judge.
    var isWeb: Bool { status != nil || operation.map(Self.isMethod) == true }

    /// The members without the key, in an order that ``JSONRequests`` knows.
    var others: [String?] { [size, time, timeToLive, cost, operation, tenant, status] }

    /// The parameters that name ``others``.
    static let roles = ["size", "time", "ttl", "cost", "op", "tenant", "status"]

    /// How far behind the likeliest name for an object a guessed key is.
    var keyRank: Int { Self.keys.firstIndex(of: key[0]) ?? 0 }

    /// The members by their parameters, as on the command line.
    var description: String {
        var parts = zip(Self.roles, others).compactMap { name, member in member.map { "\(name)=\($0)" } }
        for (name, decimals) in [("time-unit", timeDecimals), ("ttl-unit", timeToLiveDecimals)] {
            if let unit = [6: "ms", 3: "us", 0: "ns"][decimals] { parts.append("\(name)=\(unit)") }
        }
        return (["key=\(key.joined(separator: "+"))"] + parts).joined(separator: ",")
    }

    /// The members of a line that have usual names; nil if none names an object.
    ///
    /// - Throws: `LineFault` for a line that is no JSON object.
    static func guess(_ line: UnsafeRawBufferPointer) throws(LineFault) -> JSONMembers? {
        var reader = JSONLineReader(candidates)
        try reader.read(line)
        func first(_ names: [String]) -> String? {
            names.first { name in
                candidates.firstIndex(of: name).flatMap { reader.value($0, in: line) }.map { $0.text.count > 0 } == true
            }
        }
        guard let key = first(keys) else { return nil }
        var members = JSONMembers()
        members.key = [key]
        (members.size, members.time, members.timeToLive) = (first(sizes), first(times), first(timesToLive))
        (members.cost, members.operation, members.tenant) = (first(["cost"]), first(operations), first(["tenant"]))
        func number(_ name: String) -> Double? {
            candidates.firstIndex(of: name).flatMap { reader.value($0, in: line) }.flatMap { Fields.real($0.text) }
        }
        if members.operation.map(isMethod) != false, let status = first(statuses), let value = number(status),
            (100..<1000).contains(value)
        {
            members.status = status
        }
        if let value = members.time.flatMap(number) {
            members.timeDecimals = abs(value) >= 1e17 ? 0 : abs(value) >= 1e14 ? 3 : abs(value) >= 1e11 ? 6 : 9
        }
        return members
    }

    private static func isMethod(_ name: String) -> Bool {
        let lower = name.lowercased()
        return lower.hasSuffix("method") || lower.hasSuffix("verb")
    }

    private static let keys = [
        "key", "cache_key", "cacheKey", "obj_id", "object_id", "objectId", "object", "request.uri", "request_uri",
        "requestUri", "ClientRequestURI", "httpRequest.requestUrl", "cs-uri-stem", "RequestPath", "request_url", "url",
        "uri", "request_path", "path", "request", "id", "block", "lba",
    ]
    private static let sizes = [
        "size", "size_bytes", "obj_size", "object_size", "value_size", "body_bytes_sent", "bytes_sent",
        "response_body_size", "DownstreamContentSize", "EdgeResponseBytes", "sc-bytes", "httpRequest.responseSize",
        "response_size", "bytes",
    ]
    private static let times = [
        "ts", "timestamp", "@timestamp", "start_time", "time", "time_iso8601", "time_local", "msec", "StartUTC",
        "EdgeStartTimestamp",
    ]
    private static let timesToLive = ["ttl"]
    private static let operations = [
        "op", "operation", "request.method", "request_method", "RequestMethod", "ClientRequestMethod",
        "httpRequest.requestMethod", "cs-method", "method",
    ]
    private static let statuses = [
        "status", "response_status", "response_code", "status_code", "DownstreamStatus", "EdgeResponseStatus",
        "sc-status", "httpRequest.status",
    ]
    private static let candidates =
        keys + sizes + times + timesToLive + operations + statuses + ["cost", "tenant"]
}
