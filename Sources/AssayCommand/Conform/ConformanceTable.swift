#if Conformance
    import CacheConformance

    /// The text that `assay conform` prints.
    enum ConformanceTable {
        static let header = row("check", "kind", "outcome", "assertion")

        /// One check's row; the reason follows on a line of its own where there is one.
        static func row(_ result: CheckResult) -> String {
            let line = row(result.id, result.kind.rawValue, result.outcome.name, result.assertion)
            switch result.outcome {
            case .pass, .notClaimed: return line
            default: return line + (result.outcome.detail.map { "\n" + row("", "", "", "→ " + $0) } ?? "")
            }
        }

        /// Every check with its kind and claims.
        static func catalogue(_ checks: [Check]) -> String {
            checks.map { check in
                row(check.id, check.kind.rawValue, "", check.assertion)
                    + (check.claims.isEmpty
                        ? "" : "  [" + check.claims.map(\.description).joined(separator: ", ") + "]")
            }.joined(separator: "\n")
        }

        /// Everything there is to know about a check.
        static func explanation(of check: Check) -> String {
            let due = check.claims.isEmpty ? "every subject" : check.claims.map(\.description).joined(separator: ", ")
            return
                "\(check.id)  \(check.assertion)\n\nKind: \(check.kind.rawValue)\nDue for: \(due)\n\n\(check.explanation)"
        }

        /// Reproducers, what is present without being claimed, and the score.
        static func summary(of report: ConformanceReport, reproducer form: CheckFailure.Reproducer) -> String {
            var lines: [String] = []
            for result in report.failures {
                guard let failure = result.failure else { continue }
                lines += ["", "\(result.id) \(result.assertion)", failure.text(reproducer: form)]
            }
            if !report.unclaimedButPresent.isEmpty {
                lines += ["", "Unclaimed but present:"] + report.unclaimedButPresent.map { "  " + $0 }
            }
            let counts = [
                "pass", "fail", "crashed", "hung", "not claimed", "blocked", "inconclusive", "recorded",
            ].compactMap { name in
                let count = report.count(of: name)
                return count == 0 ? nil : "\(count) \(name)"
            }
            let score =
                report.score.map { "score \(report.count(of: "pass"))/\(report.judged) (\(percent($0)))" } ?? "no score"
            lines += [
                "",
                "\(report.subject): \(counts.joined(separator: ", ")); \(score), claimed fraction "
                    + "\(percent(report.claimedFraction)), seed \(report.seed)",
            ]
            return lines.joined(separator: "\n")
        }

        private static func percent(_ fraction: Double) -> String {
            // Rounded down, so that 100 % means all.
            let tenths = Int(fraction * 1_000)
            return "\(tenths / 10).\(tenths % 10) %"
        }

        private static func row(_ id: String, _ kind: String, _ outcome: String, _ text: String) -> String {
            pad(id, 8) + pad(kind, 10) + pad(outcome, 14) + text
        }

        private static func pad(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(1, width - text.count))
        }
    }
#endif
