#if SQLite
    internal import CacheCore
    internal import CacheGate
    internal import CacheReports

    /// A file of results as the history takes it.
    struct HistoryInput {
        /// When the results were recorded.
        var recordedAt: String
        /// The machine and the build, in words.
        var machine: String
        /// What tells the results from others.
        var digest: String
        /// What they hold.
        var figures: [ResultFigure]

        /// Reads the results of a run.
        ///
        /// - Throws: `AssayError` with code `badInput` for a file that holds no such results.
        init(_ path: String) throws(AssayError) {
            let results = try JSONReport.read(from: path)
            let environment = results.environment
            recordedAt = results.startedAt
            machine = "\(environment.processor), \(environment.processorCount) processors, \(environment.build)"
            digest = SHA256.hexadecimal(of: try InputFile.read(path, atMost: JSONReport.bytesMax, "results"))
            figures = results.cells.flatMap { cell in
                Self.figures(of: cell, results.traces.first { $0.name == cell.trace })
            }
        }

        private static func figures(of cell: CellResult, _ trace: TraceDescription?) -> [ResultFigure] {
            guard let counts = cell.counts else { return [] }
            var place = [
                "results": "run", "trace": cell.trace, "capacity": cell.capacityRequested, "backend": cell.backend,
                "admission": cell.admission, "seed": "\(cell.seed)",
            ]
            place["trace-digest"] = trace.map { $0.contentDigest ?? $0.digest }
            func figure(
                _ name: String, _ unit: String, _ value: ResultFigure.Value?, _ kind: ResultFigure.Kind,
                _ better: ResultFigure.Better
            ) -> ResultFigure? {
                value.map {
                    ResultFigure(
                        subject: cell.policy, parameters: cell.parameters, place: place, name: name, unit: unit,
                        value: $0,
                        kind: kind, better: better)
                }
            }
            return [
                figure("requests", "", .count(counts.requests), .exact, .same),
                figure("hits", "", .count(counts.hits), .exact, .more),
                figure("evictions", "", counts.countedEvictions.map { .count($0) }, .exact, .less),
                figure("bytes_hit", "bytes", .count(counts.bytesHit), .exact, .more),
                figure("bytes_written", "bytes", .count(counts.bytesWritten), .exact, .less),
                figure("bytes_per_entry", "bytes", cell.memory?.bytesPerEntry.map { .real($0) }, .counted, .less),
                figure("requests_per_second", "", cell.requestsPerSecond.map { .real($0) }, .timed, .more),
            ].compactMap(\.self)
        }
    }
#endif
