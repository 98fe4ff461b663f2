import CacheCore
import CacheTraces
import Foundation
import Testing

/// What the fixtures of published traces do not show: how alike formats are told apart, limits, and ranges.
@Suite struct PublicTraceFormatTests {
    // MARK: - Formats that look alike

    @Test(arguments: [
        "alibaba-block", "cachelib", "ibm-object-store", "meta-cdn", "msr", "outbrain", "rocksdb", "snia-enterprise",
        "systor", "tencent-photo", "thesios", "twitter", "umass-youtube", "wikipedia",
    ])
    func `a published trace is recognised under any name`(format: String) throws {
        let fixtures = FormatFixture.all.filter { $0.format == format && !$0.isMalformed && $0.named == nil }
        try #require(!fixtures.isEmpty)
        for fixture in fixtures where fixture.name != "no-header.csv" {
            for name in ["trace", "trace.csv", "trace.txt", "trace.trace", "trace.tr", "trace.lis"] {
                #expect(try Self.format(ofFile: name, at: fixture.path) == format, "\(fixture) as \(name)")
            }
        }
    }

    @Test(arguments: ["baleen", "camelab", "gradle", "k5cloud", "spc", "tencent-block", "tragen"])
    func `numbers that only look like a published trace leave the word to the name's ending`(format: String) throws {
        let fixtures = FormatFixture.all.filter { $0.format == format && !$0.isMalformed && $0.named == nil }
        // A header says what it is.
        let bare = try fixtures.filter {
            try String(contentsOfFile: $0.path, encoding: .utf8).first?.isHexDigit == true
        }
        try #require(!bare.isEmpty)
        for fixture in bare {
            #expect(try Self.format(ofFile: "trace", at: fixture.path) == format)
            for (name, other) in [("trace.csv", "csv"), ("trace.txt", "plain")] {
                #expect(try Self.format(ofFile: name, at: fixture.path) == other)
            }
        }
    }

    @Test func `the ending tells requests of LRB from those of AdaptSize`() throws {
        let text = "1 7 100\n2 8 300\n2 7 100\n"
        #expect(try Self.format(ofFile: "wiki2018.tr", of: text) == "lrb")
        #expect(try Self.format(ofFile: "request.adaptsize", of: text) == "adapt-size")
        #expect(try Self.format(ofFile: "request.lis", of: text) == "arc")
    }

    @Test func `numbers whose times do not rise are not taken for requests of LRB or Tragen`() {
        for text in ["7 1 100\n3 8 300\n5 7 100\n", "7,1,100\n3,8,300\n5,7,100\n"] {
            let error = assayError { () throws(AssayError) in _ = try Self.format(ofFile: "trace", of: text) }
            #expect(error?.code == .usage)
        }
    }

    @Test func `the binary trace of RocksDB is refused with what to do`() throws {
        let folder = try TemporaryFolder()
        let fixture = try #require(FormatFixture.all.first { $0.testDescription == "rocksdb/bad-binary" })
        let error = assayError { () throws(AssayError) in _ = try folder.store.open(path: fixture.path) }
        #expect(error?.code == .badInput)
        #expect(error?.message.contains("block_cache_trace_analyzer -human_readable_trace_file_path") == true)
    }

    // MARK: - Ranges of blocks

    @Test(arguments: [
        (4095, 1, ["h+0+0"]), (4095, 2, ["h+0+0", "h+0+1"]), (4096, 4096, ["h+0+1"]), (0, 0, ["h+0+0"]),
        (100, 8192, ["h+0+0", "h+0+1", "h+0+2"]),
    ])
    func `every block that a range touches is one request`(offset: Int, length: Int, keys: [String]) throws {
        let found = try records("msr", "0,h,0,Read,\(offset),\(length),0\n")
        #expect(found.map(\.key) == keys.map { .bytes(Array($0.utf8)) })
        #expect(found.allSatisfy { $0.attributes.sizeBytes == 4096 })
    }

    @Test func `blocks share the cost of their range`() throws {
        let costs = try records("msr:block=512", "0,h,0,Write,0,2048,80000\n").map(\.attributes.cost)
        #expect(costs == [2, 2, 2, 2])
    }

    @Test func `volumes and disks with odd names have keys of their own`() throws {
        let found = try records("msr", "0,a+b,0,Read,0,1,0\n0,a,b+0,Read,0,1,0\n0,a\\+b,0,Read,0,1,0\n")
        #expect(Set(found.map(\.key)).count == 3)
    }

    @Test(arguments: [
        ("msr", "0,h,0,Read,18446744073709551615,2,0"), ("msr", "0,h,0,Read,0,18446744073709551615,0"),
        ("spc", "0,36028797018963968,512,r,0"), ("tencent-block", "1538323200,36028797018963968,1,0,7"),
        ("camelab", "0 R 0 18446744073709551615"), ("msr", "18446744073709551615,h,0,Read,0,1,0"),
        ("alibaba-block", "0,R,0,1,9223372036854775808"), ("k5cloud", "0,9223372037,R,0,1"),
    ])
    func `ranges and times beyond 64 bits are malformed`(format: String, line: String) {
        let error = assayError { () throws(AssayError) in _ = try records(format, line + "\n") }
        #expect(error?.code == .badInput)
        #expect(error?.location?.line == 1)
    }

    // MARK: - Times, times to live and counts

    @Test func `Windows filetimes count from 1970, and smaller ones from their own origin`() throws {
        let lines = "116444736000000001,h,0,Read,0,1,0\n128166372003061629,h,0,Read,0,1,0\n7,h,0,Read,0,1,0\n"
        let times = try records("msr", lines).map(\.attributes.timeNanoseconds)
        #expect(times == [100, 1_172_163_600_306_162_900, 700])
    }

    @Test(arguments: [
        ("19700101000000", 0), ("19700301000000", 5_097_600), ("20000229235959", 951_868_799),
        ("20160301000000", 1_456_790_400), ("21000301000000", 4_107_542_400),
    ])
    func `dates are counted in seconds since 1970`(date: String, seconds: Int64) throws {
        let found = try records("tencent-photo", "\(date) ab 0 l 1 1 PC 0\n")
        #expect(found.first?.attributes.timeNanoseconds == seconds * 1_000_000_000)
    }

    @Test(
        arguments: [("0", nil), ("-1", nil), ("1", 1_000_000_000), ("86400", 86_400_000_000_000)] as [(String, Int64?)])
    func `a time to live of 0 or -1 is without end`(written: String, nanoseconds: Int64?) throws {
        let twitter = try records("twitter", "5,k,1,2,c,set,\(written)\n")
        #expect(twitter.first?.attributes.timeToLiveNanoseconds == nanoseconds)
        let cacheLib = try records("cachelib", "key,op,size,ttl\nk,SET,2,\(written)\n")
        #expect(cacheLib.first?.attributes.timeToLiveNanoseconds == nanoseconds)
    }

    @Test func `op_count repeats a request, up to what CacheBench counts`() throws {
        #expect(try records("cachelib", "op,key,size,op_count\nGET,k,2,65535\n").count == 65_535)
        for count in ["0", "65536", "-1", "", "many"] {
            let error = assayError { () throws(AssayError) in
                _ = try records("cachelib", "op,key,size,op_count\nGET,k,2,\(count)\n")
            }
            #expect(error?.location?.line == 2, "\(count)")
        }
    }

    @Test func `a header without a column that must be there is malformed`() {
        let error = assayError { () throws(AssayError) in _ = try records("cachelib", "key,op,bytes\nk,GET,2\n") }
        #expect(error?.message.contains("a header with the column 'size'") == true)
        #expect(error?.location?.line == 1)
    }

    // MARK: -

    private static func format(ofFile name: String, at path: String) throws -> String {
        try format(ofFile: name, of: String(contentsOfFile: path, encoding: .utf8))
    }

    /// The format that is chosen for a text in a file of this name.
    private static func format(ofFile name: String, of text: String) throws(AssayError) -> String {
        let result: Result<String, AssayError> = Array(text.utf8).withUnsafeBytes { bytes in
            do throws(AssayError) {
                let sample = TraceSample(bytes, isWhole: true)
                return .success(try TraceFormatSelection(recognising: sample, ofFile: name).entry.descriptor.name)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
