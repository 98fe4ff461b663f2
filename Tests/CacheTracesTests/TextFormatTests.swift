import CacheCore
import CacheTraces
import Testing

@Suite struct TextFormatTests {
    @Test func plainTellsNumbersFromOtherBytes() throws {
        let read = try records(
            "plain", "10\n010\n0x10\n0\n00\n-1\n18446744073709551615\n18446744073709551616\na b\r\n10")
        #expect(
            read == [
                number(10), word("010"), word("0x10"), number(0), word("00"), word("-1"), number(.max),
                word("18446744073709551616"), word("a b"), number(10),
            ])
    }

    @Test func plainTakesBytesThatAreNotText() throws {
        let read = try records("plain", [0xff, 0x00, 0x0a, 0xfe, 0x0a])
        #expect(read.map(\.key) == [.bytes([0xff, 0x00]), .bytes([0xfe])])
    }

    /// A text that an editor on Windows wrote is the same trace.
    @Test(arguments: [
        ("plain", "7,8,k,7"), ("lirs", "7,8,7"), ("arc", "7 1 0 0,8 1 0 1,7 1 0 2"), ("address", "l 0x7 1,s 0x8 1"),
        ("adapt-size", "1 7 5,2 8 5,3 7 5"), ("csv:key=1", "7,k;8,k;7,k"), ("tsv:key=1", "7\tk,8\tk"),
    ])
    func byteOrderMarkAndCarriageReturnsMeanNothing(format: String, lines: String) throws {
        let lines = lines.split(separator: lines.contains(";") ? ";" : ",")
        let expected = try records(format, lines.joined(separator: "\n"))
        #expect(expected.count == lines.count)
        for ending in ["", "\r\n"] {
            #expect(try records(format, "\u{FEFF}" + lines.joined(separator: "\r\n") + ending) == expected)
        }
        #expect(try records(format, "\u{FEFF}") == [])
    }

    @Test func lirsPassesOverMarksAndBlankLines() throws {
        #expect(try records("lirs", "7\r\n*\r\n\r\n  8\n\n*\n007\n") == [number(7), number(8), number(7)])
    }

    @Test func arcExpandsRanges() throws {
        let read = try records("arc", "5 3 0 1\n18446744073709551610 5 0 2\r\n5 1 0 3")
        #expect(
            read == [5, 6, 7].map { number($0) } + (0..<5).map { number(18_446_744_073_709_551_610 + $0) } + [number(5)]
        )
    }

    @Test func addressTakesPenaltiesOrNone() throws {
        #expect(try records("address", "l 0x1fffff50 1\ns 0xFF 6\n") == [number(0x1fff_ff50), number(255)])
        let costs = try records("address", "l 0x1 1 0 7\ns 0xFF 6 1 100\n").map(\.attributes.cost)
        #expect(costs == [7, 100])
    }

    @Test func adaptSizeKeysAreNumberAndSize() throws {
        let read = try records("adapt-size", "1 0 68\n2 0 70\n2.5 0 68\n")
        #expect(
            read == [
                word("0+68", size: 68, time: 1_000_000_000), word("0+70", size: 70, time: 2_000_000_000),
                word("0+68", size: 68, time: 2_500_000_000),
            ])
    }

    /// Format, input, the line that the error names, and a part of its message.
    static let malformed: [(String, String, Int, String)] = [
        ("plain", "1\n\n2\n", 2, "empty"),
        ("plain", "1\r\n\r\n2\r\n", 2, "empty"),
        ("lirs", "1\n2\nx3\n", 3, "'x3'"),
        ("lirs", "1\n2 3\n", 2, "'2 3'"),
        ("lirs", "-5\n", 1, "'-5'"),
        ("lirs", "18446744073709551616\n", 1, "whole number"),
        ("arc", "1 1 0 0\n2 1 0\n", 2, "four whole numbers"),
        ("arc", "1 0 0 0\n", 1, "from 1 to 2^24"),
        ("arc", "1 1 0 0 9\n", 1, "four whole numbers"),
        ("arc", "18446744073709551615 2 0 0\n", 1, "below 2^64"),
        ("arc", "0 4294967296 0 0\n", 1, "from 1 to 2^24"),
        ("arc", "1 9999999999 0 0\n", 1, "from 1 to 2^24"),
        ("address", "l 0x10 1\nx 0x10 1\n", 2, "'l' or 's'"),
        ("address", "l 10 1\n", 1, "address"),
        ("address", "l 0xg0 1\n", 1, "address"),
        ("address", "l 0x10000000000000000 1\n", 1, "address"),
        ("address", "l 0x10 1 2\n", 1, "penalties"),
        ("address", "l 0x10 1 2 3\nl 0x10 1\n", 2, "penalties as the lines before"),
        ("address", "l 0x10 1\nl 0x10 1 2 3\n", 2, "penalties as the lines before"),
        ("adapt-size", "1 2 3\n1 2\n", 2, "three numbers"),
        ("adapt-size", "1 2 x\n", 1, "three numbers"),
        ("adapt-size", "1 2 9223372036854775808\n", 1, "three numbers"),
    ]

    @Test(arguments: malformed)
    func malformedLineIsNamed(format: String, text: String, line: Int, message: String) {
        let error = assayError { () throws(AssayError) in _ = try records(format, text) }
        #expect(error?.code == .badInput)
        #expect(error?.location == AssayError.Location("input", line: line))
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test func lineLongerThanTheBufferIsOneKey() throws {
        let long = String(repeating: "k", count: 300_000)
        #expect(try records("plain", "1\n\(long)\n2\n") == [number(1), word(long), number(2)])
    }

    @Test func endlessLineIsRefused() {
        let error = assayError { () throws(AssayError) in
            _ = try records("plain", [UInt8](repeating: 0x61, count: (1 << 24) + 5))
        }
        #expect(error?.code == .badInput)
        #expect(error?.location?.line == 1)
    }

    @Test(arguments: ["plain", "lirs", "arc", "address", "adapt-size", "csv:key=1", "tsv:key=1"])
    func emptyInputIsAnEmptyTrace(format: String) throws {
        #expect(try records(format, "") == [])
    }
}
