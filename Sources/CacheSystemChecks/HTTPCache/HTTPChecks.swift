internal import CacheConformance
internal import CacheSystems
internal import Foundation

/// HTC: what a cache of web resources must do beside what every cache does. Most are tables of rules: each rule is a sequence of
/// exchanges on a fresh cache, tried for each kind of cache that it holds for.
enum HTTPChecks {
    static func check(
        _ id: String, _ assertion: String, _ explanation: String, steps: [String],
        _ setup: CheckedHTTPSetup = CheckedHTTPSetup(),
        _ body: @escaping @Sendable (HTTPBench) throws -> Void
    ) -> Check {
        Check(id, of: (any HTTPCacheSubject).self, assertion, explanation: explanation, steps: steps) { subject in
            try inDirectory { try body(try HTTPBench(subject, $0, setup)) }
        }
    }

    /// A check that is a table of rules.
    static func table(_ id: String, _ assertion: String, _ explanation: String, _ rows: [HTTPRow]) -> Check {
        Check(
            id, of: (any HTTPCacheSubject).self, assertion, explanation: explanation,
            steps: rows.map { "\($0.rule): " + $0.steps.map(\.text).joined(separator: "; ") }
        ) { subject in
            for row in rows {
                for profile in row.profiles {
                    try inDirectory { directory in
                        var setup = CheckedHTTPSetup()
                        setup.profile = profile
                        let bench = try HTTPBench(subject, directory, setup)
                        for step in row.steps { try bench.exchange(step, "\(row.rule) (\(profile.rawValue))") }
                        try bench.cache.close()
                    }
                }
            }
        }
    }

    private static func inDirectory(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try body(directory)
    }

    /// An answer that is fresh for so long.
    static func fresh(_ seconds: Int = 100, _ more: HTTPFields = [:]) -> HTTPFields {
        var fields: HTTPFields = ["Cache-Control": "max-age=\(seconds)"]
        for line in more.lines { fields.add(line.name, line.value) }
        return fields
    }

    /// A row of an answer, and of what becomes of a request a second later.
    static func second(
        _ rule: String, _ profiles: [HTTPProfile], _ gives: HTTPFields, _ seen: HTTPStep.Seen, asking: HTTPFields = [:],
        status: Int = 200
    ) -> HTTPRow {
        HTTPRow(
            rule, profiles,
            [
                HTTPStep(.whole, asking, status: status, gives: gives),
                HTTPStep(seen, after: 1, asking, status: status, answers: seen == .nothing ? status : nil),
            ])
    }

    static func second(
        _ rule: String, _ gives: HTTPFields, _ seen: HTTPStep.Seen, asking: HTTPFields = [:], status: Int = 200
    ) -> HTTPRow { second(rule, HTTPProfile.allCases, gives, seen, asking: asking, status: status) }

    static let all =
        freshness + parsing + reuse + validation + storing + selection + messages + requests + stores + packages
}
