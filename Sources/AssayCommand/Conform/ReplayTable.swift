#if Conformance
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
            try SubjectStart.check(subject)
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
            let bytes = try InputFile.read(path, atMost: 256 << 20, "program")
            do {
                return try JSONDecoder().decode(Program.self, from: Data(bytes))
            } catch {
                throw AssayError(
                    .badInput, "The file holds no program that can be run. Save what --reproducer json prints.",
                    at: .init(path),
                    cause: (error as? DecodingError)?.inWords ?? "\(error)")
            }
        }
    }
#endif
