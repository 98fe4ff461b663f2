import CacheCore
import CacheTraces
import Testing

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
}
