public import CacheCore

/// The requests of a trace as lines of comma-separated values.
public struct TraceRows {
    private let trace: CompiledTrace
    private let columns: RequestColumns
    private let tenants: [[UInt8]]
    private let attributes: [TraceAttribute]
    private let inNanoseconds: Bool

    /// The requests of a trace with what it says of them but for some attributes.
    ///
    /// - Parameter inNanoseconds: Whether times and times to live are whole nanoseconds rather than seconds with decimals.
    public init(
        _ trace: CompiledTrace, without excluded: Set<TraceAttribute> = [], inNanoseconds: Bool = false
    ) {
        self.trace = trace
        self.inNanoseconds = inNanoseconds
        columns = trace.columns
        tenants = trace.tenantNameBytes.map { Self.quoted($0) }
        let order: [TraceAttribute] = [.times, .tenants, .sizes, .operations, .timesToLive, .costs]
        attributes = order.filter { trace.attributes.contains($0) && !excluded.contains($0) }
    }

    private func name(_ attribute: TraceAttribute) -> String {
        switch attribute {
        case .times: inNanoseconds ? "time_ns" : "time"
        case .tenants: "tenant"
        case .sizes: "size"
        case .operations: "op"
        case .timesToLive: inNanoseconds ? "ttl_ns" : "ttl"
        case .costs: "cost"
        }
    }

    /// The names of the columns, in order; the key follows who asks and when.
    public var names: [String] {
        let before = attributes.prefix { $0 == .times || $0 == .tenants }
        return before.map(name) + ["key"] + attributes.dropFirst(before.count).map(name)
    }

    /// The line of the names.
    public var header: [UInt8] { Array((names.joined(separator: ",") + "\n").utf8) }

    /// The format that reads such lines.
    var format: String { "csv:" + names.map { "\($0)=\($0)" }.joined(separator: ",") + ",header" }

    /// Writes the line of the names and one for each request to a file that must not exist yet.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if the file exists or writing failed.
    public func write(to path: String) throws(AssayError) {
        try TraceOutput.create(path) { (output) throws(AssayError) in
            try output.write(header)
            for position in 0..<trace.requests { try output.write(row(at: position)) }
        }
    }

    /// The line of a request. O(length of the key).
    public func row(at position: Int) -> [UInt8] {
        var line: [UInt8] = []
        for (index, field) in fields(at: position).enumerated() {
            if index > 0 { line.append(0x2c) }
            line += field
        }
        line.append(0x0a)
        return line
    }

    /// The fields of a request, in the order of the names, quoted where they need it.
    public func fields(at position: Int) -> [[UInt8]] {
        let request = columns.request(at: position)
        var fields: [[UInt8]] = []
        var hasKey = false
        func key() -> [UInt8] {
            trace.integerKey(of: request.id).map { Array(String($0).utf8) } ?? Self.quoted(trace.key(of: request.id))
        }
        for attribute in attributes {
            if attribute != .times, attribute != .tenants, !hasKey {
                fields.append(key())
                hasKey = true
            }
            fields.append(field(attribute, request, position))
        }
        if !hasKey { fields.append(key()) }
        return fields
    }

    /// Whether a request is the same in another trace; without keys, whether it is for the same object by number.
    public func isSame(at position: Int, as other: TraceRows, comparesKeys: Bool) -> Bool {
        let (id, otherID) = (columns.ids[position], other.columns.ids[position])
        if comparesKeys {
            let (key, otherKey) = (trace.integerKey(of: id), other.trace.integerKey(of: otherID))
            guard key == otherKey, key != nil || trace.key(of: id) == other.trace.key(of: otherID) else { return false }
        } else if id != otherID {
            return false
        }
        let (request, otherRequest) = (columns.request(at: position), other.columns.request(at: position))
        return attributes.allSatisfy { attribute in
            guard other.attributes.contains(attribute) else { return true }
            switch attribute {
            case .sizes: return request.size == otherRequest.size
            case .times: return request.timeNanoseconds == otherRequest.timeNanoseconds
            case .timesToLive: return request.timeToLiveNanoseconds == otherRequest.timeToLiveNanoseconds
            case .costs: return request.cost == otherRequest.cost
            case .operations: return columns.operation(at: position) == other.columns.operation(at: position)
            case .tenants: return tenant(at: position) == other.tenant(at: position)
            }
        }
    }

    private func tenant(at position: Int) -> [UInt8] { columns.tenants.map { tenants[Int($0[position])] } ?? [] }

    private func field(_ attribute: TraceAttribute, _ request: Request, _ position: Int) -> [UInt8] {
        switch attribute {
        case .sizes: return Array(String(request.size).utf8)
        case .times: return time(request.timeNanoseconds)
        case .timesToLive:
            let timeToLive = request.timeToLiveNanoseconds
            return timeToLive == 0 ? [] : time(timeToLive)
        case .costs: return Array("\(request.cost)".utf8)
        case .operations:
            switch columns.operation(at: position) {
            case .read: return Array("get".utf8)
            case .write: return Array("set".utf8)
            case .remove: return Array("delete".utf8)
            }
        case .tenants: return tenant(at: position)
        }
    }

    private func time(_ nanoseconds: Int64) -> [UInt8] {
        Array((inNanoseconds ? String(nanoseconds) : Self.seconds(nanoseconds)).utf8)
    }

    /// A number of nanoseconds as seconds, without needless zeros: `12.5`.
    static func seconds(_ nanoseconds: Int64) -> String {
        let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        var text = (nanoseconds < 0 ? "-" : "") + String(whole)
        guard rest > 0 else { return text }
        var decimals = String(rest)
        decimals = String(repeating: "0", count: 9 - decimals.count) + decimals
        while decimals.last == "0" { decimals.removeLast() }
        text += "." + decimals
        return text
    }

    /// A field in quotes where it has a separator, a quote, the end of a line, or spaces at its ends.
    private static func quoted(_ field: [UInt8]) -> [UInt8] {
        let needsQuotes =
            field.contains { [0x2c, 0x22, 0x0a, 0x0d].contains($0) } || field.first == 0x20 || field.last == 0x20
            || field.isEmpty
        guard needsQuotes else { return field }
        return [0x22] + field.flatMap { $0 == 0x22 ? [0x22, 0x22] : [$0] } + [0x22]
    }
}
