import CacheCore
import CacheTraces
import Foundation
import Testing

@Suite struct OracleGeneralWriterTests {
    @Test func recordsAreTheOnesThatLibCacheSimReads() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.csv", Array("100,a,5\n101,b,6\n102,a,7\n103,a,8\n".utf8))
        let trace = try folder.store.open(path: path, format: "csv:time=1,key=2,size=3")
        let output = folder.path + "/x.oracleGeneral"
        try OracleGeneralWriter().write(trace, to: output)
        let expected =
            oracleRecord(time: 100, key: 1, size: 5, next: 3) + oracleRecord(time: 101, key: 2, size: 6, next: -1)
            + oracleRecord(time: 102, key: 1, size: 7, next: 4) + oracleRecord(time: 103, key: 1, size: 8, next: -1)
        #expect(Array(try Data(contentsOf: URL(filePath: output))) == expected)
    }

    @Test func roundTripKeepsEveryRequest() throws {
        let folder = try TemporaryFolder()
        let specification = WorkloadSpecification(
            pattern: .zipf(exponent: 0.9), requests: 50_000, objects: 3000, sizes: .uniform(minimum: 1, maximum: 99))
        let trace = try folder.store.open(generated: specification)
        let output = folder.path + "/x.oracleGeneral"
        try OracleGeneralWriter().write(trace, to: output)
        let read = try folder.store.open(path: output)
        #expect(Array(read.columns.ids) == Array(trace.columns.ids))
        #expect(read.bytesRequested == trace.bytesRequested)
        #expect(read.footprintBytes == trace.footprintBytes)
    }

    @Test func whatIsLostIsSaid() throws {
        let folder = try TemporaryFolder()
        func losses(_ text: String, _ format: String) throws -> [String] {
            let path = try folder.write("\(UUID()).csv", Array(text.utf8))
            return OracleGeneralWriter().losses(of: try folder.store.open(path: path, format: format))
        }
        #expect(try losses("a,5\nb,6\n", "csv:key=1,size=2") == [])
        let empty = try losses("a,0,3\nb,5,1\na,0,3\n", "csv:key=1,size=2,cost=3")
        #expect(empty.count == 2 && empty[0].hasPrefix("2 requests are for 0 bytes") && empty[1].contains("costs"))
        #expect(try losses("a,0\nb,0\n", "csv:key=1,size=2").first?.hasPrefix("2 requests") == true)
    }

    /// The distance between two times may be more than 63 bits.
    @Test func timesFarApartAreRefused() throws {
        let folder = try TemporaryFolder()
        let text = "-9223372036854775807,1\n9223372036854775807,2\n"
        let path = try folder.write("x.csv", Array(text.utf8))
        let trace = try folder.store.open(path: path, format: "csv:key=2,time=1,time-unit=ns")
        let error = assayError { () throws(AssayError) in
            try OracleGeneralWriter().write(trace, to: folder.path + "/out")
        }
        #expect(error?.code == .unavailable)
    }

    @Test func existingFileIsNotOverwritten() throws {
        let folder = try TemporaryFolder()
        let trace = try folder.store.open(path: folder.write("x.txt", Array("1\n".utf8)))
        let output = try folder.write("taken", Array("precious".utf8))
        let error = assayError { () throws(AssayError) in try OracleGeneralWriter().write(trace, to: output) }
        #expect(error?.code == .inputOutput)
        #expect(try String(contentsOfFile: output, encoding: .utf8) == "precious")
    }

    @Test func sizesBeyond32BitsAreRefused() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.csv", Array("1,1\n2,4294967296\n".utf8))
        let trace = try folder.store.open(path: path, format: "csv:key=1,size=2")
        let output = folder.path + "/out"
        let error = assayError { () throws(AssayError) in try OracleGeneralWriter().write(trace, to: output) }
        #expect(error?.code == .unavailable)
        #expect(!FileManager.default.fileExists(atPath: output))
    }
}
