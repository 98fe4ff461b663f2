import CacheCore
import Foundation
import Testing

@testable import CacheTraces

/// Records that are taken together make the trace that they make one by one.
@Suite struct RecordColumnsTests {
    private struct Record {
        var key: UInt64
        var size: UInt64
        var time: Int64
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The compiled file.
    private func compiled(_ records: [Record], together: Bool) throws -> Data {
        let path = folder.path + "/trace-\(together)"
        var compiler = try TraceCompiler(temporary: path + ".temporary")
        if together {
            var columns = RecordColumns()
            for record in records {
                columns.append(key: record.key, sizeBytes: record.size, timeNanoseconds: record.time)
                guard columns.isFull else { continue }
                try compiler.append(columns)
                columns.removeAll()
            }
            try compiler.append(columns)
        } else {
            for record in records {
                let attributes = RequestAttributes(sizeBytes: record.size, timeNanoseconds: record.time)
                try compiler.append(integer: record.key, attributes)
            }
        }
        try compiler.finish(as: path, digest: "d", sourceDigest: "s", formatDescription: "f")
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    /// Every record like the first but for one column of one, at each place where blocks begin and end.
    @Test(arguments: [1, RecordColumns.capacity, 3 * RecordColumns.capacity + 5, KeyBlock.capacity + 700])
    func oneThatDiffersIsKept(count: Int) throws {
        let last = RecordColumns.capacity - 1
        for place in [0, 1, last, last + 1, last + 2, KeyBlock.capacity, count - 1] where place < count {
            for size: UInt64 in [0, 7, 1 << 31, UInt64(UInt32.max) - 1, UInt64(UInt32.max), 1 << 40] {
                var records = (0..<count).map { Record(key: UInt64($0 % 300), size: 7, time: -1) }
                records[place].size = size
                let isSame = try compiled(records, together: true) == compiled(records, together: false)
                #expect(isSame, "size \(size) at \(place) of \(count)")
            }
            var records = (0..<count).map { Record(key: UInt64($0 % 300), size: 1 << 40, time: 0) }
            records[place].time = .max
            let isSame = try compiled(records, together: true) == compiled(records, together: false)
            #expect(isSame, "time at \(place) of \(count)")
        }
    }

    @Test func anythingIsKept() throws {
        var random = SeededGenerator(seed: 1)
        for count in [0, 3, 5_000, 70_000] {
            for kinds in [1, 2, 1_000] {
                let records = (0..<count).map { index in
                    Record(
                        key: random.next(below: UInt64(2_000)), size: random.next(below: UInt64(kinds)),
                        time: Int64(index / 1_500 % kinds))
                }
                let isSame = try compiled(records, together: true) == compiled(records, together: false)
                #expect(isSame, "\(count) records of \(kinds) sizes")
            }
        }
    }

    /// Equal sizes are not added up one by one, and may still be too many.
    @Test(arguments: [false, true]) func tooManyBytesAreNoticed(together: Bool) throws {
        let size = UInt64(Int.max) / 1_500
        for count in [1_600, 5_000] {
            #expect(throws: AssayError.self, "\(count)") {
                try compiled([Record](repeating: Record(key: 0, size: size, time: 0), count: count), together: together)
            }
        }
        _ = try compiled([Record](repeating: Record(key: 0, size: size, time: 0), count: 1_400), together: together)
    }
}
