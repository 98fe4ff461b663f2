#if SQLite
    internal import CacheCore
    internal import CacheGate
    internal import CacheReports
    internal import Foundation

    /// Results of any kind as the history takes them.
    struct HistoryInput {
        /// When they were recorded.
        var recordedAt: String
        /// The machine and the build, in words; empty where they depend on none.
        var machine: String
        /// What tells the results from others.
        var digest: String
        /// What they hold.
        var figures: [ResultFigure]
        /// What is to be known of them, such as that the run was interrupted.
        var notes: [String]

        private struct Head: Decodable {
            var startedAt: String?
            var environment: EnvironmentDescription?
        }

        /// Reads a file of results.
        ///
        /// - Throws: as ``GateInput/read(_:)``.
        init(_ path: String) throws(AssayError) {
            let read = try GateInput.read(path)
            (figures, notes) = (read.figures, read.notes)
            let bytes = try InputFile.read(path, atMost: JSONReport.bytesMax, "results")
            digest = SHA256.hexadecimal(of: bytes)
            let head = try? JSONDecoder().decode(Head.self, from: Data(bytes))
            machine =
                head?.environment.map { "\($0.processor), \($0.processorCount) processors, \($0.build)" } ?? ""
            // A report of conform does not say when it was made.
            let written = (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
            recordedAt = head?.startedAt ?? (written ?? Date()).ISO8601Format()
        }
    }
#endif
