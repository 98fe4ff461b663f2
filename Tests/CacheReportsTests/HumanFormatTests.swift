import Testing

@testable import CacheReports

@Suite("Numbers for people")
struct HumanFormatTests {
    @Test(
        "Counts have separators",
        arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1234, "−1,234")])
    func counts(_ value: Int, _ text: String) { #expect(HumanFormat.count(value) == text) }

    @Test(
        "Bytes have binary units",
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.50 KiB"), (67_108_864, "64 MiB"),
            (1_932_735_283, "1.80 GiB"),
        ])
    func bytes(_ value: Int, _ text: String) { #expect(HumanFormat.bytes(value) == text) }

    @Test func `figures that would read alike are told apart`() {
        #expect(HumanFormat.bytes(180_355_072, beside: [180_355_071, 180_355_072]) == "180,355,072 B")
        #expect(HumanFormat.bytes(180_355_072, beside: [180_355_072, 1024]) == "172 MiB")
        #expect(HumanFormat.percents(0.928, 0.92796) == ("92.800 %", "92.796 %"))
        #expect(HumanFormat.percents(0.96, 0.928) == ("96.00 %", "92.80 %"))
    }

    @Test(
        "Times have the unit that keeps three digits",
        arguments: [
            (30.0, "30 ns"), (999, "999 ns"), (1240, "1.24 µs"), (45_300, "45.3 µs"), (2.5e6, "2.50 ms"), (3e9, "3 s"),
        ])
    func times(_ value: Double, _ text: String) { #expect(HumanFormat.nanoseconds(value) == text) }

    @Test(
        "Differences carry their sign, and nothing is neither",
        arguments: [(0.0127, "+1.27"), (-0.003, "−0.30"), (0.0, "±0.00"), (-0.00001, "±0.00")])
    func points(_ value: Double, _ text: String) { #expect(HumanFormat.points(value) == text) }

    @Test("What is not a number is never printed as one", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(_ value: Double) {
        #expect(HumanFormat.fixed(value, 2) == HumanFormat.absent)
        #expect(HumanFormat.rate(value) == "–/s")
        #expect(coordinate(value) == "0")
    }

    @Test(
        "Durations",
        arguments: [
            (0.031, "31 ms"), (0, "0.0 s"), (2.54, "2.5 s"), (42, "42 s"), (843.2, "14 min 3 s"), (7380, "2 h 3 min"),
        ])
    func durations(_ value: Double, _ text: String) { #expect(HumanFormat.duration(value) == text) }

    @Test func `names that differ at their ends are told apart where they are cut`() {
        let start = "a_trace_with_a_name_that_goes_on_and_on_for_more_than_sixty_characters_"
        let names = ["fast", "slow"].map { start + $0 }
        let cut = names.map { clippedInside($0, to: 30) }
        #expect(cut == ["a_trace_with_a…characters_fast", "a_trace_with_a…characters_slow"])
        #expect(clippedInside("short", to: 30) == "short" && clippedInside("short", to: 1) == "s…")
    }
}
