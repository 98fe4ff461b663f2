import CacheCore
import Testing

@testable import CacheTraces

/// A request as a generator makes it.
struct GeneratedRequest: Equatable {
    var key: UInt64
    var attributes: RequestAttributes
}

/// The requests of a specification.
func generated(_ specification: WorkloadSpecification) throws -> [GeneratedRequest] {
    var list = RecordList()
    try specification.generate(into: &list)
    return list.records.map { record in
        guard case .integer(let key) = record.key else {
            return GeneratedRequest(key: .max, attributes: record.attributes)
        }
        return GeneratedRequest(key: key, attributes: record.attributes)
    }
}

@Suite struct OperationStreamTests {
    private func requests(
        _ mix: OperationMix, _ pattern: AccessPattern = .zipf(exponent: 0.99), requests: Int = 20_000,
        objects: Int = 1000
    ) throws -> [GeneratedRequest] {
        try generated(
            WorkloadSpecification(pattern: pattern, requests: requests, objects: objects, seed: 42, operations: mix))
    }

    @Test func `writes and deletes have their shares, and keys are those of a trace without operations`() throws {
        let found = try requests(OperationMix(writes: 0.3, deletes: 0.1))
        func count(_ operation: TraceOperation) -> Int { found.count { $0.attributes.operation == operation } }
        #expect(abs(count(.write) - 6000) < 300 && abs(count(.remove) - 2000) < 200)
        #expect(count(.read) + count(.write) + count(.remove) == 20_000)
        let plain = WorkloadSpecification(pattern: .zipf(exponent: 0.99), requests: 20_000, objects: 1000, seed: 42)
        #expect(try generated(plain).map(\.key) == found.map(\.key))
    }

    @Test func `a read-modify-write is a read and then a write of the same object`() throws {
        let found = try requests(OperationMix(readModifyWrites: 1))
        for pair in stride(from: 0, to: found.count, by: 2) {
            #expect(found[pair].attributes.operation == .read && found[pair + 1].attributes.operation == .write)
            #expect(found[pair].key == found[pair + 1].key)
        }
    }

    @Test func `inserts write new objects in order, and later requests ask for them too`() throws {
        let found = try requests(OperationMix(inserts: 0.05))
        let writes = found.filter { $0.attributes.operation == .write }.map(\.key)
        #expect(writes == (0..<UInt64(writes.count)).map { 1000 + $0 })
        #expect(abs(writes.count - 1000) < 150)
        var existing: UInt64 = 1000
        var readsOfNew = 0
        for request in found {
            if request.attributes.operation == .write { existing += 1 }
            #expect(request.key < existing)
            if request.attributes.operation == .read, request.key >= 1000 { readsOfNew += 1 }
        }
        #expect(readsOfNew > 1000)
    }

    @Test func `latest asks for the newest objects the most`() throws {
        let found = try requests(OperationMix(inserts: 0.05), .latest(exponent: 0.99))
        var newest: UInt64 = 999
        var ages: [UInt64: Int] = [:]
        for request in found {
            if request.attributes.operation == .write { newest = request.key }
            if request.attributes.operation == .read { ages[newest - request.key, default: 0] += 1 }
        }
        #expect(ages[0]! > ages[1]! && ages[1]! > ages[3]! && ages[3]! > ages[20]!)
    }

    @Test func `a scan reads objects in a row, up to the last`() throws {
        let found = try requests(OperationMix(scans: 1, scanLengthMax: 10)).map(\.key)
        var lengths: [Int: Int] = [:]
        var length = 1
        for (before, key) in zip(found, found.dropFirst()) {
            if key == before + 1 {
                length += 1
            } else {
                lengths[length, default: 0] += 1
                length = 1
            }
        }
        #expect(found.allSatisfy { $0 < 1000 })
        // Two scans may meet by chance.
        #expect(lengths.filter { $0.key <= 10 }.values.reduce(0, +) > 3000)
        for length in 1...10 { #expect(abs((lengths[length] ?? 0) - 363) < 120) }
    }

    @Test func `keys are spread by a permutation`() {
        for keys in [1, 2, 3, 10, 97, 1000, 1024] as [UInt64] {
            let spread = KeySpread(keys: keys)
            #expect(Set((0..<keys).map(spread.key(ofRank:))) == Set(0..<keys))
        }
        let large = KeySpread(keys: 1 << 33)
        #expect(large.key(ofRank: 1 << 33 - 1) < 1 << 33)
    }

    /// The first twelve requests of each mix, which must never change: reads as they are, writes negative, removals plus 10,000.
    static let golden: [(OperationMix, AccessPattern, [Int])] = [
        (OperationMix(writes: 0.3, deletes: 0.2), .zipf(exponent: 0.99), GoldenRequests.mixed),
        (OperationMix(inserts: 0.2), .latest(exponent: 0.99), GoldenRequests.latest),
        (OperationMix(inserts: 0.1, scans: 0.9, scanLengthMax: 5), .zipf(exponent: 0.99), GoldenRequests.scans),
        (OperationMix(readModifyWrites: 0.5), .uniform, GoldenRequests.readModifyWrites),
    ]

    @Test(arguments: golden)
    func `the first requests never change`(mix: OperationMix, pattern: AccessPattern, expected: [Int]) throws {
        let found = try requests(mix, pattern, requests: 12).map { request in
            switch request.attributes.operation {
            case .write: -Int(request.key)
            case .remove: Int(request.key) + 10_000
            default: Int(request.key)
            }
        }
        #expect(found == expected)
    }

    @Test func `shares that do not go together are refused`() {
        func fault(_ mix: OperationMix, _ pattern: AccessPattern = .uniform) -> String? { mix.fault(with: pattern) }
        #expect(fault(OperationMix(writes: 0.95, inserts: 0.05)) == nil)
        #expect(fault(OperationMix(writes: 0.6, deletes: 0.6))?.contains("at most 1") == true)
        #expect(fault(OperationMix(writes: -0.1))?.contains("from 0 to 1") == true)
        #expect(fault(OperationMix(writes: .nan))?.contains("from 0 to 1") == true)
        #expect(fault(OperationMix(scans: 0.1, scanLengthMax: 0))?.contains("scan-length-max") == true)
        #expect(fault(OperationMix(inserts: 0.1), .loop)?.contains("uniform, zipf or latest") == true)
    }
}
