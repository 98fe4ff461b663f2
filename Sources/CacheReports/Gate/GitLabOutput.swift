internal import CacheCore
internal import CacheGate
internal import Foundation

/// A gate's verdict as GitLab's code quality: a finding for each line that fails or is unsure.
///
/// A finding's fingerprint depends on the subject, the place and the figure, not on the values, so that GitLab knows it again.
enum GitLabOutput {
    private struct Finding: Encodable {
        struct Location: Encodable {
            struct Lines: Encodable {
                var begin = 1
            }
            var path: String
            var lines = Lines()
        }
        private enum CodingKeys: String, CodingKey {
            case description, fingerprint, severity, location
            case checkName = "check_name"
        }
        var description: String
        var checkName: String
        var fingerprint: String
        var severity: String
        var location: Location
    }

    static func render(_ outcome: GateOutcome) -> String {
        let text = GateText(outcome)
        let unsure: [GateLine.Verdict] = [.worse, .missing, .undecided, .incomparable, .changed]
        let path = outcome.baseline.hasPrefix("./") ? String(outcome.baseline.dropFirst(2)) : outcome.baseline
        let findings = text.lines.filter { $0.fails || unsure.contains($0.verdict) }.map { line in
            let place = line.place.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
            let identity = [line.subject, line.figure] + place
            let command = GateText.command(line).map { ". Repeat: \($0)" } ?? ""
            return Finding(
                description: "\(GateText.subject(line)), \(GateText.place(line)), \(line.verdict.rawValue): ".onOneLine
                    + GateText.detail(line) + command,
                checkName: "assay gate: \(line.verdict.rawValue)",
                fingerprint: SHA256.hexadecimal(of: identity.map { "\($0.utf8.count):\($0)" }.joined().utf8),
                severity: line.fails ? "major" : "info", location: .init(path: path.onOneLine))
        }
        return JSONOutput.encode(findings)
    }
}
