import CacheCore
import CacheGate
import CacheReports
import Foundation

/// What one block left.
struct GateBlock {
    /// How the temporary folders of blocks are named.
    static let folderPrefix = "assay-gate-"

    /// Its times and rates.
    var figures: [ResultFigure]
    /// The compiler and whether the build is optimised, as `Swift 6.3 or later, release`.
    var build: String

    /// Reads the results of a bench or a run from a block's folder.
    ///
    /// - Throws: `AssayError` with code `badInput` if there are none.
    init(in folder: String, of side: String) throws(AssayError) {
        let names = [BenchResults.kind.json, RunResults.kind.json]
        guard let name = names.first(where: { FileManager.default.fileExists(atPath: "\(folder)/\($0)") }) else {
            throw AssayError(
                .badInput,
                "A block of \(side) left no \(names.joined(separator: " and no ")) in its --out. Give words of 'assay bench' or of "
                    + "'assay run' over policies.")
        }
        switch try JSONReport.read(from: "\(folder)/\(name)") {
        case let results as BenchResults:
            figures = try FigureSet.timesAndRates(of: results, from: side)
            build = results.environment.build
        case let results as RunResults:
            figures = try FigureSet.timesAndRates(of: results, from: side)
            build = results.environment.build
        default: (figures, build) = ([], "")
        }
    }
}
