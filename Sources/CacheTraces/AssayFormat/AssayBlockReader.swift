internal import CacheCore

/// Reads a file of the `assay` format block by block, and knows the keys that came so far.
struct AssayBlockReader {
    private typealias Column = AssayTraceLayout.Column

    /// The objects' numbers; for keys of bytes where these are in ``text``, and how many.
    private(set) var keys: [UInt64] = []
    private var areText: [Bool] = []
    private(set) var text: [UInt8] = []
    private let attributes: [Column]
    private let zstd = ZstdBlock()
    private var histories = [NumberHistory](repeating: NumberHistory(), count: Column.allCases.count)
    private var tenants: [UInt16] = []
    private var requests: UInt64 = 0

    /// Reads the header of the file.
    init(_ input: inout ByteStream) throws(AssayError) {
        let start = input.location
        let header = try Self.bytes(AssayTraceLayout.headerBytes, of: &input, start)
        guard header.starts(with: AssayTraceLayout.magic) else {
            throw AssayError(.badInput, "The file does not begin as a trace of the format assay.", at: start)
        }
        let version = UInt16(Self.number(header, at: 8, bytes: 2))
        guard version == AssayTraceLayout.version else {
            throw AssayError(
                .badInput,
                "The file has version \(version) of the format assay; this Assay reads version \(AssayTraceLayout.version).",
                at: start)
        }
        guard Self.number(header, at: 16, bytes: 8) == AssayTraceLayout.checksum(Array(header[..<16])) else {
            throw Self.damaged("the checksum of its header is wrong", start)
        }
        let bits = Self.number(header, at: 10, bytes: 2)
        guard bits < 1 << UInt64(Column.attributes.count) else { throw Self.damaged("it names unknown columns", start) }
        attributes = Column.attributes.enumerated().filter { bits & 1 << UInt64($0.offset) != 0 }.map(\.element.0)
    }

    /// The place of an object's key in ``text``; nil if its key is a number.
    @inline(__always)
    func textKey(of id: Int) -> Range<Int>? {
        guard areText[id] else { return nil }
        let start = Int(keys[id] >> 24)
        return start..<start + Int(keys[id] & 0xff_ffff)
    }

    /// The next block; nil behind the last one. New tenants are numbered by `tenant`.
    mutating func next(
        _ input: inout ByteStream, tenant: (UnsafeRawBufferPointer) throws(AssayError) -> UInt16
    ) throws(AssayError) -> AssayBlock? {
        let start = input.location
        let head = try Self.bytes(AssayTraceLayout.blockHeaderBytes, of: &input, start)
        let counts = (0..<4).map { Int(Self.number(head, at: 4 * $0, bytes: 4)) }
        guard counts[0] <= AssayTraceLayout.blockRequests, counts[1] <= counts[0], counts[2] <= 1 << 16,
            counts[3] <= AssayTraceLayout.blockBytesMax
        else { throw Self.damaged("the counts of a block are too large", start) }
        let payload = try Self.bytes(counts[3], of: &input, start)
        let sum = try Self.bytes(AssayTraceLayout.checksumBytes, of: &input, start)
        guard Self.number(sum, at: 0, bytes: 8) == AssayTraceLayout.checksum(head, payload) else {
            throw Self.damaged("the checksum of a block is wrong", start)
        }
        guard counts[0] > 0 else {
            try end(payload, &input, start)
            return nil
        }
        var block: AssayBlock
        let names: [[UInt8]]
        do throws(BlockFault) {
            (block, names) = try read(payload, requests: counts[0], objects: counts[1], tenants: counts[2])
        } catch {
            throw Self.damaged("a block is not sound: \(error.reason)", start)
        }
        requests += UInt64(counts[0])
        for name in names {
            tenants.append(try withBytes(name) { (bytes) throws(AssayError) in try tenant(bytes) })
        }
        for index in block.tenants.indices {
            guard Int(block.tenants[index]) < tenants.count else { throw Self.damaged("a tenant has no name", start) }
            block.tenants[index] = tenants[Int(block.tenants[index])]
        }
        return block
    }

    /// Reads the columns of a block, and the names of the tenants that are new in it.
    private mutating func read(
        _ payload: [UInt8], requests: Int, objects: Int, tenants: Int
    ) throws(BlockFault) -> (AssayBlock, names: [[UInt8]]) {
        var columns = AssayBlockColumns(payload: payload, zstd: zstd)
        var block = AssayBlock(requests: requests)
        let firstNew = keys.count
        let ids = try columns.numbers(.ids, count: requests)
        try readKeys(&columns, objects)
        block.ids = try self.ids(ids, firstNew)
        let (lengths, bytes) = try texts(&columns, .tenantLengths, .tenantBytes, count: tenants)
        var names: [[UInt8]] = []
        var rest = bytes[...]
        for length in lengths {
            names.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        for attribute in attributes {
            let numbers = try columns.numbers(attribute, count: requests)
            try assign(values(numbers, attribute, block.ids), attribute, &block)
        }
        guard columns.isAtEnd else { throw BlockFault(reason: "there is more in it than its columns") }
        return (block, names)
    }

    /// The lengths and the bytes of some texts, which have limits.
    private mutating func texts(
        _ columns: inout AssayBlockColumns, _ lengths: Column, _ bytes: Column, count: Int
    ) throws(BlockFault) -> (lengths: [Int], bytes: [UInt8]) {
        guard count > 0 else { return ([], []) }
        var (all, total): ([Int], UInt64) = ([], 0)
        for length in values(try columns.numbers(lengths, count: count), lengths, []) {
            guard length <= UInt64(AssayTraceLayout.keyBytesMax) else { throw BlockFault(reason: "a key is too long") }
            total += length
            all.append(Int(length))
        }
        guard total <= UInt64(AssayTraceLayout.textBytesMax) else { throw BlockFault(reason: "its keys are too long") }
        return (all, total > 0 ? try columns.bytes(bytes, count: Int(total)) : [])
    }

    private mutating func readKeys(_ columns: inout AssayBlockColumns, _ objects: Int) throws(BlockFault) {
        guard objects > 0 else { return }
        let kinds = values(try columns.numbers(.keyKinds, count: objects), .keyKinds, [])
        guard kinds.allSatisfy({ $0 <= 1 }) else { throw BlockFault(reason: "a key is of an unknown kind") }
        let textCount = kinds.count { $0 == 1 }
        let numbers =
            textCount == objects
            ? [] : values(try columns.numbers(.keyNumbers, count: objects - textCount), .keyNumbers, [])
        let (lengths, bytes) = try texts(&columns, .keyLengths, .keyBytes, count: textCount)
        guard text.count + bytes.count < 1 << 40 else { throw BlockFault(reason: "its keys have more than 2^40 bytes") }
        var (nextNumber, nextText, place) = (0, 0, text.count)
        text += bytes
        for kind in kinds {
            areText.append(kind == 1)
            if kind == 0 {
                keys.append(numbers[nextNumber])
                nextNumber += 1
            } else {
                keys.append(UInt64(place) << 24 | UInt64(lengths[nextText]))
                place += lengths[nextText]
                nextText += 1
            }
        }
        for attribute in attributes where attribute.followsObject {
            histories[Int(attribute.rawValue)].byObject += [UInt64](repeating: 0, count: objects)
        }
    }

    /// The objects of requests, each new one of which must be the next in order.
    private mutating func ids(_ column: NumberColumn, _ firstNew: Int) throws(BlockFault) -> [Int] {
        var known = UInt64(firstNew)
        let place = Int(Column.ids.rawValue)
        var last = histories[place].last
        var ids: [Int] = []
        ids.reserveCapacity(column.numbers.count)
        for number in column.numbers {
            let id: UInt64
            switch column.transform {
            case .plain: id = number == 0 ? known : number - 1
            case .difference: id = NumberTransform.value(number, last)
            case .byObject: throw BlockFault(reason: "objects follow objects")
            }
            guard id <= known, id < UInt64(keys.count) else {
                throw BlockFault(reason: "an object comes before its key")
            }
            if id == known { known += 1 }
            last = id
            ids.append(Int(id))
        }
        guard known == UInt64(keys.count) else { throw BlockFault(reason: "a key has no request") }
        histories[place].last = last
        return ids
    }

    /// The numbers of a column, and what the next block has to know of them.
    private mutating func values(_ column: NumberColumn, _ kind: Column, _ ids: [Int]) -> [UInt64] {
        let place = Int(kind.rawValue)
        var numbers = column.numbers
        switch column.transform {
        case .plain: break
        case .difference:
            var last = histories[place].last
            for index in numbers.indices {
                last = NumberTransform.value(numbers[index], last)
                numbers[index] = last
            }
        case .byObject:
            for index in numbers.indices {
                let value = NumberTransform.value(numbers[index], histories[place].byObject[ids[index]])
                histories[place].byObject[ids[index]] = value
                numbers[index] = value
            }
        }
        if kind.followsObject, column.transform != .byObject {
            for index in numbers.indices { histories[place].byObject[ids[index]] = numbers[index] }
        }
        if let last = numbers.last { histories[place].last = last }
        return numbers
    }

    private func assign(_ numbers: [UInt64], _ column: Column, _ block: inout AssayBlock) throws(BlockFault) {
        switch column {
        case .sizes:
            guard numbers.allSatisfy({ $0 <= UInt64(Int.max) }) else {
                throw BlockFault(reason: "a size is 2^63 or more")
            }
            block.sizes = numbers
        case .times: block.times = numbers
        case .timesToLive:
            guard numbers.allSatisfy({ $0 <= UInt64(Int64.max) }) else {
                throw BlockFault(reason: "a time to live is below 0")
            }
            block.timesToLive = numbers
        case .costs:
            guard numbers.map(Double.init(bitPattern:)).allSatisfy({ $0.isFinite && $0 >= 0 }) else {
                throw BlockFault(reason: "a cost is no number from 0")
            }
            block.costs = numbers
        case .operations:
            guard numbers.allSatisfy({ $0 <= 2 }) else { throw BlockFault(reason: "an operation is unknown") }
            block.operations = numbers
        default:
            guard numbers.allSatisfy({ $0 < 1 << 16 }) else { throw BlockFault(reason: "a tenant is unknown") }
            block.tenants = numbers.map { UInt16($0) }
        }
    }

    /// Reads what the last block says, behind which nothing may be.
    private func end(
        _ payload: [UInt8], _ input: inout ByteStream, _ start: AssayError.Location
    ) throws(AssayError) {
        guard payload.count == 16, Self.number(payload, at: 0, bytes: 8) == requests,
            Self.number(payload, at: 8, bytes: 8) == UInt64(keys.count)
        else { throw Self.damaged("its counts are not those of its blocks", start) }
        guard try input.fill(atLeast: 1) == 0 else {
            throw AssayError(.badInput, "Bytes follow the end of the trace. Remove them.", at: input.location)
        }
    }

    private static func bytes(
        _ count: Int, of input: inout ByteStream, _ start: AssayError.Location
    ) throws(AssayError) -> [UInt8] {
        let available = try input.fill(atLeast: count)
        guard available >= count else {
            throw AssayError(
                .badInput, "The file ends before its last block does. It was cut short: copy or download it again.",
                at: start)
        }
        let bytes = Array(input.buffered[..<count])
        input.consume(count)
        return bytes
    }

    private static func number(_ bytes: [UInt8], at offset: Int, bytes width: Int) -> UInt64 {
        (0..<width).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }

    private static func damaged(_ reason: String, _ location: AssayError.Location) -> AssayError {
        AssayError(.badInput, "The trace is damaged: \(reason). Copy or download it again.", at: location)
    }
}

/// Why a block cannot be read.
struct BlockFault: Error {
    var reason: String
}

/// A column of numbers as it is written.
struct NumberColumn {
    var transform: NumberTransform
    var numbers: [UInt64]
}
