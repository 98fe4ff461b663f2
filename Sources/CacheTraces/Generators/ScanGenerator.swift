internal import CacheCore

/// A hot set with Zipf popularity, interrupted by scans: after every `hotRequests` requests come `scanLength` of the
/// other objects, in order, each scan going on where the last one ended.
struct ScanGenerator: KeyGenerator {
    private var hot: ZipfGenerator
    private let hotObjects: UInt64
    private let objects: UInt64
    private let hotRequests: Int
    private let scanLength: Int
    private var position = 0
    private var cold: UInt64

    init(objects: Int, hotObjects: Int, exponent: Double, hotRequests: Int, scanLength: Int, seed: UInt64) {
        hot = ZipfGenerator(objects: hotObjects, exponent: exponent, seed: seed)
        self.hotObjects = UInt64(hotObjects)
        self.objects = UInt64(objects)
        self.hotRequests = hotRequests
        self.scanLength = scanLength
        cold = UInt64(hotObjects)
    }

    mutating func next() -> UInt64 {
        defer { position = position + 1 == hotRequests + scanLength ? 0 : position + 1 }
        guard position >= hotRequests else { return hot.next() }
        defer { cold = cold + 1 == objects ? hotObjects : cold + 1 }
        return cold
    }
}
