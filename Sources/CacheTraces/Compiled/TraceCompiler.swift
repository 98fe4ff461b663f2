internal import CacheCore

/// Turns a stream of records into a compiled trace on disk. Memory: what ``KeyTable`` says an object, and small buffers.
struct TraceCompiler: ~Copyable, TraceSink {
    private static let progressStep = 1 << 18

    private var file: CompiledFileWriter
    private var ids = ColumnBlock<UInt32>()
    /// The requests whose objects are numbered.
    private var requests = 0
    private var sizes: DeferredColumn<UInt32>
    private var times: DeferredColumn<Int64>
    private var timesToLive: DeferredColumn<Int64>
    private var costs: DeferredColumn<Double>
    private var operations: DeferredColumn<UInt8>
    private var wideSizes: [UInt64] = []
    private var table = KeyTable()
    private let pending = PendingKeys()
    private var pendingCount = 0
    private var bytesRequested: UInt64 = 0
    private var smallestSize = UInt64.max
    private var nextProgress = TraceCompiler.progressStep
    private let onProgress: ((Int) throws(AssayError) -> Void)?

    /// A compiler that writes to a new file of this name and to nameless files beside it.
    init(
        temporary path: String, onProgress: ((Int) throws(AssayError) -> Void)? = nil
    ) throws(AssayError) {
        file = try CompiledFileWriter.start(temporary: path)
        sizes = DeferredColumn(temporary: path + ".sizes")
        times = DeferredColumn(temporary: path + ".times")
        timesToLive = DeferredColumn(temporary: path + ".ttl")
        costs = DeferredColumn(temporary: path + ".costs")
        operations = DeferredColumn(temporary: path + ".operations")
        self.onProgress = onProgress
    }

    /// Appends a request for an object whose key is a number.
    @inline(__always)
    mutating func append(integer key: UInt64, _ attributes: RequestAttributes) throws(AssayError) {
        pending.base[pendingCount] = key
        pendingCount &+= 1
        try append(attributes)
        if pendingCount == KeyTable.batchCount { try numberPending() }
    }

    /// Appends a request for an object whose key is any bytes.
    mutating func append(bytes key: UnsafeRawBufferPointer, _ attributes: RequestAttributes) throws(AssayError) {
        if pendingCount > 0 { try numberPending() }
        if !ids.hasRoom(for: 1) { try flushIDs() }
        ids.append(try table.number(key))
        requests += 1
        try append(attributes)
        if requests >= nextProgress { try reportProgress() }
    }

    @inline(__always)
    private mutating func append(_ attributes: RequestAttributes) throws(AssayError) {
        if let size = attributes.sizeBytes { try append(size: size) }
        if let time = attributes.timeNanoseconds { try times.append(time) }
        if let timeToLive = attributes.timeToLiveNanoseconds { try append(timeToLive: timeToLive) }
        if let cost = attributes.cost { try costs.append(cost) }
        if let operation = attributes.operation { try operations.append(operation.rawValue) }
    }

    /// Objects without end, which a trace may mix with others, have a time to live of 0 here.
    private mutating func append(timeToLive: Int64) throws(AssayError) {
        let before = requests + pendingCount - 1
        while timesToLive.count < before { try timesToLive.append(0) }
        try timesToLive.append(timeToLive)
    }

    @inline(__always)
    private mutating func append(size: UInt64) throws(AssayError) {
        let (sum, overflow) = bytesRequested.addingReportingOverflow(size)
        if overflow || sum > UInt64(Int.max) { throw Self.tooManyBytes }
        bytesRequested = sum
        smallestSize = min(smallestSize, size)
        if size >= UInt64(UInt32.max) { wideSizes += [UInt64(sizes.count), size] }
        try sizes.append(UInt32(truncatingIfNeeded: min(size, UInt64(UInt32.max))))
    }

    private mutating func numberPending() throws(AssayError) {
        if !ids.hasRoom(for: pendingCount) { try flushIDs() }
        let keys = UnsafeBufferPointer(start: pending.base, count: pendingCount)
        try ids.append(pendingCount) { (room) throws(AssayError) in try table.number(keys, into: room) }
        requests += pendingCount
        pendingCount = 0
        if requests >= nextProgress { try reportProgress() }
    }

    /// The ids are the first column, so that they need not wait in a file of their own.
    private mutating func flushIDs() throws(AssayError) {
        try ids.flush { (bytes) throws(AssayError) in try file.write(bytes) }
    }

    private mutating func reportProgress() throws(AssayError) {
        try onProgress?(requests)
        nextProgress = requests + Self.progressStep
    }

    /// Writes the columns, the header and the name.
    mutating func finish(
        as name: String, digest: String, sourceDigest: String, formatDescription: String
    ) throws(AssayError) {
        if pendingCount > 0 { try numberPending() }
        table.releaseSlots()
        try onProgress?(requests)
        var header = CompiledTraceHeader()
        header.requests = requests
        header.objects = table.count
        (header.digest, header.sourceDigest, header.formatDescription) = (digest, sourceDigest, formatDescription)
        for count in [sizes.count, times.count, costs.count, operations.count]
        where count != 0 && count != header.requests {
            throw AssayError(
                .internalError, "The format gives a size, a time, a cost or an operation for some records only.")
        }
        while timesToLive.count > 0, timesToLive.count < header.requests { try timesToLive.append(0) }
        describeSizes(&header)
        let keepsSizes = header.uniformSize == 0 && header.carriesSizes
        try flushIDs()
        file.noteFirstColumn(.ids, &header)
        if keepsSizes {
            try file.column(.sizes, &header) { (file) throws(AssayError) in try sizes.move(to: &file) }
            try file.column(.wideSizes, &header, wideSizes)
        }
        if times.isVaried {
            try file.column(.times, &header) { (file) throws(AssayError) in try times.move(to: &file) }
        }
        if timesToLive.count > 0 {
            try file.column(.timesToLive, &header) { (file) throws(AssayError) in try timesToLive.move(to: &file) }
        }
        if costs.count > 0 {
            try file.column(.costs, &header) { (file) throws(AssayError) in try costs.move(to: &file) }
        }
        if operations.isVaried || operations.first.map({ $0 != TraceOperation.read.rawValue }) == true {
            try file.column(.operations, &header) { (file) throws(AssayError) in try operations.move(to: &file) }
        }
        try file.column(.keys, &header) { (file) throws(AssayError) in
            try table.keys.forEachChunk { (chunk) throws(AssayError) in try file.write(chunk) }
        }
        try file.column(.keyKinds, &header, table.kinds)
        try file.column(.keyBytes, &header, table.blob)
        if header.carriesSizes {
            header.footprintBytes =
                keepsSizes
                ? Self.footprint(try file.map(), header) : header.objects * header.uniformSize
            guard header.footprintBytes <= Capacity.largestAmount else {
                throw AssayError(
                    .badInput,
                    "The objects' sizes add up to more than 2^53 bytes, so a column is not a size. Check the format.")
            }
        }
        try file.finish(header, as: name)
    }

    private borrowing func describeSizes(_ header: inout CompiledTraceHeader) {
        header.carriesSizes = sizes.count > 0
        guard header.carriesSizes else {
            (header.bytesRequested, header.footprintBytes) = (header.requests, header.objects)
            return
        }
        header.bytesRequested = Int(bytesRequested)
        header.smallestSize = Int(smallestSize)
        // Wide sizes all escape to the same word, so that they may differ where the column does not.
        header.uniformSize = sizes.isVaried || !wideSizes.isEmpty ? 0 : Int(smallestSize)
    }

    /// The sum of each object's largest size, at most `Int.max`: one more pass, over the columns just written.
    private static func footprint(_ map: MappedFile, _ header: CompiledTraceHeader) -> Int {
        let columns = CompiledColumns(map, header)
        let sum = columns.largestSizes().reduce((0, false)) { sum, size in
            let (total, overflow) = sum.0.addingReportingOverflow(size)
            return (total, sum.1 || overflow)
        }
        return sum.1 ? .max : sum.0
    }

    private static let tooManyBytes = AssayError(
        .badInput, "The sizes add up to more than 2^63 bytes, so a column is not a size. Check the format.")
}

/// Keys that wait to be numbered together.
private struct PendingKeys: ~Copyable {
    let base = UnsafeMutablePointer<UInt64>.allocate(capacity: KeyTable.batchCount)
    deinit { base.deallocate() }
}
