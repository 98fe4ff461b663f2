internal import CacheCore

/// MITHRIL's table of associations: for an object the few that follow it.
///
/// It grows by shards while the metadata may, and then reuses the rows of its first shard in order. 4 bytes an object, and in
/// a row 4 and 4 for each object that follows.
struct MithrilAssociations: ~Copyable {
    private let list: Int
    private let shardBytes: Int
    private var spareBytes: Int
    /// The row of each object; 0 for none.
    private let rows: FixedBuffer<UInt32>
    /// In each row its object and those that follow it, with 1 added; 0 for none.
    private var table: [UInt32]
    private var current = 1
    private var isFull = false

    init(_ rules: MithrilRules, objects: Int) {
        list = rules.list
        shardBytes = rules.shardBytes
        spareBytes = rules.spareBytes
        rows = FixedBuffer(repeating: 0, count: objects)
        table = Array(repeating: 0, count: MithrilRules.shardRows * (rules.list + 1))
    }

    /// The row of an object; 0 for none.
    func row(of id: ObjectID) -> Int { Int(rows[id]) }

    /// One of the objects that follow the object of a row, the oldest first; nil if there are not so many.
    func target(_ number: Int, inRow row: Int) -> ObjectID? {
        guard row > 0, number < list else { return nil }
        let entry = table[row * (list + 1) + 1 + number]
        return entry == 0 ? nil : entry - 1
    }

    /// Associates an object with one that follows it, in the place of the oldest if there are enough.
    mutating func add(_ target: ObjectID, after source: ObjectID) {
        let row = row(of: source)
        guard row > 0 else { return addRow(target, after: source) }
        let first = row * (list + 1) + 1
        let entries = first..<first + list
        guard !table[entries].contains(target + 1) else { return }
        if let free = table[entries].firstIndex(of: 0) {
            table[free] = target + 1
        } else {
            for place in entries.dropLast() { table[place] = table[place + 1] }
            table[entries.upperBound - 1] = target + 1
        }
    }

    private mutating func addRow(_ target: ObjectID, after source: ObjectID) {
        current += 1
        let start = current * (list + 1)
        if isFull {
            if table[start] > 0 { rows[table[start] - 1] = 0 }
            for place in start...start + list { table[place] = 0 }
        }
        table[start] = source + 1
        table[start + 1] = target + 1
        rows[source] = UInt32(current)
        guard (current + 1) % MithrilRules.shardRows == 0 else { return }
        if !isFull, spareBytes > shardBytes {
            table += [UInt32](repeating: 0, count: MithrilRules.shardRows * (list + 1))
            spareBytes -= shardBytes
        } else {
            isFull = true
            current = 1
        }
    }
}
