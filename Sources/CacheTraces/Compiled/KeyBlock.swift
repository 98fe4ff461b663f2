internal import CacheCore

/// Keys that travel together from whoever reads a trace to where they are numbered, and their numbers from there to the file.
final class KeyBlock {
    static let capacity = 1 << 15

    /// The keys that are numbers.
    let keys = UnsafeMutablePointer<UInt64>.allocate(capacity: KeyBlock.capacity)
    /// The objects' numbers, once they are found.
    let ids = UnsafeMutablePointer<UInt32>.allocate(capacity: KeyBlock.capacity)
    /// The number of keys.
    private(set) var count = 0
    /// The keys that are bytes: where among the others each stands, and its place in `blob`.
    private var byteKeys: [(index: Int, place: Range<Int>)] = []
    private var blob: [UInt8] = []

    /// Whether it takes no more keys of bytes, lest long ones fill memory.
    var isFullOfBytes: Bool { blob.count >= 1 << 20 }

    deinit {
        keys.deallocate()
        ids.deallocate()
    }

    /// Puts a key of any bytes at a place, behind all of its kind.
    func put(_ key: UnsafeRawBufferPointer, at index: Int) {
        byteKeys.append((index, blob.count..<blob.count + key.count))
        blob.append(contentsOf: key)
    }

    /// Finds the objects' numbers of the first `count` keys.
    ///
    /// - Throws: as the table does.
    func number(_ count: Int, by table: inout KeyTable) throws(AssayError) {
        self.count = count
        var first = 0
        for (index, place) in byteKeys {
            try number(integersIn: first..<index, by: &table)
            ids[index] = try withBytes(blob) { (bytes) throws(AssayError) in
                try table.number(UnsafeRawBufferPointer(rebasing: bytes[place]))
            }
            first = index + 1
        }
        try number(integersIn: first..<count, by: &table)
        byteKeys.removeAll(keepingCapacity: true)
        blob.removeAll(keepingCapacity: true)
    }

    private func number(integersIn range: Range<Int>, by table: inout KeyTable) throws(AssayError) {
        for first in stride(from: range.lowerBound, to: range.upperBound, by: KeyTable.batchCount) {
            let batch = UnsafeBufferPointer(
                start: keys + first, count: min(KeyTable.batchCount, range.upperBound - first))
            try table.number(batch, into: ids + first)
        }
    }
}
