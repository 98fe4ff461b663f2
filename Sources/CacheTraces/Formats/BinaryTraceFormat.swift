public import CacheCore

/// Binary records of one width whose fields are described as for Python's `struct`: `binary:format=<IQI,time=1,key=2,size=3`.
///
/// Fields are counted from 1; a repeat count makes several, and `x` none. A signed key keeps its bits, widened to 64; a key of `c` or `s` is
/// its bytes. An operation is one of libCacheSim's numbers, or a word of letters. A time to live of 0 or -1 is without end. Requests of size 0
/// are dropped unless `zero-sized=keep`.
public struct BinaryTraceFormat: TraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "binary",
        summary: "Records of one width, described as for Python's struct: format=<IQI,time=1,key=2,size=3.",
        citation: "libCacheSim; Python's struct",
        parameters: [
            ParameterSpecification(
                "format", .text(default: ""),
                "The fields: '<' (little-endian) or '>', then c b B ? h H i I l L q Q f d, s for bytes, x for padding."),
            ParameterSpecification("key", .text(default: ""), "The field of the key, from 1."),
            ParameterSpecification("size", .text(default: ""), "The field of the size in bytes."),
            ParameterSpecification("time", .text(default: ""), "The field of the time."),
            ParameterSpecification(
                "time-unit", .choice(default: "s", ["s", "ms", "us", "ns"]), "What the field of the time counts."),
            ParameterSpecification(
                "ttl", .text(default: ""), "The field of the time to live; 0 and -1 are without end."),
            ParameterSpecification(
                "ttl-unit", .choice(default: "s", ["s", "ms", "us", "ns"]), "What the field of the time to live counts."
            ),
            ParameterSpecification("cost", .text(default: ""), "The field of what a miss costs, in any unit."),
            ParameterSpecification("op", .text(default: ""), "The field of the operation."),
            ParameterSpecification("tenant", .text(default: ""), "The field of the tenant."),
            RecordRules.zeroSized,
        ])

    private typealias Field = StructLayout.Field

    private let layout: StructLayout
    private let key: Field
    private let size: Field?
    private let time: Field?
    private let timeUnit: Int64
    private let timeToLive: Field?
    private let timeToLiveUnit: Int64
    private let cost: Field?
    private let operation: Field?
    private let tenant: Field?
    private let rules: RecordRules

    /// Takes the layout and the fields.
    ///
    /// - Throws: `AssayError` with code `usage` for a layout that is not read, or a field that is none or holds no such value.
    public init(_ parameters: ParameterValues) throws(AssayError) {
        guard parameters.isGiven("format"), parameters.isGiven("key") else {
            throw AssayError(
                .usage,
                "binary: the fields and the key must be named: --format 'binary:format=<IQI,time=1,key=2,size=3'.")
        }
        let layout = try StructLayout(parsing: parameters.text("format"))
        func field(_ name: String, _ kinds: Set<StructLayout.Kind>, _ words: String) throws(AssayError) -> Field? {
            guard parameters.isGiven(name) else { return nil }
            guard let number = Int(parameters.text(name)), (1...layout.fields.count).contains(number) else {
                throw AssayError(
                    .usage,
                    "binary: \(name)=\(parameters.text(name)) is no field; the format has \(layout.fields.count), counted from 1."
                )
            }
            guard kinds.contains(layout.fields[number - 1].kind) else {
                throw AssayError(.usage, "binary: \(name)=\(number) is a field of another type; it must be \(words).")
            }
            return layout.fields[number - 1]
        }
        func unit(_ name: String) -> Int64 {
            ["s": 1_000_000_000, "ms": 1_000_000, "us": 1000][parameters.text(name)] ?? 1
        }
        guard let key = try field("key", [.unsigned, .signed, .bytes], "whole numbers or bytes") else {
            throw AssayError(.usage, "binary: key is the number of a field.")
        }
        self.layout = layout
        self.key = key
        size = try field("size", [.unsigned, .signed], "whole numbers")
        time = try field("time", [.unsigned, .signed, .float], "numbers")
        timeUnit = unit("time-unit")
        timeToLive = try field("ttl", [.unsigned, .signed, .float], "numbers")
        timeToLiveUnit = unit("ttl-unit")
        cost = try field("cost", [.unsigned, .signed, .float], "numbers")
        operation = try field("op", [.unsigned, .signed, .bytes], "whole numbers or bytes")
        tenant = try field("tenant", [.unsigned, .signed, .bytes], "whole numbers or bytes")
        rules = RecordRules(parameters)
    }

    /// Reads every record.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        var rules = rules
        let format = self
        try readRecords(of: layout.width, in: &input, into: &sink) { (record, sink) throws(AssayError) in
            try format.read(record, into: &sink, &rules)
        }
        rules.tell(&sink)
    }

    /// Reads one record; what it returns is wrong with it.
    private func read<Sink: TraceSink & ~Copyable>(
        _ record: UnsafeRawPointer, into sink: inout Sink, _ rules: inout RecordRules
    ) throws(AssayError) -> String? {
        var attributes = RequestAttributes()
        if let size {
            guard let bytes = Int64(exactly: layout.bits(size, of: record)) else {
                return "Found a size of \(shown(size, record)) bytes; expected one from 0 to 2^63."
            }
            attributes.sizeBytes = UInt64(bytes)
        }
        if let time {
            guard let nanoseconds = nanoseconds(time, timeUnit, record) else {
                return "Found a time of \(shown(time, record)); expected one within 292 years of its origin."
            }
            attributes.timeNanoseconds = nanoseconds
        }
        if let timeToLive {
            let isAllOnes =
                timeToLive.kind == .unsigned && layout.bits(timeToLive, of: record) == Self.ones(timeToLive.width)
            let found = isAllOnes ? -timeToLiveUnit : nanoseconds(timeToLive, timeToLiveUnit, record)
            guard let found, found >= 0 || found == -timeToLiveUnit else {
                return
                    "Found a time to live of \(shown(timeToLive, record)); expected one from 0 on, or -1 for without end."
            }
            attributes.timeToLiveNanoseconds = found > 0 ? found : nil
        }
        if let cost {
            attributes.cost = value(cost, record)
            guard let value = attributes.cost, value.isFinite, value >= 0 else {
                return "Found a cost of \(shown(cost, record)); expected a finite one from 0 on."
            }
        }
        if let operation {
            if operation.kind == .bytes {
                attributes.operation = Fields.operation(Self.word(layout.bytes(operation, of: record)))
            } else {
                attributes.operation = rules.operation(layout.bits(operation, of: record))
            }
            guard attributes.operation != nil else {
                return
                    "Found the operation \(shown(operation, record)); expected one of libCacheSim's numbers, from 0 to 15, "
                    + "or a word like get or W."
            }
        }
        if attributes.sizeBytes == 0, rules.dropsZeroSized() { return nil }
        if let tenant {
            if tenant.kind == .bytes {
                attributes.tenant = try sink.tenant(named: Self.word(layout.bytes(tenant, of: record)))
            } else {
                let name =
                    tenant.kind == .signed
                    ? "\(Int64(bitPattern: layout.bits(tenant, of: record)))" : "\(layout.bits(tenant, of: record))"
                attributes.tenant = try withBytes(Array(name.utf8)) { (name) throws(AssayError) in
                    try sink.tenant(named: name)
                }
            }
        }
        if key.kind == .bytes {
            try sink.append(bytes: layout.bytes(key, of: record), attributes)
        } else {
            try sink.append(integer: layout.bits(key, of: record), attributes)
        }
        return nil
    }

    private static func ones(_ width: Int) -> UInt64 { width < 8 ? 1 << UInt64(8 * width) - 1 : .max }

    /// A field of bytes without the zeros and blanks that fill it up.
    private static func word(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let end = bytes.lastIndex { $0 != 0 && $0 != 0x20 }.map { $0 + 1 } ?? 0
        return UnsafeRawBufferPointer(rebasing: bytes[..<end])
    }

    private func value(_ field: Field, _ record: UnsafeRawPointer) -> Double {
        switch field.kind {
        case .float: layout.real(field, of: record)
        case .signed: Double(Int64(bitPattern: layout.bits(field, of: record)))
        case .unsigned, .bytes: Double(layout.bits(field, of: record))
        }
    }

    /// A time in nanoseconds; nil if it is none or beyond 2^63.
    private func nanoseconds(_ field: Field, _ unit: Int64, _ record: UnsafeRawPointer) -> Int64? {
        guard field.kind != .float else { return Int64(exactly: (value(field, record) * Double(unit)).rounded()) }
        let bits = layout.bits(field, of: record)
        guard let count = field.kind == .signed ? Int64(bitPattern: bits) : Int64(exactly: bits) else { return nil }
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        return overflow ? nil : product
    }

    private func shown(_ field: Field, _ record: UnsafeRawPointer) -> String {
        switch field.kind {
        case .bytes: Fields.shown(layout.bytes(field, of: record))
        case .float: "\(layout.real(field, of: record))"
        case .signed: "\(Int64(bitPattern: layout.bits(field, of: record)))"
        case .unsigned: "\(layout.bits(field, of: record))"
        }
    }
}
