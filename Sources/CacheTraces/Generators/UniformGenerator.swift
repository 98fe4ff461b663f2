internal import CacheCore

/// Every object is equally popular and requests are independent.
struct UniformGenerator: KeyGenerator {
    private let objects: UInt64
    private var random: SeededGenerator

    init(objects: Int, seed: UInt64) {
        self.objects = UInt64(objects)
        random = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 { random.next(below: objects) }
}
