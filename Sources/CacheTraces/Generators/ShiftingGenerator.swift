internal import CacheCore

/// Zipf popularity that moves: after every `period` requests each rank passes to the object `shift` places further.
struct ShiftingGenerator: KeyGenerator {
    private var zipf: ZipfGenerator
    private let objects: UInt64
    private let period: Int
    private let shift: UInt64
    private var position = 0
    private var offset: UInt64 = 0

    init(objects: Int, exponent: Double, period: Int, shift: Int, seed: UInt64) {
        zipf = ZipfGenerator(objects: objects, exponent: exponent, seed: seed)
        self.objects = UInt64(objects)
        self.period = period
        self.shift = UInt64(shift)
    }

    mutating func next() -> UInt64 {
        if position == period {
            position = 0
            offset = (offset + shift) % objects
        }
        position += 1
        return (zipf.next() + offset) % objects
    }
}
