public import CacheCore

/// libCacheSim's own binary format with a header, in all of its versions from 1 to 8.
///
/// Version 2 adds operations and tenants, version 3 sizes of 64 bits and times to live, and the others features, which no policy
/// here reads. A time to live of 0 or -1 is without end. Requests of size 0 are dropped unless `zero-sized=keep`. Counts of the header that
/// differ from what is read are told; the count of objects is not compared.
public struct LCSTraceFormat: TraceFormat {
    /// Name, parameter and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "lcs",
        summary: "A header of 8,192 bytes, then little-endian records of 24 to 100 bytes: versions 1 to 8.",
        citation: "libCacheSim", parameters: [RecordRules.zeroSized], fileExtensions: ["lcs"])

    private let rules: RecordRules

    /// Takes the parameter.
    public init(_ parameters: ParameterValues) { rules = RecordRules(parameters) }

    /// The header's mark tells.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        guard sample.bytes.count >= 16, let base = sample.bytes.baseAddress,
            base.little(0, UInt64.self) == LCSHeader.magic
        else { return nil }
        return Recognition(.certain)
    }

    /// Reads the header and every record.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        let header = try LCSHeader(&input)
        let version = header.version
        var rules = rules
        var tally = LCSHeader.Tally()
        try readRecords(of: header.recordBytes, in: &input, into: &sink) { (record, sink) throws(AssayError) in
            let seconds = Int64(record.little(0, UInt32.self))
            let size = version >= 3 ? record.little(12, Int64.self) : Int64(record.little(12, UInt32.self))
            guard size >= 0 else { return "Found a size of \(size) bytes; expected one from 0 on." }
            if tally.requests == 0 { tally.firstSecond = seconds }
            tally.lastSecond = seconds
            tally.requests += 1
            tally.bytes &+= size
            var attributes = RequestAttributes(sizeBytes: UInt64(size), timeNanoseconds: seconds * 1_000_000_000)
            if version >= 2 {
                let word = record.little(version == 2 ? 16 : 20, UInt32.self)
                let code = UInt64(word & 0xff)
                guard let operation = rules.operation(code) else { return RecordRules.unknownOperation(code) }
                switch operation {
                case .read: tally.reads += 1
                case .write: tally.writes += 1
                case .remove: tally.deletes += 1
                }
                attributes.operation = operation
                attributes.tenant = try rules.tenant(word >> 8, in: &sink)
            }
            if version >= 3 {
                attributes.timeToLiveNanoseconds = RecordRules.timeToLive(
                    seconds: Int64(record.little(24, UInt32.self)).signedIfAllOnes)
            }
            if size == 0, rules.dropsZeroSized() { return nil }
            try sink.append(integer: record.little(4, UInt64.self), attributes)
            return nil
        }
        rules.tell(&sink)
        if let difference = header.difference(from: tally) { sink.note(difference) }
    }
}

extension Int64 {
    /// -1 where all 32 bits are ones, as a time to live without end is written.
    fileprivate var signedIfAllOnes: Int64 { self == 0xffff_ffff ? -1 : self }
}
