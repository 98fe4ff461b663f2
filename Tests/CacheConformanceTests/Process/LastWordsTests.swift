import Testing

@testable import CacheConformance

@Suite("What a program said before it ended")
struct LastWordsTests {
    /// A panic of Go: what happened comes first, and the stacks of all goroutines after it.
    private static let panic =
        "panic: runtime error: index out of range [5]\n\ngoroutine 7 [running]:\n"
        + (0..<200).map { "main.step\($0)(0xc000012345)\n" }.joined() + "exit status 2\n"

    private static func words(_ parts: [String], answers: Int = 0) -> [String] {
        var words = LastWords()
        for (index, part) in parts.enumerated() {
            words.add(Array(part.utf8))
            if index < answers { words.answered() }
        }
        return words.lines
    }

    @Test func `the first two lines and the last two are kept`() {
        #expect(
            Self.words([Self.panic]) == [
                "panic: runtime error: index out of range [5]", "goroutine 7 [running]:", "…",
                "main.step199(0xc000012345)", "exit status 2",
            ])
        #expect(Self.words(["one\ntwo\nthree\nfour\n"]) == ["one", "two", "three", "four"])
        #expect(Self.words(["one\ntwo\nthree\nfour\nfive"]) == ["one", "two", "…", "four", "five"])
        #expect(Self.words([]) == [])
    }

    @Test func `what was said before the last answer is no beginning`() {
        #expect(
            Self.words(["warning: old\n", Self.panic], answers: 1).first
                == "panic: runtime error: index out of range [5]")
        #expect(Self.words(["a\nb\nc\nd\n"], answers: 1) == ["b", "c", "d"])
    }
}
