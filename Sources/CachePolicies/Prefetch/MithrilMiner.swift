internal import CacheCore

/// MITHRIL's two tables of times: the recording table, for objects with fewer times than the support, and the mining table.
///
/// 4 bytes an object, and in a row of a table 8 and 2 for each time.
struct MithrilMiner: ~Copyable {
    private let rules: MithrilRules
    /// Where an object is: above 0 a row of the recording table, below 0 one of the mining table, counted from 1; else 0.
    private let places: FixedBuffer<Int32>
    private var recording: MithrilTable
    private var mining: MithrilTable
    /// The row that the next object takes, which is empty.
    private var current = 1

    init(_ rules: MithrilRules, objects: Int) {
        self.rules = rules
        places = FixedBuffer(repeating: 0, count: objects)
        recording = MithrilTable(stampsMost: rules.support)
        recording.grow(to: rules.recordingRows)
        mining = MithrilTable(stampsMost: rules.supportMost)
    }

    /// Whether the mining table has as many rows as are mined together.
    var isReady: Bool { mining.count >= rules.miningRows }

    /// Keeps a time of an object.
    mutating func record(_ id: ObjectID, at time: Int) {
        let place = Int(places[id])
        if place < 0 {
            recordMature(id, -place - 1, time)
        } else if place > 0 {
            recordYoung(id, place, time)
        } else if rules.support == 1 {
            mature(id, MithrilTable.Row(id: id, stamps: [MithrilTable.stamp(time)]))
        } else {
            recordFirst(id, time)
        }
    }

    private mutating func recordFirst(_ id: ObjectID, _ time: Int) {
        recording.rows[current] = MithrilTable.Row(id: id, stamps: [MithrilTable.stamp(time)])
        places[id] = Int32(current)
        current += 1
        if current >= rules.recordingRows { current = 1 }
        // The oldest object makes way.
        if let old = recording.rows[current] {
            places[old.id] = 0
            recording.rows[current] = nil
        }
    }

    private mutating func recordYoung(_ id: ObjectID, _ place: Int, _ time: Int) {
        recording.add(time, to: place)
        guard let row = recording.rows[place], row.stamps.count >= rules.support else { return }
        // The last row takes the place of the one that goes, unless the table has just begun anew.
        if current >= 2 {
            let last = recording.rows[current - 1]
            recording.rows[current - 1] = nil
            if place != current - 1 {
                recording.rows[place] = last
                if let last { places[last.id] = Int32(place) }
            }
            current -= 1
        } else {
            recording.rows[place] = nil
        }
        mature(id, row)
    }

    private mutating func mature(_ id: ObjectID, _ row: MithrilTable.Row) {
        mining.rows.append(row)
        places[id] = -Int32(mining.count)
    }

    /// Adds a time, or drops the object if it has too many.
    private mutating func recordMature(_ id: ObjectID, _ index: Int, _ time: Int) {
        let before = mining.rows[index]?.stamps.count ?? 0
        mining.add(time, to: index)
        guard before >= rules.supportMost else { return }
        places[id] = 0
        let last = mining.rows.removeLast()
        if index < mining.count, let last {
            mining.rows[index] = last
            places[last.id] = -Int32(index + 1)
        }
    }

    /// Associates the objects of the mining table and empties it.
    mutating func mine(into associations: inout MithrilAssociations) {
        var rows = mining.rows.compactMap(\.self)
        mining.rows.removeAll(keepingCapacity: true)
        for row in rows { places[row.id] = 0 }
        rows = rows.enumerated().sorted { ($0.1.stamp(1), $0.0) < ($1.1.stamp(1), $1.0) }.map(\.1)
        for (index, row) in rows.enumerated() {
            var isFirst = true
            for other in rows[(index + 1)...] {
                guard other.stamp(1) - row.stamp(1) <= rules.lookahead else { break }
                guard abs(row.stamps.count - other.stamps.count) <= rules.confidence else { continue }
                if areAssociated(row, other, isFirst: isFirst) { associations.add(other.id, after: row.id) }
                isFirst = false
            }
        }
    }

    private func areAssociated(_ row: MithrilTable.Row, _ other: MithrilTable.Row, isFirst: Bool) -> Bool {
        let compared = min(row.stamps.count, other.stamps.count)
        var associated = isFirst || (compared == 1 && abs(row.stamp(1) - other.stamp(1)) == 1)
        var apart = 0
        for number in 1..<max(1, compared) {
            let distance = abs(row.stamp(number) - other.stamp(number))
            if distance > rules.lookahead {
                apart += 1
                if apart > rules.confidence { return false }
            }
            if distance == 1 { associated = true }
        }
        return associated
    }
}

/// Rows of objects with their times.
struct MithrilTable {
    /// An object and when it was requested.
    struct Row {
        let id: ObjectID
        var stamps: [UInt16]

        /// A time by its number from 1. libCacheSim packs four into a word, and reads the number of those for each fourth.
        func stamp(_ number: Int) -> Int {
            let (word, place) = (number / 5, number % 4)
            guard place > 0 else { return min(4, max(0, stamps.count - 4 * word)) }
            let position = 4 * word + place - 1
            return position < stamps.count ? Int(stamps[position]) : 0
        }
    }

    var rows: [Row?] = []
    private let stampsMost: Int
    var count: Int { rows.count }

    /// An empty table whose rows have room for a number of times, rounded up to words of four.
    init(stampsMost: Int) { self.stampsMost = (stampsMost + 3) / 4 * 4 }

    /// A time in 15 bits.
    static func stamp(_ time: Int) -> UInt16 { UInt16(truncatingIfNeeded: time) & 0x7FFF }

    mutating func grow(to count: Int) { rows += [Row?](repeating: nil, count: max(0, count - rows.count)) }

    /// Adds a time to a row that has room for it.
    mutating func add(_ time: Int, to index: Int) {
        guard let count = rows[index]?.stamps.count, count < stampsMost else { return }
        rows[index]?.stamps.append(Self.stamp(time))
    }
}
