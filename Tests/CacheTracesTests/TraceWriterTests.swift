import CacheCore
import Foundation
import Testing

@testable import CacheTraces

/// What writers write is what readers read, but for the losses that they state.
@Suite struct TraceWriterTests {
    @Test(arguments: 0..<64)
    func `csv is read as it was written`(_ attributes: Int) throws {
        let folder = try TemporaryFolder()
        let hasTenants = CSVTraceFormat.descriptor.parameters.contains { $0.name == "tenant" }
        let stated = hasTenants ? attributes : attributes & 31
        let trace = try SmallTraces.make(in: folder, attributes: stated, requests: 200, seed: 11)
        let path = folder.path + "/x.csv"
        try CSVTraceWriter().write(trace, to: path)
        let format = try #require(CSVTraceWriter().readingFormat(of: trace))
        let read = try folder.store.open(path: path, format: format)
        #expect(read.contentDigest == trace.contentDigest)
        #expect(CSVTraceWriter().losses(of: trace) == [])
    }

    @Test func `a row of csv is the request`() throws {
        let folder = try TemporaryFolder()
        let text = "time,key,size,ttl,cost,op\n1.25,\"a\"\"b,\",7,,0.5,set\n-3,9,0,0.000000001,2,get\n"
        let path = try folder.write("x.csv", Array(text.utf8))
        let format = "csv:time=time,key=key,size=size,ttl=ttl,cost=cost,op=op,header"
        let trace = try folder.store.open(path: path, format: format)
        try CSVTraceWriter().write(trace, to: folder.path + "/y.csv")
        let written = try String(contentsOfFile: folder.path + "/y.csv", encoding: .utf8)
        #expect(
            written == "time,key,size,op,ttl,cost\n1.25,\"a\"\"b,\",7,set,,0.5\n-3,9,0,get,0.000000001,2.0\n")
    }

    @Test func `plain keeps keys and says what it leaves out`() throws {
        let folder = try TemporaryFolder()
        let trace = try SmallTraces.make(in: folder, attributes: 63, requests: 200, seed: 12)
        try PlainTraceWriter().write(trace, to: folder.path + "/x.txt")
        let read = try folder.store.open(path: folder.path + "/x.txt", format: "plain")
        #expect(Array(read.columns.ids) == Array(trace.columns.ids))
        for id in 0..<UInt32(trace.objects) { #expect(read.key(of: id) == trace.key(of: id)) }
        #expect(
            PlainTraceWriter().losses(of: trace) == [
                "The format has no place for sizes, times, times to live, costs, operations, tenants, which are left out."
            ])
    }

    @Test func `a key that no line can hold is refused by plain`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.csv", Array("\"a\nb\"\n".utf8))
        let trace = try folder.store.open(path: path, format: "csv:key=1")
        let error = assayError { () throws(AssayError) in
            try PlainTraceWriter().write(trace, to: folder.path + "/x.txt")
        }
        #expect(error?.code == .unavailable)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/x.txt"))
    }

    /// By the layout in libCacheSim's documentation: 24 bytes a record behind 8,192 bytes.
    @Test func `lcs of version 1 has the records of oracleGeneral with the keys`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.csv", Array("100,70,5\n101,80,6\n102,70,7\n".utf8))
        let trace = try folder.store.open(path: path, format: "csv:time=1,key=2,size=3")
        try LCSTraceWriter().write(trace, to: folder.path + "/x.lcs")
        let file = Array(try Data(contentsOf: URL(filePath: folder.path + "/x.lcs")))
        let expected =
            oracleRecord(time: 100, key: 70, size: 5, next: 3) + oracleRecord(time: 101, key: 80, size: 6)
            + oracleRecord(time: 102, key: 70, size: 7)
        #expect(Array(file.dropFirst(8192)) == expected)
        let magic = bytes((0x1234_5678_9abc_def0 as UInt64).littleEndian)
        #expect(Array(file[..<8]) == magic && Array(file[8184..<8192]) == magic)
        #expect(Array(file[8..<16]) == bytes((1 as UInt64).littleEndian))
        let numbers: [Int64] = [1, 3, 2, 18, 13, 100, 102, 3, 0, 0, 5, 7]
        #expect(Array(file[16..<16 + 96]) == numbers.flatMap { bytes($0.littleEndian) })
        #expect(LCSTraceWriter().losses(of: trace) == [])
    }

    @Test func `lcs of version 3 has operations, tenants and times to live`() throws {
        let folder = try TemporaryFolder()
        var sink = try TraceCompiler(temporary: folder.path + "/made")
        let tenant = try Array("t".utf8).withUnsafeBytes { try sink.tenant(named: $0) }
        func request(_ operation: TraceOperation, _ timeToLive: Int64?) -> RequestAttributes {
            RequestAttributes(
                sizeBytes: 1 << 40, timeNanoseconds: 7_000_000_000, timeToLiveNanoseconds: timeToLive,
                operation: operation, tenant: tenant)
        }
        try sink.append(integer: 3, request(.write, 1))
        try sink.append(integer: 3, request(.remove, nil))
        try sink.finish(as: folder.path + "/made.trace", digest: "x", sourceDigest: "x", formatDescription: "x")
        let map = try MappedFile(PosixFile(reading: folder.path + "/made.trace"))
        let header = try #require(map.withBytes(CompiledTraceHeader.init(decoding:)))
        let trace = CompiledTrace(CompiledColumns(map, header), path: "made")
        try LCSTraceWriter().write(trace, to: folder.path + "/x.lcs")
        let file = Array(try Data(contentsOf: URL(filePath: folder.path + "/x.lcs")))
        func record(_ operation: UInt32, _ timeToLive: UInt32, _ next: Int64) -> [UInt8] {
            bytes((7 as UInt32).littleEndian) + bytes((3 as UInt64).littleEndian)
                + bytes((1 << 40 as Int64).littleEndian)
                + bytes(operation.littleEndian) + bytes(timeToLive.littleEndian) + bytes(next.littleEndian)
        }
        #expect(Array(file.dropFirst(8192)) == record(3, 1, 2) + record(9, 0, -1))
        #expect(LCSTraceWriter().losses(of: trace).contains { $0.hasPrefix("Times are cut") })
    }

    @Test(.enabled(if: BuiltinTraceFormats.all.contains { $0.descriptor.name == "lcs" }, "the format lcs is not read"))
    func `lcs is read as it was written`() throws {
        let folder = try TemporaryFolder()
        let (narrow, wide) = (
            "10,5,100,get\n11,6,200,get\n12,5,100,get\n", "10,5,100,get\n11,6,200,set\n12,5,90,delete\n"
        )
        for (name, text) in [("v1", narrow), ("v3", wide)] {
            let path = try folder.write("\(name).csv", Array(text.utf8))
            let trace = try folder.store.open(path: path, format: "csv:time=1,key=2,size=3,op=4")
            try LCSTraceWriter().write(trace, to: folder.path + "/\(name).lcs")
            let read = try folder.store.open(path: folder.path + "/\(name).lcs")
            #expect((0..<2).map { read.integerKey(of: $0) } == [5, 6])
            for position in 0..<3 {
                #expect(read.columns.request(at: position) == trace.columns.request(at: position))
                #expect(read.columns.operation(at: position) == trace.columns.operation(at: position))
            }
        }
    }

    @Test func `keys that are bytes are hashed where numbers are needed, which is said`() throws {
        let folder = try TemporaryFolder()
        let trace = try SmallTraces.make(in: folder, attributes: 0, requests: 200, seed: 13)
        let keys = NumberKeys(trace)
        let texts = (0..<UInt32(trace.objects)).count { trace.integerKey(of: $0) == nil }
        #expect(keys.hashed == texts && texts > 0)
        #expect(Set(keys.keys).count == trace.objects)
        #expect(keys.collisions == 0)
        for id in 0..<UInt32(trace.objects) {
            if let key = trace.integerKey(of: id) { #expect(keys.keys[Int(id)] == key) }
        }
        #expect(LCSTraceWriter().losses(of: trace).contains { $0.contains("0 of \(trace.objects) objects collide") })
    }

    @Test(arguments: BuiltinTraceWriters.all.map(\.descriptor.name))
    func `no file is written over, and none is left of a failure`(_ name: String) throws {
        let folder = try TemporaryFolder()
        let writer = try #require(BuiltinTraceWriters.all.first { $0.descriptor.name == name })
        let trace = try folder.store.open(path: folder.write("x.txt", Array("1\n2\n".utf8)))
        let taken = try folder.write("taken", Array("precious".utf8))
        let error = assayError { () throws(AssayError) in try writer.write(trace, to: taken) }
        #expect(error?.code == .inputOutput)
        #expect(try String(contentsOfFile: taken, encoding: .utf8) == "precious")
        let nowhere = assayError { () throws(AssayError) in try writer.write(trace, to: folder.path + "/none/x") }
        #expect(nowhere?.code == .inputOutput && nowhere?.location?.source == folder.path + "/none/x")
        let compressed = assayError { () throws(AssayError) in try writer.write(trace, to: folder.path + "/x.zst") }
        #expect(compressed?.code == .usage)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/x.zst"))
        try writer.write(trace, to: folder.path + "/x.whole")
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains("unfinished") }
        #expect(left == [])
    }
}
