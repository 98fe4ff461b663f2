import CacheCore
import CacheSystemRuns
import CacheSystems
import Testing
import _CacheTestSupport

@Suite("Probes of MethodCache and ExpiringDiskCache")
struct ThreadProbesTests {
    @Test func `calls are counted for one thread to sixteen`() async throws {
        let figures = try await probed("method-cache")
        #expect(
            figures.map(\.name)
                == ["1 thread", "2 threads", "4 threads", "8 threads", "16 threads"].map {
                    "calls a second, \($0)"
                })
        #expect(figures.allSatisfy { $0.unit == .perSecond && $0.value > 0 })
    }

    @Test func `reads and writes of both mixes, and the codecs`() async throws {
        let figures = try await probed("expiring-disk-cache")
        #expect(figures.filter { $0.unit == .perSecond }.count == 10)
        for (codec, way) in [
            ("JSON", "encoding"), ("JSON", "decoding"), ("JSON and a stage that masks it", "encoding"),
        ] {
            #expect(figures["\(codec): \(way) a byte"] ?? 0 > 0)
        }
    }

    @Test func `a store that changes a byte is noticed`() async throws {
        let error = await #expect(throws: AssayError.self) {
            try await onThread {
                let directory = try TemporaryDirectory()
                let (entry, setup) = try setup(
                    "expiring-disk-cache", [:], in: directory.path, scale: 0.001,
                    backend: BackendEntry(LyingStorage.self))
                return try entry.probe(setup)
            }
        }
        #expect(error?.code == .verdict && error?.message.hasPrefix("operations by threads: a wrong answer") == true)
    }
}

@Suite("Codecs are held to what they encode")
struct CodecProbeTests {
    @Test func `a codec that loses something is noticed`() throws {
        let lossy = ObjectCodec<[UInt8]>(encode: { $0 }, decode: { Array($0.dropLast()) })
        let objects: [[UInt8]] = [[1, 2, 3], [4]]
        let error = #expect(throws: AssayError.self) {
            _ = try ExpiringDiskCacheProbes.codecFigures([("bytes", .bytes), ("lossy", lossy)], objects)
        }
        #expect(error?.code == .verdict && error?.message.contains("lossy") == true)
        let figures = try ExpiringDiskCacheProbes.codecFigures([("bytes", .bytes)], objects)
        #expect(figures.map(\.name) == ["bytes: encoding a byte", "bytes: decoding a byte"])
    }
}

@Suite("Probes of CallCache")
struct CallCacheProbesTests {
    @Test func `keys, clearing and a monitor have their figures`() async throws {
        let figures = try await probed("call-cache")
        let (small, large) = (figures["key of small parameters"] ?? 0, figures["key of large parameters"] ?? 0)
        #expect(small > 0 && large > 10 * small)
        #expect(figures["keys that were made"] == 10_000 && figures["keys that collided"] == 0)
        #expect(figures["clearing 1000 answers"] ?? 0 > 0 && figures["clearing 10000 answers"] == nil)
        #expect(figures["a call without a monitor"] ?? 0 > 0 && figures["what a monitor adds"] != nil)
    }

    @Test func `keys that collide are counted`() throws {
        #expect(try KeyCollisions.count(1000) { UInt64($0 % 10) } == 990)
        #expect(try KeyCollisions.count(1000) { UInt64($0) } == 0)
        #expect(try KeyCollisions.count(1000) { UInt64($0 == 999 ? 5 : $0) } == 1)
    }
}

@Suite("Probes of RecordCache")
struct RecordCacheProbesTests {
    @Test func `memory holds more with a higher threshold, as far as it has room`() async throws {
        let figures = try await probed("record-cache")
        let held = [256, 1024, 4096, 16_384].compactMap { figures["in memory at a threshold of \($0)"] }
        let read = [256, 1024, 4096, 16_384].compactMap { figures["read from memory at a threshold of \($0)"] }
        #expect(held.count == 4 && held[0] < held[1] && held[1] < held[2] && read[0] < read[1])
        #expect(read.allSatisfy { (0...1).contains($0) })
        #expect(figures["hashes that collided"] == 0 && figures["hash of a record"] ?? 0 > 0)
        #expect(figures["encoding, against plain Codable to JSON"] ?? 0 > 0)
        // The names of the fields are stored once for all records.
        #expect(figures["bytes stored, of those of JSON"] ?? 1 < 1)
    }

    @Test func `a hash in which equal fields cancel out collides`() throws {
        let values = try (0..<200).map(RecordCacheProbes.hashed)
        let figures = try RecordCacheProbes.hashFigures(values) { value in
            value.record?.fields.reduce(0) { $0 ^ $1.value.hashValue } ?? 0
        }
        // The hundred with two equal fields share a hash.
        #expect(figures["hashes that collided"] == 99.0 / 200)
    }

    @Test func `a hash that is another each time is noticed`() throws {
        let values = try (0..<10).map(RecordCacheProbes.hashed)
        var made = 0
        let error = #expect(throws: AssayError.self) {
            _ = try RecordCacheProbes.hashFigures(values) { _ in
                made += 1
                return made
            }
        }
        #expect(error?.code == .verdict)
    }
}
