public import CacheCore

/// Writes Assay's own compressed format, which keeps everything that a trace says.
///
/// Blocks of 65,536 requests, a column each for what the trace states; each column is written in the way that is smallest, which is
/// sought in every eighth block. Memory: 8 bytes an object for each of sizes, times to live, costs and tenants.
public struct AssayTraceWriter: TraceWriter {
    /// Name and meaning.
    public let descriptor = TraceWriterDescriptor(
        name: "assay", summary: "Assay's own compressed columns: everything that the trace says.",
        fileExtensions: ["assay"])

    /// A writer.
    public init() {}

    /// Writes every request.
    ///
    /// - Throws: `AssayError` with code `unavailable` for a key or a name of 16 MiB or more.
    public func write(_ trace: CompiledTrace, to path: String) throws(AssayError) {
        try TraceOutput.create(path) { (output) throws(AssayError) in
            var writer = AssayBlockWriter(trace)
            try output.write(writer.header)
            var position = 0
            while position < trace.requests {
                let (block, end) = try writer.block(from: position)
                try output.write(block)
                position = end
            }
            try output.write(writer.end)
        }
    }

    /// Nothing.
    public func losses(of trace: CompiledTrace) -> [String] { [] }
}

/// Makes the blocks of a trace, in order.
private struct AssayBlockWriter {
    private typealias Column = AssayTraceLayout.Column

    /// How a column was written last.
    private struct Choice {
        var transform: NumberTransform
        var layout: NumberLayout
    }

    private static let searchStep = 8

    private let trace: CompiledTrace
    private let columns: RequestColumns
    private let tenantNames: [[UInt8]]
    private let attributes: [Column]
    private let zstd = ZstdBlock()
    private var histories = [NumberHistory](repeating: NumberHistory(), count: Column.allCases.count)
    private var choices = [Choice?](repeating: nil, count: Column.allCases.count)
    private var blocks = 0
    private var knownObjects = 0
    private var knownTenants = 0

    init(_ trace: CompiledTrace) {
        self.trace = trace
        columns = trace.columns
        tenantNames = trace.tenantNameBytes
        let stated = trace.attributes
        attributes = Column.attributes.filter { stated.contains($0.1) }.map(\.0)
        for column in attributes where column.followsObject {
            histories[Int(column.rawValue)].byObject = [UInt64](repeating: 0, count: trace.objects)
        }
    }

    /// The first bytes of the file.
    var header: [UInt8] {
        let bits = Column.attributes.enumerated().reduce(UInt16(0)) { bits, item in
            attributes.contains(item.element.0) ? bits | 1 << UInt16(item.offset) : bits
        }
        let bytes =
            AssayTraceLayout.magic + AssayTraceLayout.bytes(AssayTraceLayout.version) + AssayTraceLayout.bytes(bits)
            + [0, 0, 0, 0]
        return bytes + AssayTraceLayout.bytes(AssayTraceLayout.checksum(bytes))
    }

    /// The block without requests that ends the file, with the counts of all.
    var end: [UInt8] {
        framed(
            requests: 0, objects: 0, tenants: 0,
            AssayTraceLayout.bytes(UInt64(trace.requests)) + AssayTraceLayout.bytes(UInt64(trace.objects)))
    }

    /// The block that begins with a request, and where the next one begins.
    mutating func block(from start: Int) throws(AssayError) -> (bytes: [UInt8], end: Int) {
        let limit = min(start + AssayTraceLayout.blockRequests, trace.requests)
        let (firstObject, firstTenant) = (knownObjects, knownTenants)
        var keys = NewKeys()
        var end = start
        while end < limit, keys.bytes.count < AssayTraceLayout.blockKeyBytes {
            let id = columns.ids[end]
            if Int(id) == knownObjects {
                try keys.append(trace.integerKey(of: id), or: { trace.key(of: id) })
                knownObjects += 1
            }
            if let tenants = columns.tenants { knownTenants = max(knownTenants, Int(tenants[end]) + 1) }
            end += 1
        }
        let positions = start..<end
        var payload = ids(positions, firstObject)
        payload += column(.keyKinds, keys.kinds, [])
        payload += column(.keyNumbers, keys.numbers, [])
        payload += column(.keyLengths, keys.lengths, [])
        payload += bytes(.keyBytes, keys.bytes)
        let names = tenantNames[firstTenant..<knownTenants]
        guard names.allSatisfy({ $0.count <= AssayTraceLayout.keyBytesMax }),
            names.reduce(0, { $0 + $1.count }) <= AssayTraceLayout.textBytesMax
        else { throw AssayError(.unavailable, "The names of tenants are longer than the format holds: 16 MiB each.") }
        payload += column(.tenantLengths, names.map { UInt64($0.count) }, [])
        payload += bytes(.tenantBytes, names.flatMap(\.self))
        let ids = Array(columns.ids[positions])
        for attribute in attributes { payload += column(attribute, values(attribute, positions), ids) }
        blocks += 1
        let block = framed(
            requests: positions.count, objects: knownObjects - firstObject, tenants: knownTenants - firstTenant, payload
        )
        return (block, end)
    }

    private func framed(requests: Int, objects: Int, tenants: Int, _ payload: [UInt8]) -> [UInt8] {
        let head = [requests, objects, tenants, payload.count].flatMap { AssayTraceLayout.bytes(UInt32($0)) }
        return head + payload + AssayTraceLayout.bytes(AssayTraceLayout.checksum(head, payload))
    }

    /// The objects' numbers: as 0 for one that is new and from 1 for the others, or as differences.
    private mutating func ids(_ positions: Range<Int>, _ firstNew: Int) -> [UInt8] {
        var known = firstNew
        let plain = positions.map { position in
            let id = Int(columns.ids[position])
            guard id == known else { return UInt64(id) + 1 }
            known += 1
            return 0
        }
        let ids = positions.map { UInt64(columns.ids[$0]) }
        return smallest(.ids, plain, differences(ids, of: .ids), nil)
    }

    private func values(_ column: Column, _ positions: Range<Int>) -> [UInt64] {
        positions.map { position in
            switch column {
            case .sizes: UInt64(columns.sizes?.size(at: position) ?? columns.uniformSize)
            case .times: UInt64(bitPattern: columns.times?[position] ?? 0)
            case .timesToLive: UInt64(bitPattern: columns.timesToLive?[position] ?? 0)
            case .costs: (columns.costs?[position] ?? 0).bitPattern
            case .operations: UInt64(columns.operations?[position] ?? 0)
            default: UInt64(columns.tenants?[position] ?? 0)
            }
        }
    }

    /// A column of numbers, with the objects that they belong to where it follows those; nothing for no numbers.
    private mutating func column(_ column: Column, _ numbers: [UInt64], _ ids: [ObjectID]) -> [UInt8] {
        guard !numbers.isEmpty else { return [] }
        var byObject: [UInt64]?
        if column.followsObject {
            let place = Int(column.rawValue)
            byObject = zip(ids, numbers).map { id, number in
                defer { histories[place].byObject[Int(id)] = number }
                return NumberTransform.difference(number, histories[place].byObject[Int(id)])
            }
        }
        return smallest(column, numbers, differences(numbers, of: column), byObject)
    }

    private mutating func differences(_ numbers: [UInt64], of column: Column) -> [UInt64] {
        var last = histories[Int(column.rawValue)].last
        let differences = numbers.map { number in
            defer { last = number }
            return NumberTransform.difference(number, last)
        }
        histories[Int(column.rawValue)].last = last
        return differences
    }

    /// The column in the way that is smallest, sought now and then.
    private mutating func smallest(
        _ column: Column, _ plain: [UInt64], _ differences: [UInt64], _ byObject: [UInt64]?
    ) -> [UInt8] {
        func encoded(_ choice: Choice) -> [UInt8] {
            let numbers =
                switch choice.transform {
                case .plain: plain
                case .difference: differences
                case .byObject: byObject ?? plain
                }
            return framed(column, choice.transform.rawValue, choice.layout.rawValue, choice.layout.encode(numbers))
        }
        let place = Int(column.rawValue)
        if let choice = choices[place], blocks % Self.searchStep != 0 { return encoded(choice) }
        var best: [UInt8] = []
        for transform in column.transforms {
            for layout in NumberLayout.allCases {
                let bytes = encoded(Choice(transform: transform, layout: layout))
                guard best.isEmpty || bytes.count < best.count else { continue }
                best = bytes
                choices[place] = Choice(transform: transform, layout: layout)
            }
        }
        return best
    }

    /// A column of bytes; nothing for none.
    private func bytes(_ column: Column, _ bytes: [UInt8]) -> [UInt8] {
        bytes.isEmpty ? [] : framed(column, 0, 0, bytes)
    }

    private func framed(_ column: Column, _ transform: UInt8, _ layout: UInt8, _ raw: [UInt8]) -> [UInt8] {
        let compressed = zstd.compressed(raw)
        let stored = compressed ?? raw
        return [column.rawValue, transform, layout, compressed == nil ? 0 : 1]
            + AssayTraceLayout.bytes(UInt32(raw.count)) + AssayTraceLayout.bytes(UInt32(stored.count)) + stored
    }
}

/// The keys of the objects that are new in a block.
private struct NewKeys {
    /// 0 for a number, 1 for bytes.
    var kinds: [UInt64] = []
    var numbers: [UInt64] = []
    var lengths: [UInt64] = []
    var bytes: [UInt8] = []

    mutating func append(_ number: UInt64?, or text: () -> [UInt8]) throws(AssayError) {
        if let number {
            kinds.append(0)
            numbers.append(number)
            return
        }
        let key = text()
        guard key.count <= AssayTraceLayout.keyBytesMax else {
            throw AssayError(.unavailable, "A key has \(key.count) bytes; the format holds keys below 16 MiB.")
        }
        kinds.append(1)
        lengths.append(UInt64(key.count))
        bytes += key
    }
}
