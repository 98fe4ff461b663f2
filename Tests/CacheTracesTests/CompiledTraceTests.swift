import CacheCore
import Foundation
import Synchronization
import Testing

@testable import CacheTraces

@Suite struct CompiledTraceTests {
    private func compile(_ text: String, _ format: String, in folder: TemporaryFolder) throws -> CompiledTrace {
        try folder.store.open(path: folder.write("input", Array(text.utf8)), format: format)
    }

    @Test func objectsAreNumberedInOrderOfAppearance() throws {
        let folder = try TemporaryFolder()
        let trace = try compile("30\nx\n10\n30\nx\n7\n", "plain", in: folder)
        #expect(Array(trace.columns.ids) == [0, 1, 2, 0, 1, 3])
        #expect((trace.requests, trace.objects) == (6, 4))
        #expect((0..<4).map { String(decoding: trace.key(of: $0), as: UTF8.self) } == ["30", "x", "10", "7"])
        #expect((0..<4).map { trace.integerKey(of: $0) } == [30, nil, 10, 7])
        #expect(!trace.hasSizes)
        #expect((trace.bytesRequested, trace.footprintBytes) == (6, 4))
        #expect(trace.columns.sizes == nil)
        #expect(trace.columns.uniformSize == 1)
        #expect(trace.timesNanoseconds == nil)
        #expect(trace.digest.count == 64)
        #expect(trace.formatDescription == "plain")
    }

    @Test func sizesAndTimesAreKept() throws {
        let folder = try TemporaryFolder()
        let trace = try compile("1,a,10\n2,b,5\n3,a,30\n4,b,4\n", "csv:time=1,key=2,size=3", in: folder)
        #expect(trace.hasSizes)
        #expect((trace.bytesRequested, trace.footprintBytes) == (49, 35))
        let sizes = try #require(trace.columns.sizes)
        #expect((0..<4).map { sizes.size(at: $0) } == [10, 5, 30, 4])
        #expect(trace.columns.objects == ObjectSpace(count: 2, smallestSize: 4))
        #expect(trace.largestSizes() == [30, 5])
        #expect(trace.columns.sizeChanges == 2)
        #expect(try compile("a,10\nb,5\na,10\n", "csv:key=1,size=2", in: folder).columns.sizeChanges == 0)
        #expect(Array(try #require(trace.timesNanoseconds)) == [1, 2, 3, 4].map { $0 * 1_000_000_000 })
    }

    @Test func timesToLiveAndCostsAreKept() throws {
        let folder = try TemporaryFolder()
        let trace = try compile(
            "1,a,,2\n2,b,5,2\n3,x,,2\n4,b,1,3\n5,c,,2\n", "csv:time=1,key=2,ttl=3,cost=4", in: folder)
        let timesToLive = try #require(trace.columns.timesToLive)
        #expect(Array(timesToLive) == [0, 5, 0, 1, 0].map { $0 * 1_000_000_000 })
        #expect(Array(try #require(trace.columns.times)) == [1, 2, 3, 4, 5].map { $0 * 1_000_000_000 })
        #expect(Array(try #require(trace.columns.costs)) == [2, 2, 2, 3, 2])
        #expect(trace.columns.keys == nil)
    }

    @Test func equalTimesAreKeptBesideTimesToLive() throws {
        let folder = try TemporaryFolder()
        let trace = try compile("7,a,5\n7,b,\n", "csv:time=1,key=2,ttl=3", in: folder)
        #expect(Array(try #require(trace.columns.times)) == [7, 7].map { $0 * 1_000_000_000 })
        #expect(try compile("a,5\nb,\n", "csv:key=1,ttl=2", in: folder).columns.times == nil)
    }

    @Test func operationsAreKeptUnlessAllAreReads() throws {
        let folder = try TemporaryFolder()
        let expected: [(String, [UInt8]?)] = [
            ("a,get\nb,SET\na,delete\nb,gets\n", [0, 1, 2, 0]), ("a,get\nb,R\n", nil), ("a,put\nb,w\n", [1, 1]),
        ]
        for (text, operations) in expected {
            let trace = try compile(text, "csv:key=1,op=2", in: folder)
            // The column is the trace's memory.
            withExtendedLifetime(trace) { #expect(trace.columns.operations.map { Array($0) } == operations) }
        }
    }

    @Test func mostTracesHaveNoTimesToLiveAndNoCosts() throws {
        let folder = try TemporaryFolder()
        let columns = try compile("1,7\n2,8\n", "csv:key=2,time=1", in: folder).columns
        #expect(columns.timesToLive == nil)
        #expect(columns.costs == nil)
        #expect(columns.operations == nil)
        #expect((0..<2).map { columns.keys?[$0] } == [7, 8])
    }

    @Test func equalSizesTakeNoColumn() throws {
        let folder = try TemporaryFolder()
        let trace = try compile("1,a,10\n1,b,10\n1,a,10\n", "csv:time=1,key=2,size=3", in: folder)
        #expect(trace.hasSizes)
        #expect(trace.columns.sizes == nil)
        #expect(trace.columns.uniformSize == 10)
        #expect((trace.bytesRequested, trace.footprintBytes) == (30, 20))
        #expect(trace.columns.objects.smallestSize == 10)
        #expect(trace.timesNanoseconds == nil)
        #expect(trace.largestSizes() == [10, 10])
    }

    @Test(arguments: [["4294967295", "4294967295"], ["4294967294", "4294967296", "7"], ["9000000000000000", "1"]])
    func sizesBeyond32BitsAreKept(sizes: [String]) throws {
        let folder = try TemporaryFolder()
        let text = sizes.enumerated().map { "\($0.offset),\($0.element)\n" }.joined()
        let trace = try compile(text, "csv:key=1,size=2", in: folder)
        let column = try #require(trace.columns.sizes)
        let expected = sizes.compactMap { Int($0) }
        #expect(expected.indices.map { column.size(at: $0) } == expected)
        #expect(trace.bytesRequested == expected.reduce(0, +))
        #expect(trace.footprintBytes == expected.reduce(0, +))
    }

    /// Sums beyond 63 bits cannot be counted, and footprints beyond 2^53 bytes are no capacity.
    @Test(arguments: ["1,9223372036854775807\n2,1\n", "1,9007199254740992\n2,1\n", "1,9007199254740993\n"])
    func sizesThatOverflowAreRefused(text: String) throws {
        let folder = try TemporaryFolder()
        let error = assayError { () throws(AssayError) in
            do { _ = try compile(text, "csv:key=1,size=2", in: folder) } catch {
                if let error = error as? AssayError { throw error }
            }
        }
        #expect(error?.code == .badInput)
        #expect(error?.message.contains("not a size") == true)
        #expect(error?.location?.source.hasPrefix(folder.path) == true)
    }

    @Test func largestFootprintIsKept() throws {
        let folder = try TemporaryFolder()
        let trace = try compile("1,9007199254740991\n2,1\n", "csv:key=1,size=2", in: folder)
        #expect(trace.footprintBytes == Capacity.largestAmount)
    }

    @Test func secondOpeningDoesNotParse() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.txt", Array("1\n2\n1\n".utf8))
        let calls = Mutex(0)
        let count: (Int) -> Void = { _ in calls.withLock { $0 += 1 } }
        let first = try folder.store.open(path: path, onProgress: count)
        #expect(calls.withLock { $0 } > 0)
        calls.withLock { $0 = 0 }
        let second = try folder.store.open(path: path, onProgress: count)
        #expect(calls.withLock { $0 } == 0)
        #expect(second.digest == first.digest)
        #expect(Array(second.columns.ids) == Array(first.columns.ids))
        // The same content under another name is the same trace.
        _ = try folder.store.open(path: folder.write("y.txt", Array("1\n2\n1\n".utf8)), onProgress: count)
        #expect(calls.withLock { $0 } == 0)
    }

    @Test func formatAndParametersArePartOfTheDigest() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.csv", Array("1,2\n3,4\n".utf8))
        let formats = ["csv:key=1", "csv:key=2", "csv:key=1,size=2", "plain", "csv:key=1,header"]
        let digests = try formats.map { try folder.store.open(path: path, format: $0).digest }
        #expect(Set(digests).count == formats.count)
        // A parameter that repeats its default changes nothing.
        #expect(try folder.store.open(path: path, format: "csv:key=1,block=0").digest == digests[0])
    }

    @Test func changedFileIsCompiledAgain() throws {
        let folder = try TemporaryFolder()
        let first = try compile("1\n2\n3\n", "plain", in: folder)
        let second = try compile("1\n2\n1\n", "plain", in: folder)
        #expect((first.objects, second.objects) == (3, 2))
        #expect(first.sourceDigest != second.sourceDigest)
    }

    @Test func futureIsTheNextRequestOfEachObject() throws {
        let folder = try TemporaryFolder()
        let trace = try compile("1\n2\n1\n1\n3\n2\n", "plain", in: folder)
        #expect(trace.columns.next == nil)
        let next = try #require(try trace.columnsWithFuture().next)
        #expect(Array(next) == [2, 5, 3, .max, .max, .max])
        let again = try #require(try trace.columnsWithFuture().next)
        #expect(again.baseAddress == next.baseAddress)
    }

    @Test func columnsOutliveTheTrace() throws {
        let folder = try TemporaryFolder()
        var columns: RequestColumns? = try compile("5\n6\n5\n", "plain", in: folder).columnsWithFuture()
        try FileManager.default.removeItem(atPath: folder.path + "/store")
        let kept = try #require(columns)
        columns = nil
        withExtendedLifetime(kept.owner) {
            #expect(Array(kept.ids) == [0, 1, 0])
            #expect(kept.next.map(Array.init) == [2, .max, .max])
        }
    }

    @Test func emptyTraceOpens() throws {
        let folder = try TemporaryFolder()
        let trace = try compile("", "plain", in: folder)
        #expect((trace.requests, trace.objects, trace.bytesRequested) == (0, 0, 0))
        #expect(try trace.columnsWithFuture().next?.count == 0)
    }
}
