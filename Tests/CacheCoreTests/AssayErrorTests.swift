import CacheCore
import Testing

@Suite("AssayError: says where, what and how it ends")
struct AssayErrorTests {
    @Test func `exit statuses are those of the documentation`() {
        let statuses = Dictionary(uniqueKeysWithValues: AssayError.Code.allCases.map { ($0, $0.exitStatus) })
        #expect(
            statuses == [
                .internalError: 1, .verdict: 2, .crashed: 3, .baselineMissing: 5, .undecided: 6, .usage: 64,
                .badInput: 65, .unavailable: 69, .inputOutput: 74,
            ])
    }

    @Test func `the description has place, message and cause`() {
        let text = AssayError(.badInput, "no number", at: .init("a.csv", line: 3), cause: "it is 'x'")
        #expect(text.description == "a.csv:3: no number (it is 'x')")
        let binary = AssayError(.badInput, "cut short", at: .init("a.bin", offsetBytes: 24))
        #expect(binary.description == "a.bin at byte 24: cut short")
    }

    @Test func `a location is given once`() {
        let error = AssayError(.badInput, "x").located(at: .init("first")).located(at: .init("second"))
        #expect(error.location?.source == "first")
    }
}
