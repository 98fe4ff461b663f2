internal import CacheCore

/// What the bytes of a trace of bare numbers look like: how wide they are and which byte comes first.
enum NumberStream {
    case big32, little32, big64, little64
    /// 64 bits that are all used, as of hashes. Which byte comes first does not show.
    case hashes64

    /// The least bytes from which anything follows.
    private static let bytesMin = 1024
    /// The most numbers that one record of several is taken to have, and the least records from which anything follows.
    private static let (recordNumbersMax, recordsMin) = (12, 64)

    /// Looks at all bytes of a sample; nil for text, and for records of several fields.
    init?(_ sample: TraceSample) {
        let bytes = sample.bytes
        guard bytes.count >= Self.bytesMin, !ContentCheck.isText(UnsafeRawBufferPointer(rebasing: bytes[..<512])),
            let found = Self.shape(bytes)
        else { return nil }
        let isEven =
            switch found {
            case .big32: Self.areAlike(bytes) { UInt32(bigEndian: $0) }
            case .little32: Self.areAlike(bytes) { UInt32(littleEndian: $0) }
            case .big64: Self.areAlike(bytes) { UInt64(bigEndian: $0) }
            case .little64: Self.areAlike(bytes) { UInt64(littleEndian: $0) }
            case .hashes64: Self.repeats(bytes)
            }
        guard isEven else { return nil }
        self = found
    }

    /// What the variety of each byte of a word says.
    private static func shape(_ bytes: UnsafeRawBufferPointer) -> NumberStream? {
        var counts = [[Int]](repeating: [Int](repeating: 0, count: 256), count: 8)
        for (index, byte) in bytes.enumerated() { counts[index & 7][Int(byte)] += 1 }
        let values = counts.map { $0.count { $0 > 0 } }
        // The high bytes of numbers are few, and each lower one has more values.
        func rises(_ values: [Int]) -> Bool {
            guard let high = values.first, let low = values.last else { return false }
            return high <= 4 && low >= 32 && zip(values, values.dropFirst()).allSatisfy { $0 <= $1 + 8 }
        }
        if rises(values), values[..<4].allSatisfy({ $0 <= 4 }) { return .big64 }
        if rises(values.reversed()), values[4...].allSatisfy({ $0 <= 4 }) { return .little64 }
        if rises(Array(values[..<4])), rises(Array(values[4...])) { return .big32 }
        if rises(values[..<4].reversed()), rises(values[4...].reversed()) { return .little32 }
        let isUniform = counts.allSatisfy { ($0.max() ?? 0) * 64 <= bytes.count / 8 + 512 }
        return isUniform ? .hashes64 : nil
    }

    /// Whether one of eight words of 64 bits came before, which other bytes of such variety never do.
    private static func repeats(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let words = stride(from: 0, through: bytes.count - 8, by: 8).map {
            bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)
        }
        return (words.count - Set(words).count) * 8 >= words.count
    }

    /// Whether numbers at each place of a record, of however many, are about as large as those at the other places and not in
    /// order as times are: then they are one column.
    private static func areAlike<Number: FixedWidthInteger>(
        _ bytes: UnsafeRawBufferPointer, _ number: (Number) -> Number
    ) -> Bool {
        let width = MemoryLayout<Number>.size
        let numbers = stride(from: 0, through: bytes.count - width, by: width).map {
            number(bytes.loadUnaligned(fromByteOffset: $0, as: Number.self))
        }
        return (2...recordNumbersMax).allSatisfy { places in
            let each = numbers.count / places
            guard each >= recordsMin else { return true }
            var sums = [Int](repeating: 0, count: places)
            var before = [Number](repeating: 0, count: places)
            var isRising = [Bool](repeating: true, count: places)
            for (index, number) in numbers.enumerated() {
                let place = index % places
                sums[place] += Number.bitWidth - number.leadingZeroBitCount
                if number < before[place] { isRising[place] = false }
                before[place] = number
            }
            return !isRising.contains(true) && (sums.max() ?? 0) - (sums.min() ?? 0) <= 2 * each
        }
    }
}

/// How a trace of one number a record writes it.
enum BareNumber {
    case big32, signedBig32, big64, little64

    /// Reads every record. A negative number keeps its bits, widened to 64.
    @inline(never)
    func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        try readRecords(of: self == .big32 || self == .signedBig32 ? 4 : 8, in: &input, into: &sink) {
            (record, sink) throws(AssayError) in
            try sink.append(integer: key(at: record), RequestAttributes())
            return nil
        }
    }

    @inline(__always)
    private func key(at record: UnsafeRawPointer) -> UInt64 {
        switch self {
        case .big32: UInt64(record.little(0, UInt32.self).byteSwapped)
        case .signedBig32: UInt64(bitPattern: Int64(record.little(0, Int32.self).byteSwapped))
        case .big64: record.little(0, UInt64.self).byteSwapped
        case .little64: record.little(0, UInt64.self)
        }
    }
}
