internal import CacheCore

/// The k-th newest of the objects has probability proportional to `k^-exponent`. New objects make all others older by one.
struct LatestGenerator: KeyGenerator {
    private var zipf: ZipfGenerator
    private var newest: UInt64

    init(objects: Int, exponent: Double, seed: UInt64) {
        zipf = ZipfGenerator(objects: objects, exponent: exponent, seed: seed)
        newest = UInt64(objects) - 1
    }

    mutating func next() -> UInt64 { newest - zipf.next() }

    mutating func grow() {
        newest += 1
        zipf.grow()
    }
}
