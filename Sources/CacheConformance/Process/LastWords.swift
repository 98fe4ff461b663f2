/// What a program wrote to its standard error before it ended, as far as it is told with the end.
///
/// A panic of Go or Rust begins with what happened, and a traceback of Python ends with it: the first lines and the last are kept, the
/// first being those after the last answer.
package struct LastWords: Sendable {
    private static let bytesMax = 2_000

    /// The first bytes since the last answer.
    private var first: [UInt8] = []
    private var countSince = 0
    /// The last bytes of all.
    private var last: [UInt8] = []

    /// Nothing was said yet.
    package init() {}

    /// Takes in what was said.
    package mutating func add(_ bytes: some Collection<UInt8>) {
        first += bytes.prefix(Self.bytesMax - first.count)
        countSince += bytes.count
        last = Array((last + bytes).suffix(Self.bytesMax))
    }

    /// An answer came: what is said from now on belongs to the next one.
    package mutating func answered() { (first, countSince) = ([], 0) }

    /// The first two lines and the last two; the last three of all where nothing was said since the last answer.
    package var lines: [String] {
        let ending = Self.lines(last)
        guard countSince > 0 else { return ending.suffix(3) }
        let beginning = Self.lines(first)
        if countSince <= Self.bytesMax, beginning.count <= 4 { return beginning }
        return beginning.prefix(2) + ["…"] + ending.suffix(2)
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    }
}
