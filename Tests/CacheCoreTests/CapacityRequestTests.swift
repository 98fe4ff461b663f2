import CacheCore
import Testing

@Suite("CapacityRequest: what a person may write as a capacity")
struct CapacityRequestTests {
    @Test(
        "a number with a unit is objects or bytes",
        arguments: [
            ("1", Capacity.objects(1)), ("4096", .objects(4096)), ("1_000_000", .objects(1_000_000)),
            ("512B", .bytes(512)), ("64KB", .bytes(64_000)), ("64KiB", .bytes(65_536)), ("64MiB", .bytes(67_108_864)),
            ("1.5GiB", .bytes(1_610_612_736)), ("64 MiB", .bytes(67_108_864)), ("2TB", .bytes(2_000_000_000_000)),
        ])
    func absolute(_ text: String, _ expected: Capacity) throws {
        let capacity = try CapacityRequest(parsing: text).resolved(footprintObjects: 10, footprintBytes: 10)
        #expect(capacity == expected)
    }

    @Test(
        "a share counts objects, or bytes with %B, is rounded down and is at least 1",
        arguments: [
            ("1%", Capacity.objects(20)), ("0.1%", .objects(2)), ("0.001%", .objects(1)), ("100%", .objects(2001)),
            ("10%B", .bytes(5000)), ("1 %", .objects(20)), ("10 %B", .bytes(5000)), ("0.00001%B", .bytes(1)),
        ])
    func share(_ text: String, _ expected: Capacity) throws {
        let capacity = try CapacityRequest(parsing: text).resolved(footprintObjects: 2001, footprintBytes: 50_000)
        #expect(capacity == expected)
    }

    @Test(
        "a share is exact though percentages are not",
        arguments: [("0.29%", 50_000, 145), ("1.13%", 10_000, 113), ("0.57%", 10_000, 57), ("33.3%", 1000, 333)])
    func exactShare(_ text: String, _ footprint: Int, _ expected: Int) throws {
        let capacity = try CapacityRequest(parsing: text).resolved(footprintObjects: footprint, footprintBytes: 1)
        #expect(capacity == .objects(expected))
    }

    @Test(
        "a share is a fraction or a percentage",
        arguments: [
            ("0.5", 0.5), ("50%", 0.5), ("50 %", 0.5), ("0", 0), ("150%", 1.5), ("half", nil), ("-1%", nil), ("%", nil),
            ("inf", nil), ("5 0%", nil), ("0.5 ", nil),
        ])
    func fraction(_ text: String, _ expected: Double?) { #expect(Share.fraction(text) == expected) }

    @Test("no share is more than the largest capacity", arguments: ["99.9999999999999999999%B", "100%B"])
    func largestShare(_ text: String) throws {
        let largest = Capacity.largestAmount
        let capacity = try CapacityRequest(parsing: text).resolved(footprintObjects: 3, footprintBytes: largest)
        #expect(capacity.amount == largest)
    }

    @Test(
        "anything else is a usage error that shows how to write it",
        arguments: [
            "0", "0%", "-1", "-5%", "", "x", "1.5", "64  x", "64x", "1e3", "nan", "inf", "99999999999TiB", "1%b",
            "9007199254740993", "9007199254740993B", "101%", "250%", "999999999999999999999%", "100.1%B",
        ])
    func refused(_ text: String) {
        let error = #expect(throws: AssayError.self) { try CapacityRequest(parsing: text) }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("64MiB") == true)
    }

    @Test(
        "a unit in other letters is understood, and what was understood is told",
        arguments: [
            ("5mb", Capacity.bytes(5_000_000), "5MB, which is 5000000 bytes" as String?),
            ("64M", .bytes(67_108_864), "64MiB, which is 67108864 bytes"), ("64k", .bytes(65_536), "64KiB"),
            ("64mib", .bytes(67_108_864), "64MiB"), ("1.5g", .bytes(1_610_612_736), "1.5GiB"),
            ("512b", .bytes(512), "512B"),
            ("64MiB", .bytes(67_108_864), nil), ("4096", .objects(4096), nil),
        ])
    func loosely(_ text: String, _ expected: Capacity, _ words: String?) throws {
        let capacity = try CapacityRequest(parsing: text).resolved(footprintObjects: 10, footprintBytes: 10)
        #expect(capacity == expected)
        let told = CapacityRequest.reading(of: text)
        #expect(words.map { told?.contains($0) == true } ?? (told == nil), "\(told ?? "nothing")")
    }

    @Test("a share has no reading but its own", arguments: ["5%", "5%B"])
    func shares(_ text: String) { #expect(CapacityRequest.reading(of: text) == nil) }

    @Test(
        "the reason is the one that applies",
        arguments: [("0x10", "unknown unit 'x10'"), ("0B", "greater than 0"), ("101%", "a share is at most 100%")])
    func reason(_ text: String, _ words: String) {
        let error = #expect(throws: AssayError.self) { try CapacityRequest(parsing: text) }
        #expect(error?.message.contains(words) == true)
    }
}
