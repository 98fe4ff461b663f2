import CacheCore
import Foundation
import Testing

@testable import CacheTraces

/// The numbers of keys, wherever they are looked for.
@Suite struct KeyTableTests {
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

    private static let end: UInt64 = 1 << 28
    /// Small keys, up to the largest that have a place, and what makes the table change to hashes: a key too large, in the
    /// middle of a batch or at the beginning.
    static let ranges: [[Range<UInt64>]] = [
        [0..<3], [0..<70_000], [1_000_000..<1_040_000, 0..<40_000], [end - 50..<end, 0..<50],
        [0..<50_000, end - 3..<end + 3, 40_000..<60_000], [0..<300, UInt64.max - 300..<UInt64.max, 0..<600],
        [end + 1..<end + 9, 0..<600],
    ]

    @Test(arguments: ranges)
    func smallKeysAreNumberedAsOthers(ranges: [Range<UInt64>]) throws {
        try Self.compare(ranges.flatMap { Array($0) })
        try Self.compare(ranges.flatMap { $0.reversed() })
        var random = SeededGenerator(seed: 3)
        var keys: [UInt64] = []
        for range in ranges {
            for _ in 0..<20_000 { keys.append(range.lowerBound + random.next(below: UInt64(range.count))) }
        }
        try Self.compare(keys)
    }

    @Test func scatteredKeysAreNumberedAsOthers() throws {
        let scattered = (0..<20_000).map { (key: UInt64) in key &* 7919 % Self.end }
        try Self.compare(scattered + scattered.reversed() + (0..<2000))
    }

    @Test func smallKeysTakeNoMoreMemoryThanTheyMay() {
        var small = SmallKeys()
        let isTooLarge = !small.insert(1 << 28, 0)
        let limit = small.limit
        #expect(isTooLarge && limit == 0)
        var pages: UInt64 = 0
        while small.insert(pages << 10, 0) { pages += 1 }
        #expect(pages * 4096 == 32 << 20)
        // A page that is there takes no more, and as many objects as are justify another.
        let outcomes = [small.insert(1, 0), small.insert(pages << 10, 127), small.insert(pages << 10, 128)]
        #expect(outcomes == [true, false, true])
        let numbers = [small[pages << 10], small[pages << 10 + 1]]
        #expect(numbers == [129, 0])
    }

    private static func compare(_ keys: [UInt64]) throws {
        var table = KeyTable()
        var numbers: [UInt64: UInt32] = [:]
        var first = 0
        while first < keys.count {
            // Batches of every length up to the longest.
            let batch = keys[first..<min(first + 1 + first % KeyTable.batchCount, keys.count)]
            var ids = [UInt32](repeating: 0, count: batch.count)
            try Array(batch).withUnsafeBufferPointer { keys in
                try ids.withUnsafeMutableBufferPointer { try table.number(keys, into: $0.baseAddress!) }
            }
            for (key, id) in zip(batch, ids) {
                let expected = numbers[key, default: UInt32(numbers.count)]
                try #require(id == expected, "key \(key)")
                numbers[key] = id
            }
            first = batch.endIndex
        }
        let text = try [UInt8]("x".utf8).withUnsafeBytes { try table.number($0) }
        #expect(Int(text) == numbers.count)
        for key in Set(keys).prefix(1000) {
            var id: UInt32 = 0
            try withUnsafePointer(to: key) { try table.number(UnsafeBufferPointer(start: $0, count: 1), into: &id) }
            #expect(id == numbers[key])
        }
    }
}
