internal import CacheCore

/// The catalogue of checks as a document.
public enum CheckCatalogue {
    /// What each section is about, by the letters of its checks.
    public static let sectionTitles = [
        "BAS": "Reading, writing and removing one key at a time",
        "KEY": "Keys of any bytes, up to the stated length",
        "VAL": "Values of any bytes, up to the stated length", "CLR": "Removing everything at once",
        "ITR": "Listing and counting keys", "PER": "What a store knows after it was closed and opened again",
        "LIF": "Opening and closing", "CON": "Conditional writes, and operations on several keys",
        "TTL": "Entries that expire", "CAP": "How much a cache holds", "POL": "Which entry is evicted",
        "LDR": "Reads that load what is missing", "WRT": "Writes that go through to the store behind the cache",
        "EVT": "Events for values that leave", "STA": "Statistics", "GRP": "Name spaces in one cache, and tags",
        "MIG": "Stores that another version wrote", "TIR": "A memory over a lower tier",
        "FLT": "Killed processes and damaged files", "LIN": "Several clients at once",
        "PLC": "Rules for every eviction policy", "REC": "Caches of records in groups", "CAL": "Caches of calls",
        "MTH": "Caches of methods", "EXP": "Caches of expiring objects on disk", "HTC": "Caches of web resources",
    ]

    /// Every check of caches and of policies, without those of single systems.
    public static let everyBuiltin = ConformanceSuite(
        name: "all", checks: ConformanceSuite.cache.checks + ConformanceSuite.policy.checks)

    /// Checks as Markdown: a table a section, with everything that is said of each beside what it does.
    public static func markdown(_ suite: ConformanceSuite) -> String {
        let counts = Check.Profile.allCases.map { profile in
            "`\(profile.rawValue)` \(suite.limited(to: profile).checks.count)"
        }
        var lines = [
            "# Checks", "",
            "What `assay conform` asks: version \(ConformanceSuite.version) of the suite. `assay conform --list --markdown` "
                + "writes this page, and `assay conform --explain ID` says what a check does and which defects it finds.",
            "",
            "A check is due where the subject makes all the claims beside it; one without claims is due for every subject. "
                + "Optimal checks and surveys record what they find, without a verdict.",
            "",
            "A check with a failure is *blocked* by the first of the checks it builds on whose failure explains its own, so that "
                + "one fault is one failure. Every check builds on \(ConformanceSuite.foundations.joined(separator: ", ")) too. "
                + "“All” stands for every check of one behaviour.",
            "",
            "A revision is raised when a check asks something else than before. Profiles contain the smaller ones: "
                + counts.joined(separator: ", ") + " checks.",
            "", "| section | about | checks |", "| --- | --- | ---: |",
        ]
        let sections = suite.sections.map { name in (name, suite.checks.filter { $0.section == name }) }
        lines += sections.map { "| [\($0)](#\($0.lowercased())) | \(sectionTitles[$0] ?? "") | \($1.count) |" }
        for (name, checks) in sections {
            lines += ["", "## \(name)", "", "\(sectionTitles[name] ?? "").", ""]
            lines += ["| check | revision | sentence | claims | builds on | profile | source |"]
            lines += ["| --- | ---: | --- | --- | --- | --- | --- |"] + checks.map(row)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A line for each check with its id, revision and what recognises its meaning: its sentence, kind and claims.
    static func meanings(_ suite: ConformanceSuite) -> String {
        let lines = suite.checks.map { check in
            let meaning = ([check.assertion, check.kind.rawValue] + check.claims.map(\.description)).joined(
                separator: "\n")
            return "\(check.id) \(check.head.revision) \(SHA256.hexadecimal(of: meaning.utf8).prefix(12))"
        }
        return (["suite \(ConformanceSuite.version)"] + lines).joined(separator: "\n") + "\n"
    }

    private static func row(_ check: Check) -> String {
        let kind = [.optimal, .survey].contains(check.kind) ? " *(\(check.kind.rawValue))*" : ""
        let builds = (check.head.sweeps ? ["all"] : []) + check.head.dependsOn
        return "| "
            + [
                check.id, "\(check.head.revision)", check.assertion + kind,
                check.claims.map(\.description).joined(separator: ", "), builds.joined(separator: ", "),
                check.head.profile.rawValue, check.head.source ?? "",
            ].map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }
}
