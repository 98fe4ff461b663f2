internal import CacheCore

/// A share of the requests goes to the first objects, evenly; the rest goes to the others, evenly.
struct HotspotGenerator: KeyGenerator {
    private let objects: UInt64
    private let hotObjects: UInt64
    private let hotShare: Double
    private var random: SeededGenerator

    init(objects: Int, hotObjects: Int, hotShare: Double, seed: UInt64) {
        self.objects = UInt64(objects)
        self.hotObjects = UInt64(hotObjects)
        self.hotShare = hotShare
        random = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 {
        if random.nextUnit() < hotShare { return random.next(below: hotObjects) }
        return hotObjects + random.next(below: objects - hotObjects)
    }
}
