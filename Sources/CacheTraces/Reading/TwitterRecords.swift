internal import CacheCore

/// The binary layouts in which libCacheSim keeps Twitter's traces, little-endian.
enum TwitterLayout {
    /// u32 seconds, u64 object, u32 of 10 bits of key's size and 22 of value's, u32 of 8 bits of operation and 24 of time to live.
    case packed
    /// The same and u16 namespace.
    case packedWithNamespace
    /// u32 seconds, u64 object, u16 key's size, u32 value's size, u16 operation, u16 namespace, i32 time to live, i64 next access.
    case annotated

    var width: Int {
        switch self {
        case .packed: 20
        case .packedWithNamespace: 22
        case .annotated: 34
        }
    }

    /// Whether a trace that begins so hardly is anything else: the times never go back, and each record has an operation and a key.
    func recognise(_ sample: TraceSample) -> Recognition? {
        var before: UInt32 = 0
        var index: Int64 = 0
        var isMoving = false
        let areRecords = sample.areRecords(of: width, least: 8) { base in
            let record = TwitterRecord(base, self)
            defer { (before, index) = (record.seconds, index + 1) }
            isMoving = isMoving || index > 0 && record.seconds > before
            let hasNext = record.nextAccess == -1 || record.nextAccess > index
            return record.seconds >= before && (1...11).contains(record.operation) && record.keyBytes > 0 && hasNext
                && record.timeToLive >= -1
        }
        return areRecords && isMoving ? Recognition(.certain) : nil
    }

    /// Reads every record. Reads without a value are dropped unless the rules keep them.
    @inline(never)
    func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink, _ rules: RecordRules
    ) throws(AssayError) {
        var rules = rules
        let layout = self
        try readRecords(of: width, in: &input, into: &sink) { (base, sink) throws(AssayError) in
            let record = TwitterRecord(base, layout)
            guard let operation = rules.operation(record.operation) else {
                return RecordRules.unknownOperation(record.operation)
            }
            guard record.timeToLive >= -1 else {
                return
                    "Found a time to live of \(record.timeToLive) seconds; expected one from 0 on, or -1 for without end."
            }
            if operation == .read, record.valueBytes == 0, rules.dropsZeroSized() { return nil }
            try sink.append(
                integer: record.key,
                RequestAttributes(
                    sizeBytes: record.keyBytes + record.valueBytes,
                    timeNanoseconds: Int64(record.seconds) * 1_000_000_000,
                    timeToLiveNanoseconds: RecordRules.timeToLive(seconds: record.timeToLive), operation: operation,
                    tenant: try record.namespace.map { (number) throws(AssayError) in
                        try rules.tenant(UInt32(number), in: &sink)
                    }))
            return nil
        }
        rules.tell(&sink)
    }
}

/// One record of them.
private struct TwitterRecord {
    let seconds: UInt32
    let key: UInt64
    let keyBytes: UInt64
    let valueBytes: UInt64
    let operation: UInt64
    /// In seconds.
    let timeToLive: Int64
    var namespace: UInt16?
    /// The number of the request, from 1, that asks for the object next; -1 for none.
    var nextAccess: Int64 = -1

    init(_ record: UnsafeRawPointer, _ layout: TwitterLayout) {
        seconds = record.little(0, UInt32.self)
        key = record.little(4, UInt64.self)
        guard layout != .annotated else {
            keyBytes = UInt64(record.little(12, UInt16.self))
            valueBytes = UInt64(record.little(14, UInt32.self))
            operation = UInt64(record.little(18, UInt16.self))
            namespace = record.little(20, UInt16.self)
            timeToLive = Int64(record.little(22, Int32.self))
            nextAccess = record.little(26, Int64.self)
            return
        }
        let (sizes, what) = (record.little(12, UInt32.self), record.little(16, UInt32.self))
        (keyBytes, valueBytes) = (UInt64(sizes >> 22), UInt64(sizes & 0x3f_ffff))
        operation = UInt64(what >> 24)
        timeToLive = what & 0xff_ffff == 0xff_ffff ? -1 : Int64(what & 0xff_ffff)
        if layout == .packedWithNamespace { namespace = record.little(20, UInt16.self) }
    }
}
