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
                row(check.id, check.kind.rawValue, check.head.profile.rawValue, check.assertion)
                    + (check.claims.isEmpty
                        ? "" : "  [" + check.claims.map(\.description).joined(separator: ", ") + "]")
            }.joined(separator: "\n")
        }

        /// Everything there is to know about a check.
        static func explanation(of check: Check) -> String {
            let due = check.claims.isEmpty ? "every subject" : check.claims.map(\.description).joined(separator: ", ")
            let builds = (check.head.sweeps ? ["all checks of one behaviour"] : []) + check.head.dependsOn
            return """
                \(check.id)  \(check.assertion)

                Section: \(CheckCatalogue.sectionTitles[check.section] ?? check.section)
                Kind: \(check.kind.rawValue)
                Due for: \(due)
                Revision: \(check.head.revision), profile \(check.head.profile.rawValue)
                Builds on: \(builds.isEmpty ? "no check of its own" : builds.joined(separator: ", "))
                \(check.head.source.map { "Source: \($0)\n" } ?? "")
                \(check.explanation)
                """
        }

        /// The form of reproducers unless one is named: a cache in another process is told what to do and when, any other in
        /// Swift.
        static func form(for subject: String) -> CheckFailure.Reproducer {
            subject.hasPrefix("exec:") ? .timeline : .swift
        }

        /// Failures by their likely cause, each cause with its shortest reproducer; what is present without being claimed, and
        /// the score.
        static func summary(of report: ConformanceReport, reproducer form: CheckFailure.Reproducer) -> String {
            var lines: [String] = []
            let causes = report.likelyCauses
            for (number, cause) in causes.enumerated() {
                let failures = cause.checks.compactMap { id in report.results.first { $0.id == id } }
                let blocked = cause.blocked.isEmpty ? "" : "; blocks \(cause.blocked.joined(separator: ", "))"
                lines += [
                    "",
                    "Likely cause \(number + 1) of \(causes.count), \(cause.checks.joined(separator: ", "))\(blocked): \(cause.title)",
                ]
                for (place, result) in failures.enumerated() {
                    lines.append("\(result.title) \(result.assertion)")
                    if place == 0, let failure = result.failure {
                        lines.append(failure.text(reproducer: form))
                    } else {
                        lines.append("  \(result.outcome.detail ?? result.outcome.name)")
                    }
                }
            }
            let unclaimed = report.results.filter(\.isNotClaimed).map(\.id)
            if !unclaimed.isEmpty {
                let ids = unclaimed.prefix(12).joined(separator: ", ") + (unclaimed.count > 12 ? ", …" : "")
                lines += [
                    "", "Not claimed, and so not asked: \(unclaimed.count) checks (\(ids)); --verbose lists them.",
                ]
            }
            if !report.unclaimedButPresent.isEmpty {
                lines += ["", "Not claimed, though the cache seems to do it; --suggest-claims tells what to claim:"]
                lines += report.unclaimedButPresent.map { "  " + $0 }
            }
            if let deviations = report.deviations {
                lines += ["", "Documented deviations, which no check holds against it:"]
                lines += deviations.map { "  \($0.name): \($0.sentence)" }
            }
            if !report.deviationsNotSeen.isEmpty {
                lines += ["", "Stated, and shown by no answer: \(report.deviationsNotSeen.joined(separator: ", "))."]
            }
            let counts = [
                "pass", "fail", "crashed", "hung", "not claimed", "blocked", "inconclusive", "recorded",
            ].compactMap { name in
                let count = report.count(of: name)
                return count == 0 ? nil : "\(count) \(name)"
            }
            let profile = report.profile.map { " of profile \($0.rawValue)" } ?? ""
            let score =
                report.score.map { "score \(report.count(of: "pass"))/\(report.judged) (\(percent($0)))\(profile)" }
                ?? "no score\(profile)"
            lines += [
                "",
                "\(report.title ?? report.subject): \(counts.joined(separator: ", ")); \(score)\(deviating(report)), "
                    + "\(claimed(report)), seed \(report.seed)",
            ]
            return lines.joined(separator: "\n")
        }

        /// What two reports tell apart.
        static func comparison(_ comparison: ConformanceComparison) -> String {
            var lines = [""] + comparison.remarks
            for (title, changes) in [
                ("The subject does otherwise", comparison.subject),
                ("The suite asks otherwise, or more", comparison.suite),
            ] {
                lines += ["\(title):\(changes.isEmpty ? " nothing" : "")"] + changes.map { "  \($0)" }
            }
            return lines.joined(separator: "\n")
        }

        /// How many deviations stand beside the score.
        private static func deviating(_ report: ConformanceReport) -> String {
            switch report.deviations?.count ?? 0 {
            case 0: ""
            case 1: " with 1 documented deviation"
            case let count: " with \(count) documented deviations"
            }
        }

        /// What part of the checks is due, and how many it does not tell of.
        private static func claimed(_ report: ConformanceReport) -> String {
            let fraction = report.claimedFraction.map(percent) ?? "unknown"
            return switch report.notAsked {
            case 0: "\(fraction) of the checks claimed"
            case 1: "\(fraction) of the checks claimed of those asked (1 check was not asked)"
            case let count: "\(fraction) of the checks claimed of those asked (\(count) checks were not asked)"
            }
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
