/// All objects in order, again and again: the workload on which LRU never hits until everything fits.
struct LoopGenerator: KeyGenerator {
    private let objects: UInt64
    private var key: UInt64 = 0

    init(objects: Int) { self.objects = UInt64(objects) }

    mutating func next() -> UInt64 {
        defer { key = key + 1 == objects ? 0 : key + 1 }
        return key
    }
}
