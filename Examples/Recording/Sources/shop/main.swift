import CacheCore
import CacheEngine
import CacheEngineRecording
import CachePolicies
import CacheRecording
import Foundation

// A shop with a cache of pages, which four threads serve. Every request of the cache is recorded.

/// The bytes of a page.
func page(_ number: Int) -> [UInt8] { [UInt8](repeating: 0, count: 500 + number % 5000) }

func serve(_ cache: Cache<String, [UInt8]>, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50_000 {
        // The smallest of three draws: low numbers are asked for more often.
        let number = (0..<3).map { _ in random.next(below: 20_000) }.min() ?? 0
        let path = "/page/\(number)"
        if cache.value(for: path) == nil { cache.put(page(number), for: path, expiring: .after(.seconds(300))) }
    }
}

guard CommandLine.arguments.count == 2 else {
    FileHandle.standardError.write(Data("shop: name the path of the recording, as: shop recordings/pages\n".utf8))
    exit(64)
}

var recording = RecordingOptions()
// These threads do nothing but ask the cache; there is room for all that they ask.
recording.bufferBytes = 64 << 20
let recorder = try CacheRecorder(path: CommandLine.arguments[1], recording)

var options = CacheOptions<String, [UInt8]>(capacity: .bytes(4 << 20))
options.weigher = { _, page in page.count }
options.record(to: recorder)
let cache = try Cache(options, policy: LRUPolicy<ByteSizes>.self)

await withTaskGroup(of: Void.self) { group in
    for seed in 1...4 { group.addTask { serve(cache, seed: UInt64(seed)) } }
}
recorder.close()
print("recorded \(recorder.statistics.written), lost \(recorder.statistics.lost)")
print("hits \(cache.statistics.hits), misses \(cache.statistics.misses)")
