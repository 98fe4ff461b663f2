internal import CacheCore

/// Typed views of a mapped compiled trace.
struct CompiledColumns: @unchecked Sendable {
    let map: MappedFile
    let header: CompiledTraceHeader
    private let wideSizes: [Int: Int]

    init(_ map: MappedFile, _ header: CompiledTraceHeader) {
        self.map = map
        self.header = header
        let pairs: UnsafeBufferPointer<UInt64> = Self.column(map, header[.wideSizes])
        var wide: [Int: Int] = [:]
        for index in stride(from: 0, to: pairs.count, by: 2) {
            wide[Int(clamping: pairs[index])] = Int(clamping: pairs[index + 1])
        }
        wideSizes = wide
    }

    var ids: UnsafeBufferPointer<ObjectID> { Self.column(map, header[.ids]) }
    var times: UnsafeBufferPointer<Int64> { Self.column(map, header[.times]) }

    var sizes: RecordedSizes? {
        guard header[.sizes].length > 0 else { return nil }
        return RecordedSizes(Self.column(map, header[.sizes]), wide: wideSizes)
    }

    /// The columns as a replay reads them.
    func requestColumns(
        next: UnsafeBufferPointer<UInt32>? = nil, owner: any AnyObject & Sendable
    ) -> RequestColumns {
        RequestColumns(
            ids: ids, sizes: sizes, uniformSize: header.uniformSize, next: next, costs: optional(.costs),
            times: optional(.times), timesToLive: optional(.timesToLive), operations: optional(.operations),
            tenants: optional(.tenants), sizeChanges: header.sizeChanges,
            objects: ObjectSpace(count: header.objects, smallestSize: header.smallestSize), keys: integerKeys,
            owner: owner)
    }

    /// A column that most traces have not.
    private func optional<Element>(_ column: CompiledTraceHeader.Column) -> UnsafeBufferPointer<Element>? {
        header[column].length > 0 ? Self.column(map, header[column]) : nil
    }

    /// The objects' keys, nil if some are not numbers.
    private var integerKeys: ObjectKeys? {
        header[.keyKinds].length > 0 ? nil : ObjectKeys(Self.column(map, header[.keys]), owner: map)
    }

    /// The largest size of each object, in bytes. O(requests).
    func largestSizes() -> [Int] {
        guard let sizes else { return [Int](repeating: header.uniformSize, count: header.objects) }
        var largest = [Int](repeating: 0, count: header.objects)
        let ids = ids
        largest.withUnsafeMutableBufferPointer { largest in
            for position in 0..<ids.count {
                let id = Int(ids[position])
                largest[id] = max(largest[id], sizes.size(at: position))
            }
        }
        return largest
    }

    /// The key of an object as a text trace would write it.
    func key(of id: ObjectID) -> [UInt8] {
        let keys: UnsafeBufferPointer<UInt64> = Self.column(map, header[.keys])
        let kinds: UnsafeBufferPointer<UInt8> = Self.column(map, header[.keyKinds])
        let key = keys[Int(id)]
        guard !kinds.isEmpty, kinds[Int(id)] == 1 else { return Array(String(key).utf8) }
        let blob: UnsafeBufferPointer<UInt8> = Self.column(map, header[.keyBytes])
        let bytes = UnsafeRawBufferPointer(blob)
        let length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: Int(key), as: UInt32.self)))
        return Array(bytes[Int(key) + 4..<Int(key) + 4 + length])
    }

    /// The names of the tenants, by number; those that are not UTF-8 have replacement characters.
    var tenantNames: [String] { tenantNameBytes.map { String(decoding: $0, as: UTF8.self) } }

    /// The bytes of the names of the tenants, by number.
    var tenantNameBytes: [[UInt8]] {
        let names: UnsafeBufferPointer<UInt8> = Self.column(map, header[.tenantNames])
        return TenantNames.decoded(UnsafeRawBufferPointer(names))
    }

    /// The number that an object's key is, nil if it is bytes.
    func integerKey(of id: ObjectID) -> UInt64? {
        let keys: UnsafeBufferPointer<UInt64> = Self.column(map, header[.keys])
        let kinds: UnsafeBufferPointer<UInt8> = Self.column(map, header[.keyKinds])
        return kinds.isEmpty || kinds[Int(id)] == 0 ? keys[Int(id)] : nil
    }

    private static func column<Element>(
        _ map: MappedFile, _ extent: CompiledTraceHeader.Extent
    ) -> UnsafeBufferPointer<Element> {
        let bytes = UnsafeRawBufferPointer(rebasing: map.bytes[extent.offset..<extent.offset + extent.length])
        return bytes.bindMemory(to: Element.self)
    }
}
