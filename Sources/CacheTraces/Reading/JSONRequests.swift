internal import CacheCore

/// Turns lines of JSON into requests by the members that mean something.
struct JSONRequests: Sendable {
    private let members: JSONMembers
    private let isWeb: Bool
    private var rules: WebRules
    private var reader: JSONLineReader
    /// The place of each member but the key's among those that the reader looks for; nil if it is not asked for.
    private let size, time, timeToLive, cost, operation, tenant, status: Int?
    private var key = JoinedKey()
    private var sizes = KnownSizes()
    private var lines = 0
    private var keys = 0
    private var answers = 0
    private var hasStatus = false
    private var accepted = 0
    private var hasTimeToLive = false
    private static let get: StaticString = "GET"

    init(_ members: JSONMembers, _ rules: WebRules) {
        self.members = members
        self.rules = rules
        isWeb = members.isWeb
        var names = members.key
        let places = members.others.map { (member: String?) -> Int? in
            guard let member else { return nil }
            names.append(member)
            return names.count - 1
        }
        (size, time, timeToLive, cost) = (places[0], places[1], places[2], places[3])
        (operation, tenant, status) = (places[4], places[5], places[6])
        reader = JSONLineReader(names)
    }

    /// A member that is named and that no line had where it was looked for, and the parameter that names it.
    var neverSeen: (parameter: String, member: String)? {
        if lines > 0, keys == 0 { return ("key", members.key.joined(separator: "+")) }
        if let status = members.status, answers > 0, !hasStatus { return ("status", status) }
        if let timeToLive = members.timeToLive, accepted > 0, !hasTimeToLive { return ("ttl", timeToLive) }
        return nil
    }

    /// Reads a line.
    mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        try reader.read(line)
        lines += 1
        key.clear()
        for (index, name) in members.key.enumerated() {
            guard let value = reader.value(index, in: line), value.text.count > 0 else {
                return requests.passOver("no \(Fields.shown(name))")
            }
            // The bytes of a key of one member are not escaped as those of several are.
            guard members.key.count > 1 else { break }
            value.withText { key.append($0) }
        }
        keys += 1
        if members.key.count > 1 {
            let joined = key.bytes
            try joined.lend { (bytes) throws(LineFault) in try append(bytes, line, &requests) }
        } else if let value = reader.value(0, in: line) {
            guard value.isEscaped else { return try append(value.text, line, &requests) }
            let bytes = value.withText { Array($0) }
            try bytes.lend { (bytes) throws(LineFault) in try append(bytes, line, &requests) }
        }
    }

    private mutating func append(
        _ key: UnsafeRawBufferPointer, _ line: UnsafeRawBufferPointer, _ requests: inout LineRequests
    ) throws(LineFault) {
        var key = key
        var attributes = RequestAttributes()
        if isWeb || members.key == ["request"] {
            var answer = WebRules.Answer(method: UnsafeRawBufferPointer(start: Self.get.utf8Start, count: 3))
            if operation != nil {
                guard let method = value(operation, line) else { return requests.passOver("no method") }
                answer.method = method.text
            } else if members.key == ["request"], let parts = CombinedLine.parts(ofRequest: key) {
                (answer.method, key) = parts
            }
            answers += 1
            if let status = value(status, line) {
                hasStatus = true
                answer.status = try Self.status(status)
            }
            if size != nil { answer.bytes = try size(line) ?? 0 }
            guard let judged = rules.attributes(answer, key: key, &requests) else { return }
            attributes = judged
        } else {
            if operation != nil { attributes.operation = try operation(line) }
            if size != nil { attributes.sizeBytes = try size(of: key, line, &requests) }
        }
        attributes.timeNanoseconds = try time(line)
        accepted += 1
        if let value = value(timeToLive, line) {
            hasTimeToLive = true
            attributes.timeToLiveNanoseconds = try timeToLive(value, line)
        }
        if cost != nil {
            guard let text = value(cost, line)?.text, let cost = Fields.real(text), cost >= 0 else {
                throw missing(cost, line, "a cost: a number from 0")
            }
            attributes.cost = cost
        }
        guard tenant != nil else { return requests.append(key, attributes) }
        guard let tenant = value(tenant, line) else { throw missing(tenant, line, "a tenant: a string or a number") }
        guard tenant.isEscaped else { return requests.append(key, attributes, tenant: tenant.text) }
        let name = tenant.withText { Array($0) }
        try name.lend { (name) throws(LineFault) in requests.append(key, attributes, tenant: name) }
    }

    private func value(_ place: Int?, _ line: UnsafeRawBufferPointer) -> JSONScalar? {
        place.flatMap { reader.value($0, in: line) }
    }

    private func missing(_ place: Int?, _ line: UnsafeRawBufferPointer, _ expected: String) -> LineFault {
        let name = place.flatMap { place in members.others.compactMap(\.self)[place - members.key.count] } ?? ""
        guard let value = value(place, line) else {
            return LineFault(expected: "a member \(Fields.shown(name)), \(expected)")
        }
        return LineFault(value.text, expected: "\(expected), in the member \(Fields.shown(name))")
    }

    // MARK: - Values

    /// The size that a line tells; nil if it has none.
    private func size(_ line: UnsafeRawBufferPointer) throws(LineFault) -> UInt64? {
        guard let value = value(size, line), value.text.count > 0, !value.text.elementsEqual([0x2d]) else { return nil }
        let bytes = Fields.integer(value.text) ?? Fields.real(value.text).flatMap { UInt64(exactly: $0) }
        guard let bytes, bytes <= UInt64(Int.max) else {
            throw missing(size, line, "a size: a whole number of bytes below 2^63")
        }
        return bytes
    }

    /// The size that a line tells, or else the last one told of the object.
    private mutating func size(
        of key: UnsafeRawBufferPointer, _ line: UnsafeRawBufferPointer, _ requests: inout LineRequests
    ) throws(LineFault) -> UInt64 {
        if let size = try size(line) {
            sizes[key] = size
            return size
        }
        let known = sizes[key]
        requests.remark(
            "Lines without a size",
            known == nil ? "no earlier line told it, and 0 bytes count" : "an earlier line told it")
        return known ?? 0
    }

    private func operation(_ line: UnsafeRawBufferPointer) throws(LineFault) -> TraceOperation {
        guard let operation = value(operation, line)?.withText({ Fields.operation($0) }) ?? nil else {
            throw missing(self.operation, line, "an operation: get, set, delete or their kin")
        }
        return operation
    }

    private static func status(_ value: JSONScalar) throws(LineFault) -> Int {
        guard let status = Fields.integer(value.text), status < 1000 else {
            throw LineFault(value.text, expected: "an HTTP status from 0 to 999")
        }
        return Int(status)
    }

    private func time(_ line: UnsafeRawBufferPointer) throws(LineFault) -> Int64? {
        guard time != nil else { return nil }
        guard let value = value(time, line),
            let nanoseconds = value.withText({ text in
                Self.duration(text, members.timeDecimals) ?? LogTime.iso8601(text) ?? LogTime.commonLog(text)
                    ?? LogTime.http(text)
            })
        else {
            throw missing(time, line, "a time: a number that time-unit= fits, or as 2026-11-25T22:37:41Z")
        }
        return nanoseconds
    }

    private func timeToLive(_ value: JSONScalar, _ line: UnsafeRawBufferPointer) throws(LineFault) -> Int64? {
        guard value.text.count > 0 else { return nil }
        guard let timeToLive = Self.duration(value.text, members.timeToLiveDecimals) else {
            throw missing(self.timeToLive, line, "a time to live: a number that ttl-unit= fits")
        }
        return timeToLive > 0 ? timeToLive : nil
    }

    /// A number in nanoseconds, which it may write with an exponent.
    static func duration(_ text: UnsafeRawBufferPointer, _ decimals: Int) -> Int64? {
        if let value = Fields.fixedPoint(text, decimals: decimals) { return value }
        guard text.contains(where: { $0 | 0x20 == 0x65 }), let value = Fields.real(text) else { return nil }
        let scale: Double = [9: 1e9, 6: 1e6, 3: 1e3][decimals] ?? 1
        return Int64(exactly: (value * scale).rounded())
    }
}

extension Array where Element == UInt8 {
    /// Lends the bytes to a body that may find a fault with a line.
    func lend(_ body: (UnsafeRawBufferPointer) throws(LineFault) -> Void) throws(LineFault) {
        let result: Result<Void, LineFault> = withUnsafeBytes { pointer in
            do throws(LineFault) { return .success(try body(pointer)) } catch { return .failure(error) }
        }
        try result.get()
    }
}
