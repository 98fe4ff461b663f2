internal import CacheCore

/// The requests of one population of objects: keys from a generator, operations from a mix.
///
/// Inserted objects have the keys after the first `objects`. Where there are inserts or scans, ranks of popularity are spread over the
/// keys by a fixed permutation, and over the keys that are still to be inserted too, as YCSB does it: a rank whose object is not there
/// yet is drawn again. The objects of a scan have keys in a row.
struct OperationStream<Generator: KeyGenerator>: RequestStream {
    private static var drawsMax: Int { 64 }

    private var generator: Generator
    private let isInsert: Double
    private let isWrite: Double
    private let isDelete: Double
    private let isReadModifyWrite: Double
    private let isScan: Double
    private let scanLengthMax: Int
    /// The keys that exist.
    private var keys: UInt64
    private let spread: KeySpread?
    private var random: SeededGenerator
    private var key: UInt64 = 0
    private var scanLeft = 0
    private var writesNext = false

    /// The requests of a mix over keys of a generator of so many objects, where `spread` is of the same number or nil.
    init(_ generator: Generator, _ mix: OperationMix, objects: Int, spread: KeySpread?, seed: UInt64) {
        self.generator = generator
        isInsert = mix.inserts
        isWrite = isInsert + mix.writes
        isDelete = isWrite + mix.deletes
        isReadModifyWrite = isDelete + mix.readModifyWrites
        isScan = isReadModifyWrite + mix.scans
        scanLengthMax = mix.scanLengthMax
        keys = UInt64(objects)
        self.spread = spread
        random = SeededGenerator(seed: mix64(seed ^ 0x6f70_6572_6174_696f))
    }

    mutating func next() -> (key: UInt64, operation: TraceOperation) {
        if scanLeft > 0 {
            scanLeft -= 1
            key += 1
            return (key, .read)
        }
        if writesNext {
            writesNext = false
            return (key, .write)
        }
        let draw = random.nextUnit()
        if draw < isInsert {
            key = keys
            keys += 1
            generator.grow()
            return (key, .write)
        }
        key = drawKey()
        if draw < isWrite { return (key, .write) }
        if draw < isDelete { return (key, .remove) }
        if draw < isReadModifyWrite {
            writesNext = true
        } else if draw < isScan {
            scanLeft = Int(min(UInt64(random.next(below: scanLengthMax)), keys - 1 - key))
        }
        return (key, .read)
    }

    private mutating func drawKey() -> UInt64 {
        guard let spread else { return generator.next() }
        for _ in 0..<Self.drawsMax {
            let drawn = spread.key(ofRank: generator.next())
            if drawn < keys { return drawn }
        }
        return spread.key(ofRank: generator.next()) % keys
    }
}

/// A permutation of keys under which ranks that are neighbours lie far apart.
struct KeySpread {
    /// The number of keys.
    let keys: UInt64
    private let stride: UInt64

    /// A permutation of so many keys, at least 1.
    init(keys: UInt64) {
        self.keys = keys
        // The golden section of the keys, or the next number that shares no factor with theirs.
        var stride = max(1, UInt64((Double(keys) * 0.618_033_988_749_894_9).rounded(.down)))
        while Self.commonFactor(stride, keys) != 1 { stride += 1 }
        self.stride = stride
    }

    /// Those of the pattern that draw from keys to come as well; nil for a mix or a pattern without them.
    init?(_ mix: OperationMix, _ pattern: AccessPattern, requests: Int, objects: Int) {
        guard mix.inserts > 0 || mix.scans > 0 else { return nil }
        if case .latest = pattern { return nil }
        // Twice the inserts to be expected, as in YCSB.
        let inserts = Double(requests) / mix.requestsPerOperation * mix.inserts * 2
        self.init(keys: UInt64(objects) + UInt64(inserts.rounded(.up)))
    }

    func key(ofRank rank: UInt64) -> UInt64 { keys.dividingFullWidth(rank.multipliedFullWidth(by: stride)).remainder }

    private static func commonFactor(_ one: UInt64, _ other: UInt64) -> UInt64 {
        var (one, other) = (one, other)
        while other != 0 { (one, other) = (other, one % other) }
        return one
    }
}
