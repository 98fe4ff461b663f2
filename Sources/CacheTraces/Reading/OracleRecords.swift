/// What the first bytes of a file look like as records of oracleGeneral: 24 bytes, little-endian, of time, object, size and next access.
struct OracleRecords {
    /// The least records from which anything follows.
    private static let recordsMin = 8

    private var count = 0
    private var backwards = 0
    private var largeSizes = 0
    private var emptySizes = 0
    private var wildNext = 0
    private var laterNext = 0

    /// Looks at all whole records of the bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
        var before: UInt32 = 0
        for start in stride(from: 0, through: bytes.count - 24, by: 24) {
            func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
                Number(littleEndian: bytes.loadUnaligned(fromByteOffset: start + offset, as: Number.self))
            }
            let (time, size, next) = (number(0, UInt32.self), number(12, UInt32.self), number(16, Int64.self))
            if time < before { backwards += 1 }
            before = time
            if size > 1 << 30 { largeSizes += 1 }
            if size == 0 { emptySizes += 1 }
            // The next access counts requests from the start of the whole trace; -1 and the largest number stand for none.
            let isLast = next == -1 || next == .max
            if !isLast, next < 0 || next > 1 << 48 { wildNext += 1 }
            if !isLast, next > count, next < 1 << 48 { laterNext += 1 }
            count += 1
        }
    }

    /// What is wrong with reading them so, nil if nothing is.
    var fault: String? {
        guard count >= Self.recordsMin else { return nil }
        if backwards * 4 > count { return "the time goes back in \(backwards) of the first \(count) records" }
        if largeSizes * 2 > count { return "\(largeSizes) of the first \(count) records are larger than 1 GiB" }
        if wildNext * 2 > count {
            return "the next access is no number of a request in \(wildNext) of the first \(count) records"
        }
        return nil
    }

    /// Whether they can hardly be anything else.
    var areCertain: Bool {
        count >= Self.recordsMin && backwards == 0 && largeSizes == 0 && emptySizes == 0 && wildNext == 0
            && laterNext * 4 > count
    }
}
