import CacheCore
import Testing

@Suite("nearestName: what a person most likely meant")
struct NearestNameTests {
    private let names = ["lru", "mru", "lfu", "s3fifo", "sieve", "w-tinylfu", "belady"]

    @Test(
        arguments: [
            ("lur", "lru"), ("seive", "sieve"), ("s3fifi", "s3fifo"), ("S3FIFO", "s3fifo"), ("beladi", "belady"),
            ("bel", "belady"), ("wtinylfu", "w-tinylfu"),
        ])
    func near(_ written: String, _ meant: String) {
        #expect(nearestName(to: written, among: names) == meant)
    }

    @Test(arguments: ["xyzzy", "", "a-very-long-word"])
    func far(_ written: String) {
        #expect(nearestName(to: written, among: names) == nil)
    }
}
