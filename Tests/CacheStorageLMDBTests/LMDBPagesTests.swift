import CacheConformance
import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheStorageLMDB

@Suite("Damage to a closed database")
struct LMDBPagesTests {
    private let directory: TemporaryDirectory
    private var data: URL { URL(filePath: directory.path + "/data.mdb") }
    private static let entries = 3_000

    init() throws { directory = try TemporaryDirectory() }

    private func open() throws -> any StorageBackend { try LMDBConformanceTests.subject("").open(in: directory.path) }

    private static func key(_ number: Int) -> [UInt8] { Array("key \(number)".utf8) }
    /// Every tenth is long and has pages of its own.
    private static func value(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number % 10 == 0 ? 9_000 : 50)
    }

    private func fill() throws {
        let store = try open()
        for number in 0..<Self.entries { try store.put(StoredEntry(Self.value(number)), for: Self.key(number)) }
        for number in 0..<100 { #expect(try store.remove(Self.key(number))) }
        try store.close()
    }

    /// How many entries are whole after a change of the file; nothing else may be found.
    private func found() throws -> Int {
        let store = try open()
        var found = 0
        for number in 0..<Self.entries {
            guard let entry = try store.get(Self.key(number)) else { continue }
            #expect(entry.value == Self.value(number) && number >= 100)
            found += 1
        }
        #expect(try store.count() == found && store.keys().count == found)
        try store.put(StoredEntry([1]), for: [9])
        #expect(try store.remove([9]))
        try store.close()
        return found
    }

    @Test func `one damaged page costs its own entries, wherever it lies`() throws {
        try fill()
        let sound = try Data(contentsOf: data)
        let sums = try Data(contentsOf: URL(filePath: directory.path + "/data.sums"))
        let all = Self.entries - 100
        #expect(try found() == all)
        var left: [Int] = []
        for page in stride(from: 2, to: sound.count / 4_096, by: 7) {
            var damaged = sound
            damaged[page * 4_096 + 20] ^= 16
            try damaged.write(to: data)
            try sums.write(to: URL(filePath: directory.path + "/data.sums"))
            left.append(try found())
        }
        // A leaf holds fewer than a hundred entries, a page of a long value one, and a free page none; branches are few.
        #expect(left.count { $0 < all } > 10)
        #expect(left.count { $0 < all - 100 } < left.count / 10)
    }

    @Test func `the page of the last transaction is not replaced by the one before it`() throws {
        try fill()
        var damaged = try Data(contentsOf: data)
        // The numbers of the last two transactions.
        let numbers = [0, 1].map { page in
            damaged[page * 4_096 + 144..<page * 4_096 + 152].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        damaged[(numbers[0] > numbers[1] ? 0 : 1) * 4_096 + 144] ^= 64
        try damaged.write(to: data)
        #expect(try found() == 0)
    }

    @Test func `without sound checksums, as after a kill, the database opens as it is`() throws {
        try fill()
        let place = URL(filePath: directory.path + "/data.sums")
        for sums in [Data(), Data(repeating: 7, count: 800)] {
            try sums.write(to: place)
            #expect(try found() == Self.entries - 100)
        }
    }
}
