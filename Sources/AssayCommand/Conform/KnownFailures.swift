#if Conformance
    import CacheConformance
    import CacheCore
    import Foundation

    /// The file of `assay conform --expect`: checks that are known to fail, each with a reason.
    struct KnownFailures {
        private struct Entry: Decodable {
            var check: String
            var reason: String
        }

        private let reasons: [String: String]

        /// Reads `[{"check": "TTL-9", "reason": "0 means no end, as documented"}]`.
        ///
        /// - Throws: `AssayError` with code `badInput` for a file of another form, an entry without a reason, a check that does not
        ///   exist or stands there twice; with code `inputOutput` for a file that cannot be read.
        init(_ path: String, in catalogue: ConformanceSuite) throws(AssayError) {
            let bytes = try InputFile.read(path, atMost: 1 << 20, "file of known failures")
            let entries: [Entry]
            do { entries = try JSONDecoder().decode([Entry].self, from: Data(bytes)) } catch {
                throw AssayError(
                    .badInput,
                    "The file holds no known failures. Write [{\"check\": \"TTL-9\", \"reason\": \"why it fails\"}].",
                    at: .init(path), cause: (error as? DecodingError)?.inWords ?? "\(error)")
            }
            var reasons: [String: String] = [:]
            for entry in entries {
                let id = entry.check.uppercased()
                guard catalogue.check(id) != nil else {
                    let near =
                        nearestName(to: id, among: catalogue.checks.map(\.id)).map { " Did you mean '\($0)'?" } ?? ""
                    throw AssayError(.badInput, "There is no check '\(entry.check)'.\(near)", at: .init(path))
                }
                guard !entry.reason.allSatisfy(\.isWhitespace) else {
                    throw AssayError(.badInput, "\(id) has no reason. Say why it fails.", at: .init(path))
                }
                guard reasons.updateValue(entry.reason, forKey: id) == nil else {
                    throw AssayError(.badInput, "\(id) stands there twice. Keep one.", at: .init(path))
                }
            }
            self.reasons = reasons
        }

        /// Notes with each result that fails as expected why it does.
        func mark(_ report: inout ConformanceReport) {
            for index in report.results.indices where report.results[index].outcome.isNegative {
                report.results[index].known = reasons[report.results[index].id]
            }
        }

        /// What there is to tell: the known failures, and the checks that are expected to fail and do not.
        func remarks(on report: ConformanceReport) -> [String] {
            var lines: [String] = []
            for result in report.results {
                guard let reason = reasons[result.id] else { continue }
                if result.known != nil {
                    lines.append("\(result.id) fails as expected: \(reason)")
                } else if result.outcome == .pass {
                    lines.append(
                        "\(result.id) passes, though it is expected to fail. Take it out of the file. (\(reason))")
                } else {
                    lines.append("\(result.id) is expected to fail and is \(result.outcome.name). (\(reason))")
                }
            }
            let left = Set(reasons.keys).subtracting(report.results.map(\.id)).sorted()
            if !left.isEmpty { lines.append("Expected to fail and not asked: \(left.joined(separator: ", "))") }
            return lines
        }
    }
#endif
