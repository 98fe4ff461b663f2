import CacheCore
import Foundation
import Testing

@testable import CacheStorageServers

/// What memcached sees of keys, and how entries stand on servers.
@Suite("Memcached keys and envelopes")
struct MemcachedKeyTests {
    @Test func `base 64 is Foundation's`() {
        for count in 0..<200 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            #expect(MemcachedKey.base64(bytes) == Data(bytes).base64EncodedString())
        }
    }

    @Test func `written keys fit, differ, and stand by digest only where they must`() {
        var seen: Set<String> = []
        for count in [0, 1, 9, 176, 177, 178, 250, 4_096] {
            for last in [UInt8(0), 1] {
                let key = count == 0 ? [] : [UInt8](repeating: 7, count: count - 1) + [last]
                for namespace in [UInt64(0), 1] {
                    let written = MemcachedKey(key, namespace: namespace)
                    #expect(written.written.utf8.count <= MemcachedKey.writtenBytesMax)
                    #expect((written.kept != nil) == (count > 177))
                    seen.insert(written.written)
                }
            }
        }
        #expect(seen.count == 7 * 4 + 2)
        // A key that is another's digest is not taken for it.
        let long = [UInt8](repeating: 1, count: 200)
        let digest = Array(SHA256.hexadecimal(of: long).utf8)
        #expect(MemcachedKey(long, namespace: 0).written != MemcachedKey(digest, namespace: 0).written)
    }

    @Test(arguments: [nil, 0, -1, Int64.min, .max, 1_800_000_000_123_456_789])
    func `an envelope gives back what was put in`(moment: Int64?) throws {
        for value in [[], [0], [UInt8](0...255)] {
            for key in [nil, [], [UInt8](repeating: 2, count: 300)] as [[UInt8]?] {
                let entry = StoredEntry(value, expiresAtNanoseconds: moment)
                let bytes = StoredEnvelope.encode(entry, key: key)
                let decoded = try #require(StoredEnvelope.decode(bytes))
                #expect(decoded.entry == entry)
                #expect(decoded.key == key)
                for cut in 0..<(bytes.count - value.count) {
                    #expect(StoredEnvelope.decode(Array(bytes[..<cut])) == nil)
                }
            }
        }
        #expect(StoredEnvelope.decode([4]) == nil)
    }

    @Test func `moments are rounded up`() {
        #expect(ServerMoment.roundedUp(1_000_000, toUnitsOf: 1_000_000) == 1)
        #expect(ServerMoment.roundedUp(1_000_001, toUnitsOf: 1_000_000) == 2)
        #expect(ServerMoment.roundedUp(-1, toUnitsOf: 1_000_000) == 0)
        #expect(ServerMoment.roundedUp(.max, toUnitsOf: 1_000_000) == 9_223_372_036_855)
    }
}
