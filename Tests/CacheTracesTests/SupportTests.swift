import CacheCore
import Foundation
import Testing

@testable import CacheTraces

@Suite struct SupportTests {
    @Test func keyTableAgreesWithADictionary() throws {
        var table = KeyTable()
        var numbers: [[UInt8]: UInt32] = [:]
        var random = SeededGenerator(seed: 7)
        for step in 0..<600 {
            let keys = (0..<KeyTable.batchCount).map { _ in
                random.next(below: UInt64(60_000)) << (random.next() & 1 == 0 ? 0 : 32)
            }
            if step % 3 == 2 {
                for key in keys.prefix(20) {
                    let text = Array("k\(key % 5000)".utf8)
                    let id = try text.withUnsafeBytes { try table.number($0) }
                    #expect(id == numbers[text, default: UInt32(numbers.count)])
                    numbers[text] = id
                }
                continue
            }
            var ids = [UInt32](repeating: 0, count: keys.count)
            try keys.withUnsafeBufferPointer { keys in
                try ids.withUnsafeMutableBufferPointer { try table.number(keys, into: $0.baseAddress!) }
            }
            for (key, id) in zip(keys, ids) {
                let text = bytes(key)
                #expect(id == numbers[text, default: UInt32(numbers.count)])
                numbers[text] = id
            }
        }
        #expect(table.count == numbers.count)
        #expect(table.count > 50_000)
    }

    /// Few hashes for many objects, so that buckets overflow into each other and around the end.
    @Test(arguments: [1, 2, 7, 40], [1, 3, 50])
    func bucketsKeepEveryObjectOfAHash(count: Int, distinctHashes: Int) {
        let buckets = KeyBuckets(count: count)
        var random = SeededGenerator(seed: UInt64(count * distinctHashes))
        let hashes = (0..<distinctHashes).map { index in index == 0 ? UInt64.max << 8 : random.next() }
        var objects: [UInt64: Set<UInt32>] = [:]
        for id in 0..<UInt32(buckets.limit) {
            let hash = hashes[Int(random.next(below: UInt64(distinctHashes)))]
            #expect(buckets.first(hash) { $0 == id } == nil)
            buckets.insert(hash, id)
            objects[hash, default: []].insert(id)
            #expect(buckets.candidate(hash) <= id)
            for (hash, ids) in objects where id % 16 == 0 {
                for id in ids { #expect(buckets.first(hash) { $0 == id } == id) }
            }
        }
        for (hash, ids) in objects {
            var seen: Set<UInt32> = []
            _ = buckets.first(hash) { id in
                seen.insert(id)
                return false
            }
            #expect(seen.isSuperset(of: ids))
            #expect(seen.count < 12 * count)
        }
    }

    @Test func keyOfNoBytesIsOneObject() throws {
        var table = KeyTable()
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(try [table.number(empty), table.number(empty)] == [0, 0])
        #expect(try [UInt8]("x".utf8).withUnsafeBytes { try table.number($0) } == 1)
    }
}
