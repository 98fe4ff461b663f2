import CacheConformance
import CacheCore
import Foundation

/// The text that `assay conform --replay` prints.
enum ReplayTable {
    /// Runs the program of a file and prints each operation with its answer.
    ///
    /// - Throws: `AssayError` with code `badInput` or `inputOutput` for a file that holds no program, `notAvailable` for a
    ///   subject that cannot be opened, and `verdict` if an answer was not permitted.
    static func print(_ path: String, on subject: any CacheSubject) throws(AssayError) {
        let program = try read(path)
        let replay: Replay
        do {
            replay = try Replay(program, on: subject)
        } catch {
            throw AssayError(.unavailable, "\(subject.name) cannot say what it claims.", cause: "\(error)")
        }
        for step in replay.steps {
            Console.print("\(step.operation)\n    → \(step.observed)")
            if let permitted = step.permitted { Console.print("    permitted: \(permitted)") }
        }
        if let remark = replay.remark { Console.print(remark) }
        guard replay.isPermitted else {
            throw AssayError(.verdict, "\(subject.name) gave an answer that its claims do not permit.")
        }
    }

    private static func read(_ path: String) throws(AssayError) -> Program {
        do {
            return try JSONDecoder().decode(Program.self, from: Data(contentsOf: URL(filePath: path)))
        } catch let error as DecodingError {
            throw AssayError(
                .badInput, "The file holds no program. Save what --reproducer json prints.", at: .init(path),
                cause: "\(error)")
        } catch {
            throw AssayError(
                .inputOutput, "The program cannot be read.", at: .init(path), cause: error.localizedDescription)
        }
    }
}
