import CacheCore
import Testing

@testable import CacheTraces

@Suite struct BinaryFormatTests {
    @Test func oracleGeneralDropsZeroSizesUnlessToldTo() throws {
        let input =
            oracleRecord(time: 3, key: 99, size: 512) + oracleRecord(time: 4, key: 1, size: 0)
            + oracleRecord(time: .max, key: .max, size: .max)
        let last = number(.max, size: UInt64(UInt32.max), time: 4_294_967_295_000_000_000)
        #expect(try records("oracle-general", input) == [number(99, size: 512, time: 3_000_000_000), last])
        #expect(
            try records("oracleGeneral:zero-sized=keep", input) == [
                number(99, size: 512, time: 3_000_000_000), number(1, size: 0, time: 4_000_000_000), last,
            ])
    }

    @Test func bigEndianRecords() throws {
        #expect(
            try records("corda", bytes(Int64(5).bigEndian, Int64(-2).bigEndian)) == [number(5), number(.max - 1)])
        #expect(
            try records("cache2k", bytes(Int32(5).bigEndian, Int32(-2).bigEndian)) == [number(5), number(.max - 1)])
        #expect(
            try records("cloud-physics", bytes(UInt32(5).bigEndian, UInt32.max.bigEndian))
                == [number(5), number(4_294_967_295)])
    }

    @Test(arguments: [("oracle-general", 24), ("corda", 8), ("cache2k", 4), ("cloud-physics", 4)])
    func truncatedRecordIsNamedByItsOffset(format: String, width: Int) throws {
        #expect(try records(format, []) == [])
        #expect(try records(format, [UInt8](repeating: 1, count: 2 * width)).count == 2)
        for extra in 1..<width {
            let error = assayError { () throws(AssayError) in
                _ = try records(format, [UInt8](repeating: 1, count: 2 * width + extra))
            }
            #expect(error?.code == .badInput)
            #expect(error?.location == AssayError.Location("input", offsetBytes: 2 * width))
            #expect(error?.message.contains("\(extra) of \(width) bytes") == true)
        }
    }

    @Test(arguments: [
        (
            "oracle-general", "gl-cache",
            oracleRecord(time: 3, key: 99, size: 512) + oracleRecord(time: 4, key: 1, size: 0)
        ),
        ("corda", "scarab", bytes(Int64(5).bigEndian, Int64(-2).bigEndian)),
    ]) func `a format under another name reads the same`(format: String, alias: String, content: [UInt8]) throws {
        #expect(try records(format, content) == records(alias, content))
    }

    @Test(arguments: [
        ("binary", "--format 'binary:format=<IQI"), ("binary:format=<IQ", "must be named"),
        ("binary:format=IQ,key=2", "begins with neither"), ("binary:format=@IQ,key=2", "begins with neither"),
        ("binary:format=<IZ,key=1", "has 'Z'"), ("binary:format=<I3,key=1", "ends with a count"),
        ("binary:format=<0I,key=1", "count of 0"), ("binary:format=<99999999999999999999I,key=1", "count"),
        ("binary:format=<60000Q,key=1", "65536 bytes"), ("binary:format=<8x,key=1", "no fields"),
        ("binary:format=<٣I,key=1", "has '٣'"), ("binary:format=<IQ,key=3", "has 2, counted from 1"),
        ("binary:format=<IQ,key=0", "no field"), ("binary:format=<IQ,key=id", "no field"),
        ("binary:format=<Id,key=2", "whole numbers or bytes"), ("binary:format=<I4s,key=1,size=2", "whole numbers"),
        ("binary:format=<Ic,key=1,time=2", "must be numbers"),
    ]) func `a description of records that is none is a usage error`(format: String, message: String) {
        let error = assayError { () throws(AssayError) in _ = try records(format, [UInt8]()) }
        #expect(error?.code == .usage)
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test func `a count repeats a field, and padding is none`() throws {
        let content: [UInt8] =
            [9, 9, 9] + bytes(UInt16(1).littleEndian, UInt16(2).littleEndian, UInt16(3).littleEndian)
        #expect(try records("binary:format=<3x3H,key=3,size=2", content) == [number(3, size: 2)])
        #expect(try records("binary:format=<3x3H,key=1", content) == [number(1)])
    }

    @Test func `bare numbers are recognised, and records of several fields are not taken for them`() {
        var random = SeededGenerator(seed: 1)
        let keys = (0..<2000).map { _ in UInt32(random.next(below: 60000)) }
        func found(_ bytes: [UInt8]) -> NumberStream? {
            bytes.withUnsafeBytes { NumberStream(TraceSample($0, isWhole: true)) }
        }
        #expect(found(keys.flatMap { bytes($0.bigEndian) }) == .big32)
        #expect(found(keys.flatMap { bytes($0.littleEndian) }) == .little32)
        #expect(found(keys.flatMap { bytes(UInt64($0).bigEndian) }) == .big64)
        #expect(found(keys.flatMap { bytes(UInt64($0).littleEndian) }) == .little64)
        let hashes = keys.map { UInt64($0 % 500) &* 0x9e37_79b9_7f4a_7c15 }
        #expect(found(hashes.flatMap { bytes($0.bigEndian) }) == .hashes64)
        let pairs = keys.enumerated().map { bytes(UInt32($0 / 3).littleEndian, $1.littleEndian) }
        #expect(found(pairs.flatMap(\.self)) == nil)
        let sized = keys.map { bytes($0.littleEndian, UInt32(1 + $0 % 100).littleEndian) }
        #expect(found(sized.flatMap(\.self)) == nil)
        let noise = (0..<8000).map { _ in UInt8(random.next(below: 256)) }
        #expect(found(noise) == nil)
        #expect(found([UInt8](repeating: 0, count: 4096)) == nil)
        #expect(found(Array(String(repeating: "17\n18\n", count: 700).utf8)) == nil)
    }
}
