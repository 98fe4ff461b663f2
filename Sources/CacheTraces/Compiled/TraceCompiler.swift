internal import CacheCore

/// Turns a stream of records into a compiled trace on disk. Memory: what ``KeyTable`` says an object, and small buffers.
struct TraceCompiler: ~Copyable, TraceSink {
    private static let progressStep = 1 << 18

    private let numbering: NumberingPipeline
    private var block: KeyBlock
    /// The number of keys in the block.
    private var blockCount = 0
    /// The requests in earlier blocks.
    private var requests = 0
    private var sizes: DeferredColumn<UInt32>
    private var times: DeferredColumn<Int64>
    private var timesToLive: DeferredColumn<Int64>
    private var costs: DeferredColumn<Double>
    private var operations: DeferredColumn<UInt8>
    private var tenants: DeferredColumn<UInt16>
    private var tenantNames = TenantNames()
    private var wideSizes: [UInt64] = []
    private var bytesRequested: UInt64 = 0
    private var smallestSize = UInt64.max
    private let requestsMax: () -> Int
    private var refused: RefusedRecords
    private var parts = PartsStated()
    private var notes = TraceNotes()
    private var nextProgress = TraceCompiler.progressStep
    private let onProgress: ((Int) -> Void)?

    /// A compiler that writes to a new file of this name and to nameless files beside it, and takes at most `requestsMax` requests,
    /// which is asked again and again.
    init(
        temporary path: String, requestsMax: @escaping @autoclosure () -> Int = .max, badRows: BadRows = .stop,
        onProgress: ((Int) -> Void)? = nil
    ) throws(AssayError) {
        self.requestsMax = requestsMax
        refused = RefusedRecords(badRows)
        let numbering = NumberingPipeline(into: try CompiledFileWriter.start(temporary: path))
        block = try numbering.nextBlock()
        self.numbering = numbering
        sizes = DeferredColumn(temporary: path + ".sizes")
        times = DeferredColumn(temporary: path + ".times")
        timesToLive = DeferredColumn(temporary: path + ".ttl")
        costs = DeferredColumn(temporary: path + ".costs")
        operations = DeferredColumn(temporary: path + ".operations")
        tenants = DeferredColumn(temporary: path + ".tenants")
        self.onProgress = onProgress
    }

    // The file goes with the pipeline, at once and not when its last block comes through.
    deinit { numbering.drain() }

    /// The number of requests so far.
    var appended: Int { requests + blockCount }

    /// Adds something to tell of the input, a sentence.
    mutating func note(_ text: String) { notes.append(text) }

    /// Counts a malformed record, or throws it.
    mutating func refuse(_ error: AssayError) throws(AssayError) { try refused.refuse(error) }

    /// Ends a file of those that make the trace.
    ///
    /// - Throws: `AssayError` with code `badInput` if it states what an earlier one does not, or the other way round.
    mutating func endPart(named name: String, hasBytes: Bool) throws(AssayError) {
        let counts = [
            "size": sizes.count, "time": times.count, "cost": costs.count, "operation": operations.count,
            "tenant": tenants.count,
        ]
        guard try !parts.end(name, requests: requests + blockCount, counts), hasBytes else { return }
        note("\(name) has no requests.")
    }

    /// The number of a tenant.
    mutating func tenant(named name: UnsafeRawBufferPointer) throws(AssayError) -> UInt16 {
        try tenantNames.number(of: name)
    }

    /// Appends a request for an object whose key is a number.
    @inline(__always)
    mutating func append(integer key: UInt64, _ attributes: RequestAttributes) throws(AssayError) {
        block.keys[blockCount] = key
        try append(attributes)
    }

    /// Appends a request for an object whose key is any bytes.
    mutating func append(bytes key: UnsafeRawBufferPointer, _ attributes: RequestAttributes) throws(AssayError) {
        block.put(key, at: blockCount)
        try append(attributes)
        if block.isFullOfBytes { try handOver() }
    }

    /// Appends many requests for objects whose keys are numbers.
    mutating func append(_ records: borrowing RecordColumns) throws(AssayError) {
        try append(sizes: records.sizesBytes)
        let times = records.timesNanoseconds
        if !self.times.countIfEqual(times) {
            for time in times { try self.times.append(time) }
        }
        var first = 0
        while first < records.count {
            let taken = min(KeyBlock.capacity - blockCount, records.count - first)
            let keys = UnsafeBufferPointer(rebasing: records.keys[first..<first + taken])
            _ = UnsafeMutableBufferPointer(start: block.keys + blockCount, count: taken).update(from: keys)
            blockCount += taken
            first += taken
            if blockCount == KeyBlock.capacity { try handOver() }
        }
    }

    private mutating func append(sizes: UnsafeBufferPointer<UInt64>) throws(AssayError) {
        // So few bytes that these cannot be too many.
        if bytesRequested < 1 << 62, self.sizes.countIfEqual(sizes) {
            bytesRequested += smallestSize * UInt64(sizes.count)
            return
        }
        for size in sizes { try append(size: size) }
    }

    @inline(__always)
    private mutating func append(_ attributes: RequestAttributes) throws(AssayError) {
        if let size = attributes.sizeBytes { try append(size: size) }
        if let time = attributes.timeNanoseconds { try times.append(time) }
        if let timeToLive = attributes.timeToLiveNanoseconds { try append(timeToLive: timeToLive) }
        if let cost = attributes.cost { try costs.append(cost) }
        if let operation = attributes.operation { try operations.append(operation.rawValue) }
        if let tenant = attributes.tenant { try tenants.append(tenant) }
        blockCount &+= 1
        if blockCount == KeyBlock.capacity { try handOver() }
    }

    /// Objects without end, which a trace may mix with others, have a time to live of 0 here.
    private mutating func append(timeToLive: Int64) throws(AssayError) {
        let before = requests + blockCount
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

    private mutating func handOver() throws(AssayError) {
        numbering.append(block, count: blockCount)
        requests += blockCount
        blockCount = 0
        let requestsMax = requestsMax()
        guard requests <= requestsMax else { throw ExpansionLimit.tooManyRequests(requestsMax) }
        if requests >= nextProgress { reportProgress() }
        block = try numbering.nextBlock()
    }

    private mutating func reportProgress() {
        onProgress?(requests)
        nextProgress = requests + Self.progressStep
    }

    /// Writes the columns, the header and the name.
    mutating func finish(
        as name: String, digest: String, sourceDigest: String, formatDescription: String
    ) throws(AssayError) {
        try handOver()
        reportProgress()
        var header = CompiledTraceHeader()
        header.requests = requests
        (header.digest, header.sourceDigest, header.formatDescription) = (digest, sourceDigest, formatDescription)
        if let note = refused.note { notes.append(note) }
        header.notes = notes.texts
        for (count, name) in [
            (sizes.count, "size"), (times.count, "time"), (costs.count, "cost"), (operations.count, "operation"),
            (tenants.count, "tenant"),
        ] where count != 0 && count != header.requests {
            throw AssayError(
                .badInput, "Only \(count) of \(header.requests) requests have a \(name); all must have one, or none.")
        }
        while timesToLive.count > 0, timesToLive.count < header.requests { try timesToLive.append(0) }
        describeSizes(&header)
        try numbering.finish { (table, file) throws(AssayError) in
            // The ids are the first column, so that they need not wait in a file of their own.
            file.noteFirstColumn(.ids, &header)
            table.releaseIndex()
            try write(table, &header, to: &file)
            try file.finish(header, as: name)
        }
    }

    /// Writes what is still in memory or in files of its own.
    private mutating func write(
        _ table: borrowing KeyTable, _ header: inout CompiledTraceHeader, to file: inout CompiledFileWriter
    ) throws(AssayError) {
        header.objects = table.count
        let keepsSizes = header.uniformSize == 0 && header.carriesSizes
        if keepsSizes {
            try file.column(.sizes, &header) { (file) throws(AssayError) in try sizes.move(to: &file) }
            try file.column(.wideSizes, &header, wideSizes)
        }
        // Times that are all the same mean something only beside times to live.
        if times.isVaried || (times.count > 0 && timesToLive.count > 0) {
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
        if tenants.count > 0 {
            try file.column(.tenants, &header) { (file) throws(AssayError) in try tenants.move(to: &file) }
            try file.column(.tenantNames, &header, tenantNames.encoded)
        }
        try file.column(.keys, &header) { (file) throws(AssayError) in
            try table.keys.forEachChunk { (chunk) throws(AssayError) in try file.write(chunk) }
        }
        try file.column(.keyKinds, &header, table.kinds)
        try file.column(.keyBytes, &header, table.blob)
        guard header.carriesSizes else {
            (header.bytesRequested, header.footprintBytes) = (header.requests, header.objects)
            return
        }
        header.footprintBytes = header.objects * header.uniformSize
        if keepsSizes {
            let columns = CompiledColumns(try file.map(), header)
            header.footprintBytes = Self.footprint(columns)
            header.sizeChanges = columns.sizes?.changes(of: columns.ids, objects: header.objects) ?? 0
        }
        guard header.footprintBytes <= Capacity.largestAmount else {
            throw AssayError(
                .badInput,
                "The objects' sizes add up to more than 2^53 bytes, so a column is not a size. Check the format.")
        }
    }

    private borrowing func describeSizes(_ header: inout CompiledTraceHeader) {
        header.carriesSizes = sizes.count > 0
        guard header.carriesSizes else { return }
        header.bytesRequested = Int(bytesRequested)
        header.smallestSize = Int(smallestSize)
        // Wide sizes all escape to the same word, so that they may differ where the column does not.
        header.uniformSize = sizes.isVaried || !wideSizes.isEmpty ? 0 : Int(smallestSize)
    }

    /// The sum of each object's largest size, at most `Int.max`: one more pass, over the columns just written.
    private static func footprint(_ columns: CompiledColumns) -> Int {
        let sum = columns.largestSizes().reduce((0, false)) { sum, size in
            let (total, overflow) = sum.0.addingReportingOverflow(size)
            return (total, sum.1 || overflow)
        }
        return sum.1 ? .max : sum.0
    }

    private static let tooManyBytes = AssayError(
        .badInput, "The sizes add up to more than 2^63 bytes, so a column is not a size. Check the format.")
}
