import Foundation

/// How much the longest comparisons compare: everything in an optimised build that asks for it with `ASSAY_ALL_CELLS=1`,
/// as `scripts/test` does, and a share elsewhere, so that a debug run ends in minutes.
enum Thoroughness {
    static let isFull = ProcessInfo.processInfo.environment["ASSAY_ALL_CELLS"] == "1"

    /// All of a list, or every `stride`-th element of it, the first among them.
    static func share<Elements: Sequence>(of all: Elements, every stride: Int) -> [Elements.Element] {
        isFull ? Array(all) : all.enumerated().filter { $0.offset.isMultiple(of: stride) }.map(\.element)
    }
}
